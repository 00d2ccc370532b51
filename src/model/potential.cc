#include <algorithm>
#include <cmath>
#include <limits>

#include "math/math.h"
#include "pollen/model.h"

namespace pollen {

void Potential::value_and_gradient(const ConstPanelView& theta, std::span<double> values, const PanelView& out,
                                   Scratch& scratch) const {
  value(theta, values, scratch);
  gradient(theta, out, scratch);
}

void Potential::gradient_less(const ConstPanelView& theta, std::span<const double> known, const PanelView& out,
                              Scratch& scratch) const {
  gradient(theta, out, scratch);
  for (Index c = 0; c < out.columns; ++c) math::subtract(out.column(c), known, out.column(c));
}

void Potential::gradient_rows(std::span<const double> theta, std::span<const std::uint32_t> rows, std::span<double> out,
                              Scratch& scratch) const {
  const Index d = dimension();
  gradient({theta.data(), d, 1, d}, {out.data(), d, 1, d}, scratch);
  math::scale(static_cast<double>(rows.size()), out);
}

void Potential::curvature(std::span<const double> at, std::span<const double> v, std::span<double> out,
                          Scratch& scratch) const {
  const double length = std::sqrt(math::squared_norm(v));
  if (length == 0) {
    std::ranges::fill(out, 0.0);
    return;
  }
  const double step = std::cbrt(std::numeric_limits<double>::epsilon()) * (1 + math::max_abs(at)) / length;
  Scratch::Frame frame(scratch);
  const PanelView ends = scratch.panel(dimension(), 2), slopes = scratch.panel(dimension(), 2);
  for (std::size_t j = 0; j < at.size(); ++j) {
    ends.column(0)[j] = at[j] + step * v[j];
    ends.column(1)[j] = at[j] - step * v[j];
  }
  gradient(ends, slopes, scratch);
  math::subtract(slopes.column(0), slopes.column(1), out);
  math::scale(1 / (2 * step), out);
}

void Potential::shown_curvature(std::span<const double> at, std::span<const double> v, std::span<double> out,
                                Scratch& scratch) const {
  curvature(at, v, out, scratch);
}

std::optional<double> Potential::effective_rows(std::span<const double>, Scratch&) const { return std::nullopt; }

bool Potential::hessian_diagonal(std::span<const double>, std::span<double>, Scratch&) const { return false; }

void Potential::hide_small_pairs(std::span<double>) const {}

double Potential::row_curvature(std::span<const double> at, Scratch& scratch) const {
  constexpr int kTurns = 30;  // of power iteration
  Scratch::Frame frame(scratch);
  const std::span<double> v = scratch.take<double>(dimension()), next = scratch.take<double>(dimension());
  for (std::size_t j = 0; j < v.size(); ++j) v[j] = 1 + 0.1 * static_cast<double>(j % 7);
  double norm = 0;
  for (int turn = 0; turn < kTurns; ++turn) {
    math::scale(1 / std::sqrt(math::squared_norm(v)), v);
    curvature(at, v, next, scratch);
    norm = std::sqrt(math::squared_norm(next));
    if (norm == 0) return 0;
    std::ranges::copy(next, v.begin());
  }
  return norm;
}

void Potential::varied_rows(std::span<const double> theta, std::span<const std::uint32_t> rows, const Stream&,
                            std::span<double> out, Scratch& scratch) const {
  gradient_rows(theta, rows, out, scratch);
}

void Potential::clipped_rows(std::span<const double> theta, std::span<const std::uint32_t> rows, double clip,
                             std::span<double> out, Scratch& scratch) const {
  Scratch::Frame frame(scratch);
  const std::span<double> one = scratch.take<double>(dimension());
  std::ranges::fill(out, 0.0);
  for (const std::uint32_t row : rows) {
    gradient_rows(theta, {&row, 1}, one, scratch);
    const double norm = std::sqrt(math::squared_norm(one));
    math::axpy(norm > clip ? clip / norm : 1.0, one, out);
  }
}

void Potential::difference_rows(std::span<const double> theta, std::span<const double> anchor,
                                std::span<const std::uint32_t> rows, std::span<double> out, Scratch& scratch) const {
  Scratch::Frame frame(scratch);
  const std::span<double> at_anchor = scratch.take<double>(dimension());
  gradient_rows(anchor, rows, at_anchor, scratch);
  gradient_rows(theta, rows, out, scratch);
  math::subtract(out, at_anchor, out);
}

void Potential::difference(const ConstPanelView& theta, const ConstPanelView& anchor, const PanelView& out,
                           Scratch& scratch) const {
  Scratch::Frame frame(scratch);
  const PanelView at_anchor = scratch.panel(out.rows, out.columns);
  gradient(anchor, at_anchor, scratch);
  gradient(theta, out, scratch);
  for (Index c = 0; c < out.columns; ++c) math::subtract(out.column(c), at_anchor.column(c), out.column(c));
}

std::unique_ptr<Potential> make_potential(const ModelSpec& spec, const Observations& observations, double scale) {
  check_targets(spec, observations);
  return spec.family->make(spec, observations, scale);
}

}  // namespace pollen
