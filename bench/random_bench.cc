// Times random words, uniforms, normals and subsets by size. An item is one number made.
#include <benchmark/benchmark.h>

#include <vector>

#include "pollen/random.h"

namespace {

using namespace pollen;

const Stream kStream = make_stream(1, 0, Purpose::noise);

void BM_RandomWords(benchmark::State& state) {
  std::vector<std::uint32_t> out(static_cast<std::size_t>(state.range(0)));
  Stream stream = kStream;
  for (auto _ : state) {
    ++stream.round;
    random_words(stream, out);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_RandomWords)->Arg(4)->Arg(50)->Arg(1000)->Arg(32768);

template <class Fill>
void fill_doubles(benchmark::State& state, Fill fill) {
  std::vector<double> out(static_cast<std::size_t>(state.range(0)));
  Stream stream = kStream;
  for (auto _ : state) {
    ++stream.round;
    fill(stream, out);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
void BM_Uniforms(benchmark::State& state) {
  fill_doubles(state, [](const Stream& stream, std::vector<double>& out) { uniforms(stream, out); });
}
BENCHMARK(BM_Uniforms)->Arg(50)->Arg(32768);

void BM_Normals(benchmark::State& state) {
  fill_doubles(state, [](const Stream& stream, std::vector<double>& out) { normals(stream, out); });
}
BENCHMARK(BM_Normals)->Arg(2)->Arg(50)->Arg(1000)->Arg(32768);

void BM_Floyd(benchmark::State& state) {
  std::vector<std::uint32_t> out;
  Stream stream = kStream;
  for (auto _ : state) {
    ++stream.round;
    Sequence sequence(stream);
    sample_without_replacement(sequence, static_cast<std::uint32_t>(state.range(0)),
                               static_cast<std::uint32_t>(state.range(1)), out);
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(state.iterations() * state.range(1));
}
BENCHMARK(BM_Floyd)->Args({200, 20})->Args({60000, 20})->Args({60000, 600})->Args({1000000, 1000})->Args({100, 90});

void BM_BernoulliSubset(benchmark::State& state) {
  std::vector<std::uint32_t> out;
  Stream stream = kStream;
  for (auto _ : state) {
    ++stream.round;
    Sequence sequence(stream);
    bernoulli_subset(sequence, 100000, 0.01, out);
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(state.iterations() * 1000);
}
BENCHMARK(BM_BernoulliSubset);

void BM_Gamma(benchmark::State& state) {
  Sequence sequence(kStream);
  for (auto _ : state) benchmark::DoNotOptimize(sequence.gamma(0.5));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_Gamma);

}  // namespace

BENCHMARK_MAIN();
