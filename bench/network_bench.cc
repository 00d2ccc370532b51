// Times loss and gradient of the lean networks on one core: milliseconds per call and arithmetic operations per second.
// It counts the operations that the mathematics needs (including LeNet-5's padding, but not the gradient in the input).
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "network/network.h"

namespace {

using namespace pollen;

constexpr std::int64_t kRows = 4096;

struct Problem {
  explicit Problem(const NetworkSpec& spec) : network(make_lean_network(spec)) {
    std::mt19937 generator(1);
    const auto uniform = [&] { return static_cast<float>(generator()) * 0x1p-31f - 1.0f; };
    std::vector<float> x(static_cast<std::size_t>(kRows * spec.inputs())), y(kRows);
    for (float& v : x) v = uniform();
    for (float& v : y) v = static_cast<float>(generator() % static_cast<unsigned>(spec.outputs));
    held = network->hold(x.data(), y.data(), kRows);
    for (const NetworkTensor& t : network->tensors())
      for (std::int64_t i = 0; i < t.size; ++i) theta.push_back(t.spread * uniform());
    for (auto& r : rows) r = static_cast<std::uint32_t>(generator() % kRows);
    gradient.resize(theta.size());
  }
  std::unique_ptr<Network> network;
  std::unique_ptr<NetworkRows> held;
  std::vector<float> theta, gradient;
  std::vector<std::uint32_t> rows = std::vector<std::uint32_t>(kRows);
};

NetworkSpec lenet5() {
  NetworkSpec spec;
  spec.kind = "lenet5";
  spec.height = spec.width = 28;
  spec.outputs = 10;
  return spec;
}

NetworkSpec mlp(std::vector<std::int64_t> hidden, const char* activation) {
  NetworkSpec spec = lenet5();
  spec.kind = "mlp";
  spec.hidden = std::move(hidden);
  spec.activation = activation;
  return spec;
}

// Returns the multiplications and additions for one row, forward and backward.
double operations(const Network& network) {
  double sum = 0;
  for (const NetworkTensor& t : network.tensors()) {
    if (t.shape.size() == 1) continue;
    const double positions = t.name == "conv1.weight" ? 784 : t.name == "conv2.weight" ? 100 : 1;
    sum += 2.0 * static_cast<double>(t.size) * positions * (t.offset == 0 ? 2 : 3);
  }
  return sum;
}

enum Part { kLoss, kGradient, kClipped };

void run(benchmark::State& state, const NetworkSpec& spec, Part part) {
  Problem p(spec);
  const std::int64_t count = state.range(0);
  for (auto _ : state) {
    if (part == kClipped)
      p.network->clipped(*p.held, p.rows.data(), count, p.theta.data(), 0.1, p.gradient.data());
    else
      benchmark::DoNotOptimize(
          p.network->loss(*p.held, p.rows.data(), count, p.theta.data(), part == kLoss ? nullptr : p.gradient.data()));
    benchmark::ClobberMemory();
  }
  if (part == kLoss) return;
  const double all = static_cast<double>(state.iterations() * count) * operations(*p.network);
  state.counters["FLOP/s"] = benchmark::Counter(all, benchmark::Counter::kIsRate);
}

#define POLLEN_BENCH(name, spec, part) BENCHMARK_CAPTURE(run, name, spec, part)->Unit(benchmark::kMillisecond)
POLLEN_BENCH(lenet5_gradient, lenet5(), kGradient)->Arg(1)->Arg(16)->Arg(64)->Arg(4096);
POLLEN_BENCH(lenet5_clipped, lenet5(), kClipped)->Arg(64);
POLLEN_BENCH(lenet5_loss, lenet5(), kLoss)->Arg(64);
POLLEN_BENCH(mlp_100_gradient, mlp({100}, "relu"), kGradient)->Arg(1)->Arg(16)->Arg(64)->Arg(4096);
POLLEN_BENCH(mlp_100_tanh_gradient, mlp({100}, "tanh"), kGradient)->Arg(64);
POLLEN_BENCH(mlp_100_swish_gradient, mlp({100}, "swish"), kGradient)->Arg(64);
POLLEN_BENCH(softmax_gradient, mlp({}, "relu"), kGradient)->Arg(64);

}  // namespace

BENCHMARK_MAIN();
