// Base class of potentials that are sums over rows of observations. It evaluates all rows or a minibatch, at one
// position or as the difference between two.
#pragma once

#include <mutex>

#include "blocks.h"
#include "small_pairs.h"

namespace pollen::model {

class RowPotential : public Potential {
 public:
  RowPotential(const Observations& observations, double scale) : observations_(observations), scale_(scale) {}

  Index rows() const override { return observations_.x.rows; }

  void gradient(const ConstPanelView& theta, const PanelView& out, Scratch& scratch) const override {
    slope(Rows(observations_), theta, out, scratch);
  }
  void gradient_rows(std::span<const double> theta, std::span<const std::uint32_t> rows, std::span<double> out,
                     Scratch& scratch) const override {
    slope(Rows(observations_, rows), one_column(theta), one_column(out), scratch);
  }
  void difference(const ConstPanelView& theta, const ConstPanelView& anchor, const PanelView& out,
                  Scratch& scratch) const override {
    change(Rows(observations_), theta, anchor, out, scratch);
  }
  void difference_rows(std::span<const double> theta, std::span<const double> anchor,
                       std::span<const std::uint32_t> rows, std::span<double> out, Scratch& scratch) const override {
    change(Rows(observations_, rows), one_column(theta), one_column(anchor), one_column(out), scratch);
  }
  Index min_cell() const override { return observations_.min_cell; }
  void hide_small_pairs(std::span<double> half) const override { small_pairs().hide(half); }
  void shown_curvature(std::span<const double> at, std::span<const double> v, std::span<double> out,
                       Scratch& scratch) const override {
    curvature(at, v, out, scratch);
    if (small_pairs().empty()) return;
    Scratch::Frame frame(scratch);
    const std::span<double> part = scratch.take<double>(dimension()), product = scratch.take<double>(dimension());
    small_pairs().take_from_product(v, out, part, product, [&](std::span<const double> vector, std::span<double> to) {
      curvature(at, vector, to, scratch);
    });
  }

  const Observations& observations() const { return observations_; }
  // Returns the same model over other rows, if it has one linear predictor per row.
  virtual std::unique_ptr<const Potential> over(const Observations& observations) const = 0;
  virtual bool has_one_predictor() const { return true; }

 protected:
  Index features() const { return observations_.x.columns; }
  double offset(Index row) const { return observations_.offset == nullptr ? 0 : observations_.offset[row]; }

  // Compute the gradient over some rows, and the gradient at θ minus the gradient at the anchor.
  virtual void slope(const Rows& rows, const ConstPanelView& theta, const PanelView& out, Scratch& scratch) const = 0;
  virtual void change(const Rows& rows, const ConstPanelView& theta, const ConstPanelView& anchor, const PanelView& out,
                      Scratch& scratch) const = 0;

  // Adds Σ_r weights_r x_r² to out, for the rows from `first` on.
  void add_squares(Index first, std::span<const double> weights, std::span<double> out) const {
    for (std::size_t r = 0; r < weights.size(); ++r) {
      const double* const x = observations_.x.row(first + static_cast<Index>(r));
      for (std::size_t j = 0; j < out.size(); ++j) out[j] += weights[r] * x[j] * x[j];
    }
  }

  Observations observations_;
  double scale_;

 private:
  // Looked for when a server first asks for curvature.
  const SmallPairs& small_pairs() const {
    std::call_once(once_, [&] { small_pairs_ = SmallPairs(observations_.x, observations_.min_cell); });
    return small_pairs_;
  }

  mutable std::once_flag once_;
  mutable SmallPairs small_pairs_;
};

}  // namespace pollen::model
