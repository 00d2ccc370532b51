// Compares gradients of potentials with the machine's limits: reading the same table once (`of_read`), and fused
// multiply-adds that never leave the registers (`of_peak`). Both are 1 for a perfect kernel. Times are the best of
// several runs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "../bench/model_bench.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
//
#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <cmath>

#include "hwy/highway.h"
#include "pollen/model.h"

HWY_BEFORE_NAMESPACE();
namespace pollen::bench {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Reads everything once, with eight independent sums.
double ReadAll(const double* x, std::size_t count) {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d), step = 8 * lanes;
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
  for (std::size_t i = 0; i + step <= count; i += step) {
    s0 = hn::Add(s0, hn::LoadU(d, x + i));
    s1 = hn::Add(s1, hn::LoadU(d, x + i + lanes));
    s2 = hn::Add(s2, hn::LoadU(d, x + i + 2 * lanes));
    s3 = hn::Add(s3, hn::LoadU(d, x + i + 3 * lanes));
    s4 = hn::Add(s4, hn::LoadU(d, x + i + 4 * lanes));
    s5 = hn::Add(s5, hn::LoadU(d, x + i + 5 * lanes));
    s6 = hn::Add(s6, hn::LoadU(d, x + i + 6 * lanes));
    s7 = hn::Add(s7, hn::LoadU(d, x + i + 7 * lanes));
  }
  const auto all = hn::Add(hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)), hn::Add(hn::Add(s4, s5), hn::Add(s6, s7)));
  return hn::GetLane(hn::SumOfLanes(d, all));
}

// Runs `turns` rounds of twelve independent chains of fused multiply-adds, which start at different values so that the
// compiler cannot drop any. Returns the number of flops.
double Fuse(std::size_t turns, double* sink) {
  const hn::ScalableTag<double> d;
  const auto a = hn::Set(d, 0.999), b = hn::Set(d, 1e-3);
  const auto start = [&](double apart) HWY_ATTR { return hn::Set(d, *sink + apart); };
  auto s0 = start(0), s1 = start(1), s2 = start(2), s3 = start(3), s4 = start(4), s5 = start(5);
  auto s6 = start(6), s7 = start(7), s8 = start(8), s9 = start(9), s10 = start(10), s11 = start(11);
  for (std::size_t i = 0; i < turns; ++i) {
    s0 = hn::MulAdd(s0, a, b), s1 = hn::MulAdd(s1, a, b), s2 = hn::MulAdd(s2, a, b), s3 = hn::MulAdd(s3, a, b);
    s4 = hn::MulAdd(s4, a, b), s5 = hn::MulAdd(s5, a, b), s6 = hn::MulAdd(s6, a, b), s7 = hn::MulAdd(s7, a, b);
    s8 = hn::MulAdd(s8, a, b), s9 = hn::MulAdd(s9, a, b), s10 = hn::MulAdd(s10, a, b), s11 = hn::MulAdd(s11, a, b);
  }
  const auto x = hn::Add(hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)), hn::Add(hn::Add(s4, s5), hn::Add(s6, s7)));
  *sink = hn::GetLane(hn::SumOfLanes(d, hn::Add(x, hn::Add(hn::Add(s8, s9), hn::Add(s10, s11)))));
  return static_cast<double>(turns * 24 * hn::Lanes(d));
}

}  // namespace HWY_NAMESPACE
}  // namespace pollen::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pollen::bench {
HWY_EXPORT(ReadAll);
HWY_EXPORT(Fuse);
namespace {

// Returns the processor time of this thread, which other programs on the machine do not affect.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Returns the time of the shortest of `tries` runs.
template <class Run>
double best_seconds(int tries, Run run) {
  double best = 1e300;
  for (int t = 0; t < tries; ++t) {
    const double start = thread_seconds();
    run();
    best = std::min(best, thread_seconds() - start);
  }
  return best;
}

double peak_flops() {
  double sink = 0.5, flops = 0.0;
  const double seconds = best_seconds(20, [&] { flops = HWY_DYNAMIC_DISPATCH(Fuse)(200000, &sink); });
  benchmark::DoNotOptimize(sink);
  return flops / seconds;
}

// A table of rows × features with targets for a model. The values matter only in that predictors stay moderate.
struct Table {
  AlignedVector<double> x;
  std::vector<double> y;
  ModelSpec spec;
  Observations observations;

  Table(const std::string& kind, Index rows, Index features, Index classes) : y(static_cast<std::size_t>(rows)) {
    const Index stride = padded(features);
    x.resize(static_cast<std::size_t>(rows * stride));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<double>(i % 8191));
    for (std::size_t r = 0; r < y.size(); ++r) y[r] = static_cast<double>(r % static_cast<std::size_t>(classes));
    spec.family = &model_family(kind);
    spec.features = features;
    spec.classes = classes;
    observations = {RowsView{x.data(), rows, features, stride}, y.data()};
  }
  double read_seconds() const {
    double sum = 0.0;
    const double seconds = best_seconds(5, [&] { sum += HWY_DYNAMIC_DISPATCH(ReadAll)(x.data(), x.size()); });
    benchmark::DoNotOptimize(sum);
    return seconds;
  }
};

Panel states(Index dimension, Index chains) {
  Panel theta(dimension, chains);
  for (std::size_t i = 0; i < theta.flat().size(); ++i) theta.flat()[i] = 0.02 * std::cos(static_cast<double>(i));
  return theta;
}

// Times full gradients. The arguments are rows, features, classes and chains.
void full_gradient(benchmark::State& state, const std::string& kind) {
  const Table table(kind, state.range(0), state.range(1), state.range(2));
  const auto u = make_potential(table.spec, table.observations);
  const Panel theta = states(u->dimension(), state.range(3));
  Panel g(u->dimension(), state.range(3));
  Scratch scratch;
  const double read = table.read_seconds(), peak = peak_flops();
  double best = 1e300;
  for (auto _ : state) {
    best = std::min(best, best_seconds(1, [&] { u->gradient(theta, g, scratch); }));
    benchmark::DoNotOptimize(g.flat().data());
  }
  const auto rows = static_cast<double>(state.range(0));
  const double flops = 4.0 * rows * static_cast<double>(u->dimension() * state.range(3));
  state.counters["best_ms"] = 1e3 * best;
  state.counters["of_read"] = read / best;
  state.counters["of_peak"] = flops / best / peak;
  state.counters["read_GB/s"] = 8e-9 * static_cast<double>(table.x.size()) / read;
  state.counters["peak_GF/s"] = 1e-9 * peak;
}
BENCHMARK_CAPTURE(full_gradient, logistic, "logistic")
    ->ArgNames({"rows", "features", "classes", "chains"})
    ->Args({32561, 124, 2, 1})
    ->Args({32561, 124, 2, 4})
    ->Args({32561, 124, 2, 30})
    ->Args({60000, 785, 2, 1})
    ->Args({60000, 785, 2, 30})
    ->Args({1000, 20, 2, 30})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(full_gradient, softmax, "softmax")
    ->ArgNames({"rows", "features", "classes", "chains"})
    ->Args({60000, 785, 10, 1})
    ->Args({6000, 785, 10, 30})
    ->Args({150, 5, 3, 4})
    ->Unit(benchmark::kMillisecond);

// Times minibatches of one chain. The arguments are chosen rows and features.
template <class Call>
void minibatch(benchmark::State& state, const std::string& kind, Call call) {
  const Table table(kind, 1000, state.range(1), kind == "softmax" ? 3 : 2);
  const auto u = make_potential(table.spec, table.observations);
  const Panel theta = states(u->dimension(), 2);
  std::vector<double> g(theta.column(0).size());
  std::vector<std::uint32_t> rows(static_cast<std::size_t>(state.range(0)));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::uint32_t>(i * 37 % 1000);
  Scratch scratch;
  for (auto _ : state) {
    call(*u, theta, rows, g, scratch);
    benchmark::DoNotOptimize(g.data());
  }
}
void gradient_rows(benchmark::State& state, const std::string& kind) {
  minibatch(state, kind, [](const Potential& u, const Panel& theta, auto& rows, auto& g, Scratch& scratch) {
    u.gradient_rows(theta.column(0), rows, g, scratch);
  });
}
void difference_rows(benchmark::State& state, const std::string& kind) {
  minibatch(state, kind, [](const Potential& u, const Panel& theta, auto& rows, auto& g, Scratch& scratch) {
    u.difference_rows(theta.column(0), theta.column(1), rows, g, scratch);
  });
}
void small_sizes(benchmark::internal::Benchmark* b) {
  b->ArgNames({"rows", "features"})->Args({1, 2})->Args({1, 50})->Args({10, 10})->Args({20, 50});
}
BENCHMARK_CAPTURE(gradient_rows, logistic, "logistic")->Apply(small_sizes);
BENCHMARK_CAPTURE(gradient_rows, softmax, "softmax")->Apply(small_sizes);
BENCHMARK_CAPTURE(difference_rows, logistic, "logistic")->Apply(small_sizes);
BENCHMARK_CAPTURE(difference_rows, softmax, "softmax")->Apply(small_sizes);
BENCHMARK_CAPTURE(difference_rows, linear_sigma, "linear")->Apply(small_sizes);

}  // namespace
}  // namespace pollen::bench

BENCHMARK_MAIN();
#endif  // HWY_ONCE
