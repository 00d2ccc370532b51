#include "data/synthetic.h"

#include <fmt/format.h>

#include <cmath>

#include "data/builtin.h"
#include "data/dense_limit.h"
#include "pollen/math.h"

namespace pollen::data {

namespace synthetic {

Stream address(std::uint64_t seed, std::uint32_t client, int round) {
  Stream stream = make_stream(seed, 0, Purpose::synthetic);
  stream.client = client;
  stream.round = static_cast<std::uint64_t>(round);
  return stream;
}

void add_client(RawTable& table, std::vector<double> x, std::size_t rows, Index width) {
  const auto source = static_cast<std::uint32_t>(table.files.size());
  table.files.push_back(fmt::format("{}", source + 1));
  for (std::uint32_t r = 0; r < rows; ++r) table.rows.push_back({source, r, r + 1});
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

// A client's rows are shift_j + spread_j·z.
struct ClientLaw {
  std::vector<double> shift;
  std::vector<double> spread;
};

std::vector<double> draw_rows(const ClientLaw& law, std::size_t rows, const Stream& stream) {
  const std::size_t d = law.shift.size();
  std::vector<double> x(rows * d);
  normals(stream, x);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t j = 0; j < d; ++j) x[r * d + j] = law.shift[j] + law.spread[j] * x[r * d + j];
  return x;
}

// The two classes' scores at x; class 1 where its score is the larger.
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

}  // namespace

RawTable synthetic_gaussian(const DataSpec& spec, std::uint64_t seed) {
  check_dense(*spec.clients * spec.max_size, spec.dimension, spec.most_cells, "synthetic-gaussian");
  RawTable table;
  const auto d = static_cast<std::size_t>(spec.dimension);
  for (std::uint32_t i = 0; i < *spec.clients; ++i) {
    ClientLaw law{std::vector<double>(d), std::vector<double>(d, 1.0)};
    normals(address(seed, i, kParameters), law.shift);
    for (double& mean : law.shift) mean *= *spec.heterogeneity;
    const std::size_t rows = draw_size(spec, seed, i);
    add_client(table, draw_rows(law, rows, address(seed, i, kRows)), rows, spec.dimension);
  }
  return table;
}

RawTable synthetic_logistic(const DataSpec& spec, std::uint64_t seed) {
  check_dense(*spec.clients * spec.max_size, spec.dimension, spec.most_cells, "synthetic-logistic");
  RawTable table;
  table.columns.emplace_back().name = "label";
  const auto d = static_cast<std::size_t>(spec.dimension);
  std::vector<double> spread(d);
  for (std::size_t j = 0; j < d; ++j) spread[j] = math::exp(-0.6 * math::log(static_cast<double>(j + 1)));
  for (std::uint32_t i = 0; i < *spec.clients; ++i) {
    std::vector<double> z(4 + 3 * d);  // u, B, two biases, W, v
    normals(address(seed, i, kParameters), z);
    const double u = std::sqrt(spec.alpha) * z[0];
    const double b = std::sqrt(spec.beta) * z[1];
    Classifier classifier{std::vector<double>(2 * d), {u + z[2], u + z[3]}};
    for (std::size_t k = 0; k < 2 * d; ++k) classifier.weights[k] = u + z[4 + k];
    ClientLaw law{std::vector<double>(d), spread};
    for (std::size_t j = 0; j < d; ++j) law.shift[j] = b + z[4 + 2 * d + j];
    const std::size_t rows = draw_size(spec, seed, i);
    std::vector<double> x = draw_rows(law, rows, address(seed, i, kRows));
    for (std::size_t r = 0; r < rows; ++r) table.columns[0].add_number(classifier.label(x.data() + r * d));
    add_client(table, std::move(x), rows, spec.dimension);
  }
  return table;
}

}  // namespace pollen::data
