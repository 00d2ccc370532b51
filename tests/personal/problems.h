// Small mixed-effects problems whose tables the tests own.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "personal/personal.h"
#include "pollen/archive.h"
#include "pollen/random.h"
#include "round/engine.h"

namespace pollen::testing {

struct MixedTables {
  MixedSpec spec;
  std::vector<AlignedVector<double>> fixed, random;  // row-major, padded rows; mixed-linear has one table for both
  std::vector<std::vector<double>> y;
  std::vector<std::unique_ptr<PersonalPotential>> potentials;

  Index clients() const { return static_cast<Index>(y.size()); }
  math::RowsView view(const AlignedVector<double>& table, std::size_t columns, std::size_t rows) const {
    const auto width = static_cast<Index>(columns);
    return {table.data(), static_cast<Index>(rows), width, padded(width)};
  }
  MixedRows rows(std::size_t i) const {
    const bool linear = spec.kind == MixedKind::linear;
    const std::size_t n = y[i].size(), width = linear ? spec.fixed.size() : spec.random.size();
    return {view(fixed[i], spec.fixed.size(), n), view(linear ? fixed[i] : random[i], width, n), y[i].data()};
  }
  std::vector<const PersonalPotential*> pointers() const {
    std::vector<const PersonalPotential*> out;
    for (const auto& p : potentials) out.push_back(p.get());
    return out;
  }
};

// Client i has 3 + i mod 4 rows of standard normal columns (the first random column is an intercept where `intercept`),
// with z_i ~ N(0.5, 0.8²), φ of ±0.5 and noise of sd 0.7; labels for mixed-logistic.
inline std::unique_ptr<MixedTables> make_mixed_tables(MixedKind kind, Index clients, Index fixed, Index latent,
                                                      std::optional<double> noise_sd, std::uint64_t seed = 5) {
  auto out = std::make_unique<MixedTables>();
  out->spec.kind = kind;
  out->spec.latent = latent;
  out->spec.noise_sd = noise_sd;
  for (Index j = 0; j < fixed; ++j) out->spec.fixed.push_back(fmt::format("a{}", j + 1));
  if (kind != MixedKind::linear)
    for (Index j = 0; j < latent; ++j)
      out->spec.random.push_back(j == 0 ? std::string("intercept") : fmt::format("b{}", j));
  Sequence draws(make_stream(seed, 0, Purpose::synthetic));
  const auto fill = [&](std::size_t rows, Index columns, bool intercept) {
    AlignedVector<double> table(rows * static_cast<std::size_t>(padded(columns)), 0.0);
    for (std::size_t r = 0; r < rows; ++r)
      for (Index j = 0; j < columns; ++j)
        table[r * static_cast<std::size_t>(padded(columns)) + static_cast<std::size_t>(j)] =
            intercept && j == 0 ? 1.0 : draws.normal();
    return table;
  };
  std::vector<double> shared;
  for (Index j = 0; j < out->spec.shared(); ++j) shared.push_back(j % 2 == 0 ? 0.5 : -0.5);
  if (out->spec.samples_noise()) shared.back() = std::log(0.7);
  for (Index i = 0; i < clients; ++i) {
    const auto rows = static_cast<std::size_t>(3 + i % 4);
    out->fixed.push_back(fill(rows, fixed, false));
    out->random.push_back(fill(rows, latent, true));
    out->y.emplace_back(rows, 0.0);
  }
  Scratch scratch;
  for (std::size_t i = 0; i < out->y.size(); ++i) {
    std::vector<double> z;
    for (Index j = 0; j < latent; ++j) z.push_back(0.5 + 0.8 * draws.normal());
    mixed_response(out->spec, shared, z, out->rows(i), out->y[i], scratch);
    for (double& y : out->y[i])
      y = kind == MixedKind::logistic ? (draws.uniform() < y ? 1.0 : 0.0) : y + 0.7 * draws.normal();
    out->potentials.push_back(make_mixed(out->spec, out->rows(i)));
  }
  return out;
}

// All chains at one place.
inline void start_at(Engine& engine, const std::vector<double>& at, Index chains) {
  Panel start(static_cast<Index>(at.size()), chains);
  for (Index c = 0; c < chains; ++c) std::ranges::copy(at, start.column(c).begin());
  engine.start(start);
}

// Through bytes.
inline void carry_over(Engine& from, Engine& to) {
  Archive out;
  from.archive(out);
  const Bytes bytes = out.take();
  Archive in{ByteView(bytes)};
  to.archive(in);
  in.finish();
}

// ∂value/∂x by central differences; x is where value() reads it.
template <class Value>
double slope(double& x, const Value& value, double h = 1e-6) {
  const double at = x;
  x = at + h;
  const double above = value();
  x = at - h;
  const double below = value();
  x = at;
  return (above - below) / (2 * h);
}

}  // namespace pollen::testing
