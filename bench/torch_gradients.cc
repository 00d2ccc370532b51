// Milliseconds per gradient of each network over libtorch, and the time to load the module.
//   torch_gradients [cpu|cuda] [rows] [kind]      on cuda also the largest difference from the CPU's gradient
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "pollen/network.h"

namespace {

double wall() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// This thread's own time, which a busy machine does not stretch.
double cpu() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::vector<pollen::NetworkSpec> networks() {
  pollen::NetworkSpec mlp, lenet, cnn, resnet;
  mlp.height = mlp.width = lenet.height = lenet.width = 28;
  mlp.hidden = {100};
  lenet.kind = "lenet5";
  cnn.kind = "cnn5";
  cnn.channels = 3;
  cnn.height = cnn.width = 32;
  resnet = cnn;
  resnet.kind = "resnet20";
  std::vector<pollen::NetworkSpec> all = {mlp, lenet, cnn};
  for (const char* norm : {"frn", "group", "batch"}) {
    resnet.norm = norm;
    all.push_back(resnet);
  }
  for (pollen::NetworkSpec& spec : all) spec.outputs = 10;
  return all;
}

std::vector<float> numbers(std::int64_t count, float spread, unsigned seed) {
  std::minstd_rand bits(seed);
  std::vector<float> v(static_cast<std::size_t>(count));
  for (float& x : v) x = spread * (2 * static_cast<float>(bits()) / static_cast<float>(bits.max()) - 1);
  return v;
}

struct Problem {
  std::vector<float> x, y, theta;
};

Problem problem_of(const pollen::Network& network, std::int64_t rows) {
  Problem p{numbers(rows * network.spec().inputs(), 1, 1), {}, numbers(network.dimension(), 1, 2)};
  for (std::int64_t j = 0; j < rows; ++j) p.y.push_back(static_cast<float>(j % network.spec().outputs));
  for (const pollen::NetworkTensor& t : network.tensors())
    for (std::int64_t i = t.offset; i < t.offset + t.size; ++i)
      p.theta[static_cast<std::size_t>(i)] = t.center + t.spread * p.theta[static_cast<std::size_t>(i)];
  return p;
}

void measure(const pollen::NetworkSpec& spec, std::int64_t rows) {
  const auto network = pollen::make_torch_network(spec);
  const Problem p = problem_of(*network, rows);
  std::vector<float> g(p.theta.size());
  const auto held = network->hold(p.x.data(), p.y.data(), rows);
  double loss = 0;
  const auto once = [&] { loss = network->loss(*held, nullptr, rows, p.theta.data(), g.data()); };
  for (int i = 0; i < 3; ++i) once();
  std::vector<double> times, cpu_times;
  for (const double start = wall(); times.size() < 5 || (wall() < start + 3 && times.size() < 500);) {
    const double wall_before = wall(), cpu_before = cpu();
    once();
    times.push_back(wall() - wall_before);
    cpu_times.push_back(cpu() - cpu_before);
  }
  std::sort(times.begin(), times.end());
  std::sort(cpu_times.begin(), cpu_times.end());
  fmt::print("{:9} {:6} d = {:7}  loss {:.6f}  median {:8.3f} ms, of CPU {:8.3f} (least {:.3f})", spec.kind,
             spec.kind == "resnet20" ? spec.norm : "", p.theta.size(), loss, 1e3 * times[times.size() / 2],
             1e3 * cpu_times[cpu_times.size() / 2], 1e3 * cpu_times.front());
  const std::vector<float> before = g;
  once();
  fmt::print("  {} bits again", g == before ? "same" : "OTHER");
  if (spec.device == "cuda") {
    pollen::NetworkSpec on_cpu = spec;
    on_cpu.device = "cpu";
    const auto other = pollen::make_torch_network(on_cpu);
    std::vector<float> expected(g.size());
    const double cpu_loss =
        other->loss(*other->hold(p.x.data(), p.y.data(), rows), nullptr, rows, p.theta.data(), expected.data());
    double off = 0, norm = 0;
    for (std::size_t i = 0; i < g.size(); ++i) {
      off += std::pow(static_cast<double>(g[i]) - static_cast<double>(expected[i]), 2);
      norm += std::pow(static_cast<double>(expected[i]), 2);
    }
    fmt::print("  from the CPU's: loss {:.1e}, gradient {:.1e} of its norm", std::abs(loss - cpu_loss) / cpu_loss,
               std::sqrt(off / norm));
  }
  fmt::print("\n");
}

}  // namespace

int main(int count, char** words) {
  const std::string device = count > 1 ? words[1] : "cpu";
  const std::int64_t rows = count > 2 ? std::stoll(words[2]) : 64;
  const double start = wall();
  pollen::make_torch_network({});
  fmt::print("{} rows on {}; the module loads in {:.2f} s\n", rows, device, wall() - start);
  for (pollen::NetworkSpec spec : networks()) {
    if (count > 3 && spec.kind != words[3]) continue;
    spec.device = device;
    measure(spec, rows);
  }
}
