// Draws from the linear mixed model of Collins et al. 2021, "Exploiting Shared Representations for Personalized
// Federated Learning", as in FedPop's synthetic experiment with many clients of few rows.
#include <fmt/format.h>

#include <cmath>
#include <span>

#include "builtin.h"
#include "dense_limit.h"
#include "math/math.h"
#include "phrases.h"
#include "sources.h"
#include "synthetic.h"

namespace pollen {

namespace data {

namespace {

using namespace synthetic;

Index small_clients(const DataSpec& spec) {
  return static_cast<Index>(std::llround(spec.small_share * static_cast<double>(*spec.clients)));
}

// Replaces the columns by the Q of their QR factorisation, where R has a positive diagonal. Modified Gram-Schmidt runs
// twice, so that nearly parallel columns lose no digits.
void orthonormalise(std::span<double> columns, std::size_t k) {
  const std::size_t d = columns.size() / k;
  for (std::size_t j = 0; j < d; ++j) {
    const std::span<double> column = columns.subspan(j * k, k);
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t i = 0; i < j; ++i) {
        const std::span<const double> before = columns.subspan(i * k, k);
        math::axpy(-math::dot(before, column), before, column);
      }
    }
    math::scale(1.0 / std::sqrt(math::squared_norm(column)), column);
  }
}

MixedTruth draw_truth(const DataSpec& spec, std::uint64_t seed) {
  const auto k = static_cast<std::size_t>(spec.dimension);
  const auto d = static_cast<std::size_t>(spec.latent_dimension);
  const auto clients = static_cast<std::uint32_t>(*spec.clients);
  const Index small = small_clients(spec);
  check_dense(small * spec.min_size + (*spec.clients - small) * spec.max_size, spec.dimension, spec.most_cells,
              "synthetic-mixed");
  check_dense(spec.dimension, spec.latent_dimension, spec.most_cells, "synthetic-mixed: Phi");
  MixedTruth truth{std::vector<double>(k * d), std::vector<double>(clients * d)};
  normals(address(seed, kShared, kParameters), truth.phi);
  orthonormalise(truth.phi, k);
  for (std::uint32_t i = 0; i < clients; ++i)
    normals(address(seed, i, kParameters), std::span(truth.z).subspan(i * d, d));
  math::scale(*spec.heterogeneity, truth.z);
  return truth;
}

// Returns Φz.
std::vector<double> coefficients(std::span<const double> phi, std::span<const double> z) {
  const std::size_t k = phi.size() / z.size();
  std::vector<double> out(k);
  for (std::size_t j = 0; j < z.size(); ++j) math::axpy(z[j], phi.subspan(j * k, k), out);
  return out;
}

}  // namespace

RawTable synthetic_mixed(const DataSpec& spec, std::uint64_t seed) {
  const MixedTruth truth = draw_truth(spec, seed);
  const auto k = static_cast<std::size_t>(spec.dimension);
  const auto d = static_cast<std::size_t>(spec.latent_dimension);
  const Index small = small_clients(spec);
  RawTable table;
  table.columns.emplace_back().name = kMixedTarget;
  const auto rows_of = [spec, seed, small](std::uint32_t i) {
    Long<double> x(static_cast<std::size_t>((i < small ? spec.min_size : spec.max_size) * spec.dimension));
    normals(address(seed, i, kRows), x);
    return x;
  };
  const auto maker =
      maker_for((small * spec.min_size + (*spec.clients - small) * spec.max_size) * spec.dimension, rows_of);
  for (std::uint32_t i = 0; i < *spec.clients; ++i) {
    const auto rows = static_cast<std::size_t>(i < small ? spec.min_size : spec.max_size);
    Long<double> x = rows_of(i);
    std::vector<double> noise(rows);
    normals(address(seed, i, kNoise), noise);
    const std::vector<double> slope = coefficients(truth.phi, std::span(truth.z).subspan(i * d, d));
    for (std::size_t r = 0; r < rows; ++r)
      table.columns[0].add_number(math::dot({x.data() + r * k, k}, slope) + spec.noise_sd * noise[r]);
    add_client(table, maker, std::move(x), rows, spec.dimension);
  }
  return table;
}

}  // namespace data

MixedTruth synthetic_mixed_truth(const DataSpec& asked, std::uint64_t seed) {
  const DataSpec spec = with_defaults(asked);
  data::check_spec(spec, TargetKind::real, "");
  if (spec.sources.front() != "synthetic-mixed")
    throw ConfigError(data::key("", "source"),
                      fmt::format("found \"{}\", accepted: synthetic-mixed", spec.sources.front()));
  return data::draw_truth(spec, seed);
}

}  // namespace pollen
