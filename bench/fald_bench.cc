// Times FALD on Gaussian clients (b = 100, d = 20, full precision matrices, K = 10) on one thread. Usage: fald_bench
// CHAINS TAU SECONDS. Prints chain-iterations per second of CPU time.
#include <fmt/format.h>

#include "pollen/random.h"
#include "rate.h"

namespace {

std::string problem() {
  constexpr int b = 100, d = 20;
  std::string text = R"(
[model]
kind = "gaussian"
prior = "flat"
[sampler]
name = "fald"
local_steps = 10
step = 1e-3
[run]
iterations = 1000000000
burn_in = 999999999
[output]
lp = false
)";
  pollen::Sequence draws(pollen::make_stream(1994, 0, pollen::Purpose::synthetic));
  for (int i = 0; i < b; ++i) {
    double root[d][d];
    for (auto& row : root)
      for (double& entry : row) entry = draws.normal() / 4.5;
    text += "[[client]]\nmean = [";
    for (int j = 0; j < d; ++j) text += fmt::format("{}{}", j == 0 ? "" : ", ", draws.normal());
    text += "]\nprecision = [";
    for (int j = 0; j < d; ++j) {
      text += j == 0 ? "[" : ", [";
      for (int k = 0; k < d; ++k) {
        double entry = j == k ? 1 : 0;
        for (int l = 0; l < d; ++l) entry += root[j][l] * root[k][l];
        text += fmt::format("{}{}", k == 0 ? "" : ", ", entry);
      }
      text += "]";
    }
    text += "]\n";
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return std::fprintf(stderr, "usage: fald_bench CHAINS TAU SECONDS\n"), 2;
  pollen::bench::print_rate(problem(),
                            {"run.chains=" + std::string(argv[1]), "sampler.correlation=" + std::string(argv[2])}, 100,
                            std::atof(argv[3]));
}
