#include "model/coordinates.h"

#include <cmath>
#include <numeric>
#include <utility>

#include "blocks.h"
#include "math/math.h"

namespace pollen {

namespace {

// Replaces the lower triangle of a matrix with diagonal 1 by its Cholesky factor L. Pivots below kLeast are raised to
// it, and their places are returned. What is left below such a pivot is rounding error, which would grow with every one
// of them if it were divided by the pivot's root; it is taken for the zero that it should be.
std::vector<std::size_t> factorise(Panel& matrix) {
  std::vector<std::size_t> raised;
  const Index d = matrix.rows();
  const auto at = [&](Index row, Index column) -> double& {
    return matrix.column(column)[static_cast<std::size_t>(row)];
  };
  for (Index j = 0; j < d; ++j) {
    double pivot = at(j, j);
    if (!(pivot > Coordinates::kLeast)) {
      pivot = Coordinates::kLeast;
      raised.push_back(static_cast<std::size_t>(j));
    }
    const bool lost = !raised.empty() && raised.back() == static_cast<std::size_t>(j);
    const double root = at(j, j) = std::sqrt(pivot);
    for (Index i = j + 1; i < d; ++i) at(i, j) = lost ? 0 : at(i, j) / root;
    for (Index k = j + 1; k < d; ++k)
      for (Index i = k; i < d; ++i) at(i, k) -= at(i, j) * at(k, j);
  }
  return raised;
}

// Writes L⁻ᵀ, upper triangular, row by row: column j of L⁻¹ is row j of L⁻ᵀ.
void invert(const Panel& factor, Index stride, AlignedVector<double>& out) {
  const Index d = factor.rows();
  out.assign(static_cast<std::size_t>(d * stride), 0.0);
  for (Index j = 0; j < d; ++j) {
    double* const row = out.data() + j * stride;
    row[j] = 1;
    for (Index k = j; k < d; ++k) {
      const std::span<const double> column = factor.column(k);
      row[k] /= column[static_cast<std::size_t>(k)];
      for (Index i = k + 1; i < d; ++i) row[i] -= column[static_cast<std::size_t>(i)] * row[k];
    }
  }
}

}  // namespace

Coordinates::Coordinates(std::span<const double> centre, ConstPanelView hessian, bool full)
    : centre_(centre.begin(), centre.end()), diagonal_(centre.size()) {
  const Index d = dimension();
  for (std::size_t j = 0; j < diagonal_.size(); ++j)
    diagonal_[j] = 1 / std::sqrt(hessian.column(hessian.columns == 1 ? 0 : static_cast<Index>(j))[j]);
  if (!full || d == 1) return;
  Panel scaled(d, d);
  for (Index k = 0; k < d; ++k)
    for (std::size_t i = 0; i < diagonal_.size(); ++i)
      scaled.column(k)[i] = hessian.column(k)[i] * diagonal_[i] * diagonal_[static_cast<std::size_t>(k)];
  raised_ = factorise(scaled);
  invert(scaled, padded(d), matrix_);
  for (Index j = 0; j < d; ++j)
    math::scale(diagonal_[static_cast<std::size_t>(j)], {matrix_.data() + j * padded(d), static_cast<std::size_t>(d)});
  diagonal_.clear();
}

Coordinates::Coordinates(std::span<const double> centre, ConstPanelView sent) : centre_(centre.begin(), centre.end()) {
  const Index d = dimension();
  if (sent.rows == d) {
    diagonal_.assign(sent.column(0).begin(), sent.column(0).end());
    return;
  }
  matrix_.assign(static_cast<std::size_t>(d * padded(d)), 0.0);
  const double* next = sent.column(0).data();
  for (Index k = 0; k < d; ++k)
    for (Index j = 0; j <= k; ++j) matrix_[place(j, k)] = *next++;
}

bool Coordinates::usable() const {
  if (!math::all_finite(centre_) || !math::all_finite(diagonal_) || !math::all_finite(matrix_)) return false;
  for (Index j = 0; j < dimension(); ++j)
    if (!((diagonal_.empty() ? matrix_[place(j, j)] : diagonal_[static_cast<std::size_t>(j)]) > 0)) return false;
  return true;
}

double Coordinates::log_determinant() const {
  double sum = 0;
  for (Index j = 0; j < dimension(); ++j)
    sum += math::log(diagonal_.empty() ? matrix_[place(j, j)] : diagonal_[static_cast<std::size_t>(j)]);
  return sum;
}

Panel Coordinates::sent() const {
  const Index d = dimension();
  Panel out(diagonal_.empty() ? d * (d + 1) / 2 : d, 1);
  double* next = out.column(0).data();
  if (!diagonal_.empty()) std::ranges::copy(diagonal_, next);
  for (Index k = 0; diagonal_.empty() && k < d; ++k)
    for (Index j = 0; j <= k; ++j) *next++ = matrix_[place(j, k)];
  return out;
}

RowsView Coordinates::matrix() const { return {matrix_.data(), dimension(), dimension(), padded(dimension())}; }

void Coordinates::turn(ConstPanelView v, PanelView out) const {
  if (diagonal_.empty()) return math::multiply(matrix(), v, out);
  for (Index c = 0; c < v.columns; ++c)
    for (std::size_t j = 0; j < diagonal_.size(); ++j) out.column(c)[j] = diagonal_[j] * v.column(c)[j];
}

void Coordinates::to_theta(ConstPanelView psi, PanelView theta) const {
  turn(psi, theta);
  for (Index c = 0; c < theta.columns; ++c) math::add(centre_, theta.column(c));
}

void Coordinates::to_psi(std::span<const double> theta, std::span<double> psi) const {
  math::subtract(theta, centre_, psi);
  for (std::size_t j = psi.size(); j-- > 0;) {
    if (!diagonal_.empty()) {
      psi[j] /= diagonal_[j];
      continue;
    }
    const double* const row = matrix_.data() + static_cast<Index>(j) * padded(dimension());
    for (std::size_t k = j + 1; k < psi.size(); ++k) psi[j] -= row[k] * psi[k];
    psi[j] /= row[j];
  }
}

void Coordinates::pull_back(ConstPanelView gradient, PanelView out) const {
  if (!diagonal_.empty()) return turn(gradient, out);
  fill(out, 0.0);
  math::multiply_transposed_add(matrix(), gradient, out);
}

// With a diagonal A every term keeps its form.
Prior Coordinates::pull_back_terms(Prior prior) const {
  if (prior.mean.empty()) prior.mean.assign(centre_.size(), 0.0);
  for (std::size_t j = 0; j < centre_.size(); ++j) {
    prior.mean[j] = (prior.mean[j] - centre_[j]) / diagonal_[j];
    prior.precision[j] *= diagonal_[j] * diagonal_[j];
  }
  for (Prior::SumTerm& term : prior.sums)
    for (std::size_t j = 0; j < term.weight.size(); ++j) {
      const std::size_t at = static_cast<std::size_t>(term.first) + j;
      term.mean -= term.weight[j] * centre_[at];
      term.weight[j] *= diagonal_[at];
    }
  return prior;
}

// The matrix is AᵀMA, the linear term is Aᵀ∇U_0(θ̂), and the constant is U_0(θ̂).
Prior Coordinates::pull_back(const Prior& prior) const {
  if (prior.is_flat()) return prior;
  if (!diagonal_.empty() && prior.matrix.empty()) return pull_back_terms(prior);
  const Index d = dimension();
  const auto size = static_cast<std::size_t>(d);
  Panel unit(d, 1), image(d, 1), product(d, 1), pulled(d, 1);
  Prior out;
  out.constant = prior.value(centre_);
  prior.add_gradient(centre_, 1.0, product.column(0));
  pull_back(product, pulled);
  out.linear.assign(pulled.column(0).begin(), pulled.column(0).end());
  out.precision.resize(size);
  out.matrix.resize(size * size);
  for (std::size_t j = 0; j < size; ++j) {
    unit.column(0)[j] = 1;
    turn(unit, image);
    fill(product, 0.0);
    prior.add_curvature(image.column(0), 1.0, product.column(0));
    pull_back(product, pulled);
    std::ranges::copy(pulled.column(0), out.matrix.begin() + static_cast<std::ptrdiff_t>(j * size));
    out.precision[j] = pulled.column(0)[j];
    unit.column(0)[j] = 0;
  }
  return out;
}

void Coordinates::archive(Archive& archive, Index dimension) {
  const auto d = static_cast<std::uint64_t>(dimension);
  centre_.resize(d);
  archive.array(std::span(centre_));
  archive.array_or_none(diagonal_, d);
  archive.array_or_none(matrix_, d * static_cast<std::uint64_t>(padded(dimension)));
  if (diagonal_.empty() == matrix_.empty())
    throw WireError("saved coordinates: found two matrices or none, accepted: one, diagonal or full");
}

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
    if (!in_) return inner_->curvature(at, v, out, scratch);
    Scratch::Frame frame(scratch);
    const PanelView image = scratch.panel(dimension(), 1);
    in_->turn(model::one_column(v), image);
    pulled_back(model::one_column(out), scratch, [&](const PanelView& product) {
      inner_->curvature(theta(model::one_column(at), scratch).column(0), image.column(0), product.column(0), scratch);
    });
  }
  bool curvature_is_bound() const override { return inner_->curvature_is_bound(); }
  bool hessian_diagonal(std::span<const double> at, std::span<double> out, Scratch& scratch) const override {
    return !in_ && inner_->hessian_diagonal(at, out, scratch);
  }
  double row_curvature(std::span<const double> at, Scratch& scratch) const override {
    return in_ ? Potential::row_curvature(at, scratch) : inner_->row_curvature(at, scratch);
  }

 private:
  ConstPanelView theta(const ConstPanelView& psi, Scratch& scratch) const {
    if (!in_) return psi;
    const PanelView theta = scratch.panel(psi.rows, psi.columns);
    in_->to_theta(psi, theta);
    return theta;
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

}  // namespace pollen
