// A generalised linear model as a function of ψ, where β = β̂ + Aψ. Its linear predictor is Xβ = Xβ̂ + (XA)ψ, so with the
// rows of XA and the offset Xβ̂ a gradient costs what it costs in β. A coordinate that is no coefficient (log σ) is
// moved and scaled at each evaluation.
#include "multiplied_rows.h"

#include <utility>

#include "math/math.h"

namespace pollen::model {

namespace {

constexpr double kMostWork = 2e10;  // products that one client takes for XA, which is a matter of seconds

// XA and Xβ̂ for one client, in memory of their own.
struct RowsInPsi {
  RowsInPsi(const RowsView& x, const Coordinates& in)
      : stride(padded(x.columns)),
        multiplied(static_cast<std::size_t>(x.rows * stride), 0.0),
        offset(static_cast<std::size_t>(x.rows)) {
    math::multiply(x, {in.centre().data(), x.columns, 1, x.columns}, {offset.data(), x.rows, 1, x.rows});
    const Panel a = in.block(x.columns);
    constexpr Index kColumns = 64;
    Panel z(std::min(block_rows(x.columns), x.rows), kColumns);
    for (Index row = 0; row < x.rows; row += z.rows())
      for (Index column = 0; column < x.columns; column += kColumns)
        multiply(x.slice(row, std::min(z.rows(), x.rows - row)), a, column, z, multiplied.data() + row * stride);
  }

  // Writes some columns of XA for some rows. A is upper triangular, so that they depend on the columns of X up to
  // there.
  void multiply(const RowsView& x, const Panel& a, Index first, Panel& z, double* out) const {
    const Index count = std::min(z.columns(), x.columns - first), last = first + count;
    const PanelView product{z.view().data, x.rows, count, z.stride()};
    math::multiply({x.data, x.rows, last, x.stride}, {a.column(first).data(), last, count, a.stride()}, product);
    for (Index r = 0; r < x.rows; ++r)
      for (Index k = 0; k < count; ++k) out[r * stride + first + k] = product.column(k)[static_cast<std::size_t>(r)];
  }

  Index stride;
  AlignedVector<double> multiplied;
  std::vector<double> offset;
};

class MultipliedRows final : public Potential {
 public:
  MultipliedRows(const Potential& plain, const RowPotential& rows,
                 const std::shared_ptr<const Coordinates>& coordinates)
      : plain_(plain), rows_(rows), in_(coordinates) {}

  Index dimension() const override { return plain_.dimension(); }
  Index rows() const override { return plain_.rows(); }

  void value(const ConstPanelView& psi, std::span<double> out, Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    const Potential& u = ready();
    u.value(scaled(psi, scratch), out, scratch);
  }
  void gradient(const ConstPanelView& psi, const PanelView& out, Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    const Potential& u = ready();
    u.gradient(scaled(psi, scratch), out, scratch);
    pull_back(out);
  }
  void value_and_gradient(const ConstPanelView& psi, std::span<double> values, const PanelView& out,
                          Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    const Potential& u = ready();
    u.value_and_gradient(scaled(psi, scratch), values, out, scratch);
    pull_back(out);
  }
  void gradient_rows(std::span<const double> psi, std::span<const std::uint32_t> rows, std::span<double> out,
                     Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    const Potential& u = ready();
    u.gradient_rows(scaled(one_column(psi), scratch).column(0), rows, out, scratch);
    pull_back(one_column(out));
  }
  void difference_rows(std::span<const double> psi, std::span<const double> anchor, std::span<const std::uint32_t> rows,
                       std::span<double> out, Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    const Potential& u = ready();
    u.difference_rows(scaled(one_column(psi), scratch).column(0), scaled(one_column(anchor), scratch).column(0), rows,
                      out, scratch);
    pull_back(one_column(out));
  }
  void difference(const ConstPanelView& psi, const ConstPanelView& anchor, const PanelView& out,
                  Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    const Potential& u = ready();
    u.difference(scaled(psi, scratch), scaled(anchor, scratch), out, scratch);
    pull_back(out);
  }
  void curvature(std::span<const double> at, std::span<const double> v, std::span<double> out,
                 Scratch& scratch) const override {
    plain_.curvature(at, v, out, scratch);
  }
  bool curvature_is_bound() const override { return plain_.curvature_is_bound(); }

 private:
  // Returns the potential of the multiplied rows, which are made when coordinates are new.
  const Potential& ready() const {
    if (told_ != in_) multiply();
    return made_ ? *made_ : plain_;
  }
  void multiply() const {
    made_ = nullptr;
    told_ = in_;
    const Observations& was = rows_.observations();
    if (!in_ || !in_->keeps_apart(was.x.columns)) return;
    held_ = std::make_unique<const RowsInPsi>(was.x, *in_);
    made_ = rows_.over({.x = {held_->multiplied.data(), was.x.rows, was.x.columns, held_->stride},
                        .y = was.y,
                        .offset = held_->offset.data()});
  }

  bool has_scale() const { return made_ != nullptr && dimension() > rows_.observations().x.columns; }
  // Returns positions whose last coordinate is that of θ, if it is no coefficient.
  ConstPanelView scaled(const ConstPanelView& psi, Scratch& scratch) const {
    if (!has_scale()) return psi;
    const PanelView out = scratch.panel(psi.rows, psi.columns);
    copy_into(psi, out);
    for (Index c = 0; c < out.columns; ++c) {
      double& last = out.column(c).back();
      last = told_->centre().back() + told_->scale_of(dimension() - 1) * last;
    }
    return out;
  }
  void pull_back(const PanelView& gradient) const {
    for (Index c = 0; has_scale() && c < gradient.columns; ++c)
      gradient.column(c).back() *= told_->scale_of(dimension() - 1);
  }

  const Potential& plain_;
  const RowPotential& rows_;
  const std::shared_ptr<const Coordinates>& in_;
  mutable std::shared_ptr<const Coordinates> told_;  // for which the rest was made
  mutable std::unique_ptr<const RowsInPsi> held_;
  mutable std::unique_ptr<const Potential> made_;
};

}  // namespace

std::unique_ptr<const Potential> multiply_rows(const Potential& plain, const RowPotential& rows,
                                               const std::shared_ptr<const Coordinates>& coordinates) {
  const Observations& observations = rows.observations();
  const auto n = static_cast<double>(observations.x.rows), p = static_cast<double>(observations.x.columns);
  const bool taken = observations.mapped || observations.offset != nullptr;
  if (taken || !rows.has_one_predictor() || n * p * p > kMostWork) return nullptr;
  return std::make_unique<MultipliedRows>(plain, rows, coordinates);
}

}  // namespace pollen::model
