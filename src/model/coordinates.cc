#include "model/coordinates.h"

#include <cmath>
#include <numeric>
#include <utility>

#include "math/math.h"

namespace pollen {

// What is left below a pivot that was raised is rounding error, which would grow with every one of them if it were
// divided by the pivot's root; it is taken for the zero that it should be.
std::vector<std::size_t> replace_by_root(Panel& matrix) {
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

namespace {

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

// Replaces the lower half of H, column by column, by that of MᵀHM.
void sandwich(const Panel& m, std::span<double> half) {
  const Index d = m.rows();
  Panel h(d, d), hm(d, d);
  const double* next = half.data();
  for (Index k = 0; k < d; ++k)
    for (Index i = k; i < d; ++i)
      h.column(k)[static_cast<std::size_t>(i)] = h.column(i)[static_cast<std::size_t>(k)] = *next++;
  for (Index k = 0; k < d; ++k)
    for (Index j = 0; j < d; ++j) math::axpy(m.column(k)[static_cast<std::size_t>(j)], h.column(j), hm.column(k));
  double* out = half.data();
  for (Index k = 0; k < d; ++k)
    for (Index i = k; i < d; ++i) *out++ = math::dot(m.column(i), hm.column(k));
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
  raised_ = replace_by_root(scaled);
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
    if (!(scale_of(j) > 0)) return false;
  return true;
}

double Coordinates::scale_of(Index coordinate) const {
  return diagonal_.empty() ? matrix_[place(coordinate, coordinate)] : diagonal_[static_cast<std::size_t>(coordinate)];
}

double Coordinates::log_determinant() const {
  double sum = 0;
  for (Index j = 0; j < dimension(); ++j) sum += math::log(scale_of(j));
  return sum;
}

Panel Coordinates::block(Index size) const {
  Panel out(size, size);
  for (Index k = 0; k < size; ++k)
    for (Index j = diagonal_.empty() ? 0 : k; j <= k; ++j)
      out.column(k)[static_cast<std::size_t>(j)] = j == k ? scale_of(k) : matrix_[place(j, k)];
  return out;
}

bool Coordinates::keeps_apart(Index size) const {
  for (Index j = 0; j < size; ++j)
    for (Index k = size; k < dimension() && diagonal_.empty(); ++k)
      if (matrix_[place(j, k)] != 0) return false;
  return true;
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

// Between the two products the matrix is H = A⁻ᵀ(AᵀHA)A⁻¹.
void Coordinates::change_in_theta(std::span<double> half, const std::function<void(std::span<double>)>& change) const {
  if (!diagonal_.empty()) return change(half);  // entries are only scaled, so what is set to 0 is 0 in θ too
  const Index d = dimension();
  Panel forward(d, d), backward(d, d);  // A and A⁻¹
  for (Index k = 0; k < d; ++k) {
    const std::span<double> a = forward.column(k), b = backward.column(k);
    for (Index j = 0; j <= k; ++j) a[static_cast<std::size_t>(j)] = matrix_[place(j, k)];
    b[static_cast<std::size_t>(k)] = 1;
    for (Index j = k + 1; j-- > 0;) {
      double& x = b[static_cast<std::size_t>(j)];
      for (Index l = j + 1; l <= k; ++l) x -= matrix_[place(j, l)] * b[static_cast<std::size_t>(l)];
      x /= matrix_[place(j, j)];
    }
  }
  const std::vector<double> before(half.begin(), half.end());
  sandwich(backward, half);
  const std::vector<double> in_theta(half.begin(), half.end());
  change(half);
  if (std::ranges::equal(half, in_theta)) {
    std::ranges::copy(before, half.begin());
    return;
  }
  sandwich(forward, half);
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

}  // namespace pollen
