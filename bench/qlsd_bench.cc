// Iterations a second of QLSD* on the toy of the QLSD paper (b = 20, d = 50, s = 2^8), one thread: the whole round, with
// real bytes or with lengths only. Usage: qlsd_bench CHAINS bytes|lengths SECONDS. Prints chain-iterations a second of CPU time.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "pollen/run.h"

namespace {

const char* kProblem = R"(
seed = 1994
[model]
kind = "gaussian"
prior = "flat"
[data]
source = "synthetic-gaussian"
clients = 20
dimension = 50
min_size = 10
max_size = 200
[sampler]
name = "qlsd*"
levels = 256
step = 4.9e-5
[run]
iterations = 1000000000
burn_in = 999999999
[output]
lp = false
)";

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return std::fprintf(stderr, "usage: qlsd_bench CHAINS bytes|lengths SECONDS\n"), 2;
  const double seconds = std::atof(argv[3]);
  pollen::Experiment experiment(
      pollen::read_config_text(kProblem, "bench", {"run.chains=" + std::string(argv[1]), "sampler.wire=" + std::string(argv[2])}),
      {.threads = 1});
  experiment.prepare();
  pollen::Sink nobody;
  experiment.advance(2000, nobody);
  const std::clock_t start = std::clock();
  double spent = 0;
  long done = 0;
  while (spent < seconds) {
    experiment.advance(1000, nobody);
    done += 1000;
    spent = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  }
  std::printf("%.0f\n", static_cast<double>(done) * std::atof(argv[1]) / spent);
}
