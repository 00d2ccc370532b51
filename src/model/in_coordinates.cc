// Potentials as functions of ψ, where θ = θ̂ + Aψ: positions are turned into θ, and gradients back, in each call.
#include <utility>

#include "blocks.h"
#include "model/coordinates.h"
#include "multiplied_rows.h"
#include "row_potential.h"

namespace pollen {

namespace {

class InCoordinates final : public Potential {
 public:
  InCoordinates(std::shared_ptr<const Potential> inner, const std::shared_ptr<const Coordinates>& coordinates)
      : inner_(std::move(inner)), in_(coordinates) {}

  Index dimension() const override { return inner_->dimension(); }
  Index rows() const override { return inner_->rows(); }

  void value(const ConstPanelView& psi, std::span<double> out, Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    inner_->value(theta(psi, scratch), out, scratch);
  }
  void gradient(const ConstPanelView& psi, const PanelView& out, Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    pulled_back(out, scratch, [&](const PanelView& g) { inner_->gradient(theta(psi, scratch), g, scratch); });
  }
  void value_and_gradient(const ConstPanelView& psi, std::span<double> values, const PanelView& out,
                          Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    pulled_back(out, scratch,
                [&](const PanelView& g) { inner_->value_and_gradient(theta(psi, scratch), values, g, scratch); });
  }
  void gradient_rows(std::span<const double> psi, std::span<const std::uint32_t> rows, std::span<double> out,
                     Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    pulled_back(model::one_column(out), scratch, [&](const PanelView& g) {
      inner_->gradient_rows(theta(model::one_column(psi), scratch).column(0), rows, g.column(0), scratch);
    });
  }
  void difference_rows(std::span<const double> psi, std::span<const double> anchor, std::span<const std::uint32_t> rows,
                       std::span<double> out, Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    pulled_back(model::one_column(out), scratch, [&](const PanelView& g) {
      inner_->difference_rows(theta(model::one_column(psi), scratch).column(0),
                              theta(model::one_column(anchor), scratch).column(0), rows, g.column(0), scratch);
    });
  }
  void difference(const ConstPanelView& psi, const ConstPanelView& anchor, const PanelView& out,
                  Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    pulled_back(out, scratch, [&](const PanelView& g) {
      inner_->difference(theta(psi, scratch), theta(anchor, scratch), g, scratch);
    });
  }
  void curvature(std::span<const double> at, std::span<const double> v, std::span<double> out,
                 Scratch& scratch) const override {
    product(&Potential::curvature, at, v, out, scratch);
  }
  void shown_curvature(std::span<const double> at, std::span<const double> v, std::span<double> out,
                       Scratch& scratch) const override {
    product(&Potential::shown_curvature, at, v, out, scratch);
  }
  std::optional<double> effective_rows(std::span<const double> psi, Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    return inner_->effective_rows(theta(model::one_column(psi), scratch).column(0), scratch);
  }
  bool curvature_is_bound() const override { return inner_->curvature_is_bound(); }
  bool hessian_diagonal(std::span<const double> at, std::span<double> out, Scratch& scratch) const override {
    return !in_ && inner_->hessian_diagonal(at, out, scratch);
  }
  Index min_cell() const override { return inner_->min_cell(); }
  void hide_small_pairs(std::span<double> half) const override {
    const auto hide = [&](std::span<double> in_theta) { inner_->hide_small_pairs(in_theta); };
    in_ ? in_->change_in_theta(half, hide) : hide(half);
  }
  double row_curvature(std::span<const double> at, Scratch& scratch) const override {
    return in_ ? Potential::row_curvature(at, scratch) : inner_->row_curvature(at, scratch);
  }

  std::unique_ptr<const Potential> with_multiplied_rows() const {
    const auto* const rows = dynamic_cast<const model::RowPotential*>(inner_.get());
    return rows == nullptr ? nullptr : model::multiply_rows(*this, *rows, in_);
  }

 private:
  ConstPanelView theta(const ConstPanelView& psi, Scratch& scratch) const {
    if (!in_) return psi;
    const PanelView theta = scratch.panel(psi.rows, psi.columns);
    in_->to_theta(psi, theta);
    return theta;
  }

  void product(decltype(&Potential::curvature) multiply, std::span<const double> at, std::span<const double> v,
               std::span<double> out, Scratch& scratch) const {
    if (!in_) return (*inner_.*multiply)(at, v, out, scratch);
    Scratch::Frame frame(scratch);
    const PanelView image = scratch.panel(dimension(), 1);
    in_->turn(model::one_column(v), image);
    pulled_back(model::one_column(out), scratch, [&](const PanelView& in_theta) {
      (*inner_.*multiply)(theta(model::one_column(at), scratch).column(0), image.column(0), in_theta.column(0),
                          scratch);
    });
  }

  // Lets `compute` write a gradient in θ, and writes it to `out` as a gradient in ψ.
  template <class Compute>
  void pulled_back(const PanelView& out, Scratch& scratch, const Compute& compute) const {
    if (!in_) return compute(out);
    const PanelView g = scratch.panel(out.rows, out.columns);
    compute(g);
    in_->pull_back(g, out);
  }

  std::shared_ptr<const Potential> inner_;
  const std::shared_ptr<const Coordinates>& in_;
};

}  // namespace

std::unique_ptr<const Potential> in_coordinates(std::shared_ptr<const Potential> potential,
                                                const std::shared_ptr<const Coordinates>& coordinates) {
  return std::make_unique<InCoordinates>(std::move(potential), coordinates);
}

std::unique_ptr<const Potential> with_multiplied_rows(const Potential& potential) {
  const auto* const in = dynamic_cast<const InCoordinates*>(&potential);
  return in == nullptr ? nullptr : in->with_multiplied_rows();
}

}  // namespace pollen
