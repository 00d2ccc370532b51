// Vectorised arithmetic whose bits depend neither on the vector width (AVX2 or AVX-512) nor on libm.
//
// Sums keep eight logical lanes, added in a fixed order at the end. Elementwise functions use Highway's polynomials
// with their domains guarded: NaN stays NaN, exp overflows to inf, log(0) = -inf, log(x < 0) = NaN. Spans may be
// unaligned; in place is allowed where input and output have the same type. Pure and thread-safe.
#pragma once

#include <span>

#include "pollen/types.h"

namespace pollen::math {

double exp(double x);
double log(double x);
double log1p(double x);

double sum(std::span<const double> x);
double dot(std::span<const double> x, std::span<const double> y);
double squared_norm(std::span<const double> x);
double max_abs(std::span<const double> x);  // NaN when any is NaN
bool all_finite(std::span<const double> x);
void axpy(double a, std::span<const double> x, std::span<double> y);  // y += a x, fused
void scale(double a, std::span<double> x);                            // x *= a
void scale_add(double a, std::span<const double> y,
               std::span<double> x);  // x ← a x + y, with the bits of scale() and add()
void subtract(std::span<const double> x, std::span<const double> y, std::span<double> out);  // x - y
void add(std::span<const double> x, std::span<double> y);                                    // y += x
// y += x, column by column.
inline void add(ConstPanelView x, PanelView y) {
  for (Index c = 0; c < y.columns; ++c) add(x.column(c), y.column(c));
}
// Adds the terms to y in order, with the same bits as repeated add().
void add_all(std::span<const double* const> terms, std::span<double> y);
// Computes (a·x - offset) - known for every column. The first difference is fused.
void affine_less(double a, std::span<const double> offset, std::span<const double> known, ConstPanelView x,
                 PanelView out);

void exp(std::span<const double> x, std::span<double> out);
void log(std::span<const double> x, std::span<double> out);
void sigmoid(std::span<const double> x, std::span<double> out);   // 1/(1+exp(-x)), no overflow
void softplus(std::span<const double> x, std::span<double> out);  // log(1+exp(x)), no overflow

// The Langevin step of one chain, one fused pass: x ← x - step·g + spread·z. Returns max |x| after it (NaN if any is
// NaN).
double langevin_step(std::span<double> x, std::span<const double> g, std::span<const double> z, double step,
                     double spread);

// One local step of a client, in a single fused pass over every column: x ← x - step·g + common + spread·own. A null
// pointer leaves its term out.
struct LocalStep {
  const double* gradient;
  Index gradient_stride;
  const double* common;
  Index common_stride;
  const double* own;
  Index own_stride;
  double step;
  double spread;
};
void local_step(const PanelView& x, const LocalStep& in);

using pollen::RowsView;

// The two matrix products of generalised linear models, for M columns at once (chains, or chains × classes). The first
// computes z(r, m) = Σ_j X(r, j) θ(j, m), where z has one row per row of X and column stride z.stride.
void multiply(const RowsView& x, ConstPanelView theta, PanelView z);
// Adds the transposed product: g(j, m) += Σ_r X(r, j) residual(r, m).
void multiply_transposed_add(const RowsView& x, ConstPanelView residual, PanelView g);

// The same two products over chosen rows of X, for example a minibatch: row r of the product is row rows[r] of X.
void multiply(const RowsView& x, std::span<const std::uint32_t> rows, ConstPanelView theta, PanelView z);
void multiply_transposed_add(const RowsView& x, std::span<const std::uint32_t> rows, ConstPanelView residual,
                             PanelView g);

// A symmetric size × size matrix A whose columns are `stride` doubles apart. The stride is a multiple of 24, and the
// padding is zero. A product is out(:, c) = A x(:, c) - offset; the offset has `stride` entries, or is null if there is
// none.
struct SymmetricView {
  const double* data = nullptr;
  const double* offset = nullptr;
  Index size = 0;
  Index stride = 0;
};
void multiply_symmetric(const SymmetricView& a, const ConstPanelView& x, const PanelView& out);

}  // namespace pollen::math
