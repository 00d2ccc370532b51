// Times QLSD* on the toy problem of the QLSD paper (b = 20, d = 50, s = 2^8) on one thread: the whole round, with real
// bytes or with lengths only. Usage: qlsd_bench CHAINS bytes|lengths SECONDS. Prints chain-iterations per second of CPU
// time.
#include "rate.h"

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
  pollen::bench::print_rate(kProblem, {"run.chains=" + std::string(argv[1]), "sampler.wire=" + std::string(argv[2])},
                            1000, std::atof(argv[3]));
}
