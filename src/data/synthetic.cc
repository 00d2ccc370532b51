#include "synthetic.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "builtin.h"
#include "dense_limit.h"
#include "math/math.h"

namespace pollen::data {

namespace synthetic {

Stream address(std::uint64_t seed, std::uint32_t client, int round) {
  Stream stream = make_stream(seed, 0, Purpose::synthetic);
  stream.client = client;
  stream.round = static_cast<std::uint64_t>(round);
  return stream;
}

std::shared_ptr<RowMaker> maker_for(Index cells, RowMaker::Make make) {
  constexpr Index kMostHeld = Index{1} << 25;  // 256 MiB
  return cells > kMostHeld ? std::make_shared<RowMaker>(std::move(make)) : nullptr;
}

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

}  // namespace synthetic

namespace {

using namespace synthetic;

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

}  // namespace pollen::data
