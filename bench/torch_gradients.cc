// Measures milliseconds per gradient of each network over libtorch, and the time to load the module.
//   torch_gradients [cpu|cuda] [rows] [kind]      on cuda also the largest difference from the CPU's gradient
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <string>
#include <vector>

#include "network/network.h"
#include "torch_problems.h"

namespace {

using namespace pollen::bench;

// Returns the processor time of this thread, which a busy machine does not stretch.
double cpu() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
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
