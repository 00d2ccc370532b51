// Times the vector functions and the matrix products. The products run over a whole table in blocks of 128 rows, as the
// models call them; `pair` is the product and the transposed product of each block.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

#include "math/math.h"
#include "pollen/random.h"

namespace {

using namespace pollen;

AlignedVector<double> numbers(Index count, std::uint32_t client) {
  AlignedVector<double> out(static_cast<std::size_t>(count));
  Stream stream = make_stream(1, 0, Purpose::synthetic);
  stream.client = client;
  normals(stream, out);
  return out;
}

struct Problem {
  Problem(Index rows, Index features, Index columns)
      : table(numbers(rows * padded(features), 0)),
        x{table.data(), rows, features, padded(features)},
        theta(features, columns),
        gradient(features, columns),
        z(kBlock, columns) {
    normals(make_stream(2, 0, Purpose::synthetic), theta.flat());
    normals(make_stream(3, 0, Purpose::synthetic), z.flat());
  }
  static constexpr Index kBlock = 128;
  AlignedVector<double> table;
  RowsView x;
  Panel theta, gradient, z;
};

enum Part { kMultiply = 1, kTransposed = 2, kBoth = 3 };

template <Part part>
void BM_Product(benchmark::State& state) {
  Problem p(state.range(0), state.range(1), state.range(2));
  for (auto _ : state) {
    for (Index r = 0; r < p.x.rows; r += Problem::kBlock) {
      const RowsView block = p.x.slice(r, std::min(Problem::kBlock, p.x.rows - r));
      PanelView z = p.z;
      z.rows = block.rows;
      if (part & kMultiply) math::multiply(block, p.theta, z);
      if (part & kTransposed) math::multiply_transposed_add(block, z, p.gradient);
    }
    benchmark::ClobberMemory();
  }
  const double products = part == kBoth ? 2.0 : 1.0;
  const auto entries = static_cast<double>(p.x.rows) * static_cast<double>(p.x.columns);
  const auto turns = static_cast<double>(state.iterations());
  const double flops = turns * entries * 2.0 * products * static_cast<double>(state.range(2));
  state.counters["FLOP/s"] = benchmark::Counter(flops, benchmark::Counter::kIsRate);
  state.counters["B/s"] = benchmark::Counter(turns * entries * 8.0, benchmark::Counter::kIsRate);
}

void sizes(benchmark::internal::Benchmark* b) {
  for (const int columns : {1, 4, 30}) {
    b->Args({60000, 785, columns})->Args({32561, 124, columns})->Args({1000, 50, columns})->Args({16, 20, columns});
  }
}
BENCHMARK(BM_Product<kMultiply>)->Apply(sizes);
BENCHMARK(BM_Product<kTransposed>)->Apply(sizes);
BENCHMARK(BM_Product<kBoth>)->Apply(sizes);

template <void (*function)(std::span<const double>, std::span<double>)>
void BM_Elementwise(benchmark::State& state) {
  const auto x = numbers(state.range(0), 1);
  AlignedVector<double> out(x.size());
  for (auto _ : state) {
    function(x, out);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_Elementwise<math::exp>)->Arg(50)->Arg(4096);
BENCHMARK(BM_Elementwise<math::log>)->Arg(50)->Arg(4096);
BENCHMARK(BM_Elementwise<math::sigmoid>)->Arg(50)->Arg(4096);
BENCHMARK(BM_Elementwise<math::softplus>)->Arg(50)->Arg(4096);

void BM_Dot(benchmark::State& state) {
  const auto x = numbers(state.range(0), 1);
  for (auto _ : state) benchmark::DoNotOptimize(math::dot(x, x));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_Dot)->Arg(2)->Arg(50)->Arg(785)->Arg(4096);

void BM_LangevinStep(benchmark::State& state) {
  auto x = numbers(state.range(0), 1);
  const auto g = numbers(state.range(0), 2);
  const auto z = numbers(state.range(0), 3);
  for (auto _ : state) benchmark::DoNotOptimize(math::langevin_step(x, g, z, 1e-9, 1e-9));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_LangevinStep)->Arg(50)->Arg(785)->Arg(4096);

}  // namespace

BENCHMARK_MAIN();
