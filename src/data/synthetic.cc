// Generators of synthetic data.
//
// Random numbers have fixed addresses, which are a contract: the purpose is synthetic and the client is i; round 0
// draws the client's size, round 1 its parameters, round 2 its rows, round 3 the noise of its targets. Client
// 0xffffffff, which no federation has, stands for what all clients share.
#include <fmt/format.h>

#include <cmath>
#include <span>
#include <utility>

#include "builtin.h"
#include "data/phrases.h"
#include "math/math.h"
#include "pollen/errors.h"
#include "pollen/random.h"
#include "sources.h"

namespace pollen {

namespace data {

namespace {

constexpr int kSizes = 0;
constexpr int kParameters = 1;
constexpr int kRows = 2;
constexpr int kNoise = 3;
constexpr std::uint32_t kShared = 0xffffffff;

Stream address(std::uint64_t seed, std::uint32_t client, int round) {
  Stream stream = make_stream(seed, 0, Purpose::synthetic);
  stream.client = client;
  stream.round = static_cast<std::uint64_t>(round);
  return stream;
}

// Returns a maker if a table of `cells` numbers is too large to be held beside its encoded copy, otherwise null.
std::shared_ptr<RowMaker> maker_for(Index cells, RowMaker::Make make) {
  constexpr Index kMostHeld = Index{1} << 25;  // 256 MiB
  return cells > kMostHeld ? std::make_shared<RowMaker>(std::move(make)) : nullptr;
}

// Adds a client, named by its index counted from 1. x holds `rows` rows of `width` numbers, or is empty if there is a
// maker.
void add_client(RawTable& table, const std::shared_ptr<RowMaker>& maker, Long<double> x, std::size_t rows,
                Index width) {
  const auto source = static_cast<std::uint32_t>(table.files.size());
  table.files.push_back(fmt::format("{}", source + 1));
  for (std::uint32_t r = 0; r < rows; ++r) table.rows.push_back({source, r, r + 1});
  if (maker)
    table.add_block(width, MadeRows{maker, source});
  else
    table.add_block(width, DenseRows{std::move(x)});
}

std::size_t draw_size(const DataSpec& spec, std::uint64_t seed, std::uint32_t client) {
  Sequence sequence(address(seed, client, kSizes));
  return static_cast<std::size_t>(spec.min_size) +
         static_cast<std::size_t>(sequence.below(static_cast<std::uint64_t>(spec.max_size - spec.min_size) + 1));
}

// The law of a client's rows: shift_j + spread_j·z.
struct ClientLaw {
  std::vector<double> shift;
  std::vector<double> spread;
};

Long<double> draw_rows(const ClientLaw& law, std::size_t rows, const Stream& stream) {
  const std::size_t d = law.shift.size();
  Long<double> x(rows * d);
  normals(stream, x);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t j = 0; j < d; ++j) x[r * d + j] = law.shift[j] + law.spread[j] * x[r * d + j];
  return x;
}

// Scores two classes at x; class 1 wins if its score is larger.
struct Classifier {
  std::vector<double> weights;  // 2 × d
  double bias[2] = {0.0, 0.0};

  double label(const double* x) const {
    const std::size_t d = weights.size() / 2;
    const double zero = bias[0] + math::dot({weights.data(), d}, {x, d});
    const double one = bias[1] + math::dot({weights.data() + d, d}, {x, d});
    return one > zero ? 1.0 : 0.0;
  }
};

// What SYNTHETIC(α, β) draws for a client before its rows.
struct LogisticClient {
  Classifier classifier;
  ClientLaw law;
};

LogisticClient draw_client(const DataSpec& spec, std::uint64_t seed, std::uint32_t i) {
  const auto d = static_cast<std::size_t>(spec.dimension);
  std::vector<double> z(4 + 3 * d);  // holds u, B, two biases, W and v
  normals(address(seed, i, kParameters), z);
  const double u = std::sqrt(spec.alpha) * z[0];
  const double b = std::sqrt(spec.beta) * z[1];
  LogisticClient client{{std::vector<double>(2 * d), {u + z[2], u + z[3]}},
                        {std::vector<double>(d), std::vector<double>(d)}};
  for (std::size_t k = 0; k < 2 * d; ++k) client.classifier.weights[k] = u + z[4 + k];
  for (std::size_t j = 0; j < d; ++j) client.law.shift[j] = b + z[4 + 2 * d + j];
  for (std::size_t j = 0; j < d; ++j) client.law.spread[j] = math::exp(-0.6 * math::log(static_cast<double>(j + 1)));
  return client;
}

// synthetic-mixed is the linear mixed model of Collins et al. 2021, "Exploiting Shared Representations for Personalized
// Federated Learning", as in FedPop's synthetic experiment with many clients of few rows.

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

RawTable synthetic_gaussian(const DataSpec& spec, std::uint64_t seed) {
  check_dense(*spec.clients * spec.max_size, spec.dimension, spec.most_cells, "synthetic-gaussian");
  RawTable table;
  const RowMaker::Make make = [spec, seed](std::uint32_t i) {
    const auto d = static_cast<std::size_t>(spec.dimension);
    ClientLaw law{std::vector<double>(d), std::vector<double>(d, 1.0)};
    normals(address(seed, i, kParameters), law.shift);
    for (double& mean : law.shift) mean *= *spec.heterogeneity;
    return draw_rows(law, draw_size(spec, seed, i), address(seed, i, kRows));
  };
  const auto maker = maker_for(*spec.clients * spec.max_size * spec.dimension, make);
  for (std::uint32_t i = 0; i < *spec.clients; ++i)
    add_client(table, maker, maker ? Long<double>() : make(i), draw_size(spec, seed, i), spec.dimension);
  return table;
}

RawTable synthetic_logistic(const DataSpec& spec, std::uint64_t seed) {
  check_dense(*spec.clients * spec.max_size, spec.dimension, spec.most_cells, "synthetic-logistic");
  RawTable table;
  table.columns.emplace_back().name = "label";
  const auto d = static_cast<std::size_t>(spec.dimension);
  const auto rows_of = [spec, seed](const LogisticClient& client, std::uint32_t i) {
    return draw_rows(client.law, draw_size(spec, seed, i), address(seed, i, kRows));
  };
  const auto maker = maker_for(*spec.clients * spec.max_size * spec.dimension,
                               [=](std::uint32_t i) { return rows_of(draw_client(spec, seed, i), i); });
  for (std::uint32_t i = 0; i < *spec.clients; ++i) {
    const LogisticClient client = draw_client(spec, seed, i);
    Long<double> x = rows_of(client, i);
    const std::size_t rows = x.size() / d;
    for (std::size_t r = 0; r < rows; ++r) table.columns[0].add_number(client.classifier.label(x.data() + r * d));
    add_client(table, maker, std::move(x), rows, spec.dimension);
  }
  return table;
}

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
