#include "exact/engines.h"

namespace pollen::exact {

std::unique_ptr<Engine> started(const std::string& kernel, const ReferenceProblem& problem, const Settings& settings,
                                double value, Index ahead) {
  const Setup setup{.kernel = kernel,
                    .dimension = problem.dimension,
                    .chains = problem.chains,
                    .seed = problem.seed,
                    .ahead = ahead,
                    .settings = settings};
  const PriorPart prior{problem.prior};
  auto engine = make_engine(setup, std::make_unique<HeldPosterior>(problem.clients, prior, problem.temperature));
  engine->start(start_at(problem, value));
  return engine;
}

}  // namespace pollen::exact
