// Laws of the averaging family at its communication rounds: stationary, or from a given start.
#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "averaging_maps.h"

namespace pollen::stats {
namespace {

void check(const AveragingLawOptions& o) {
  if (!(o.step > 0)) throw std::invalid_argument(fmt::format("step: found {}, accepted: above 0", o.step));
  if (!(o.correlation >= 0 && o.correlation <= 1))
    throw std::invalid_argument(fmt::format("correlation: found {}, accepted: 0 to 1", o.correlation));
  if (o.steps < 1) throw std::invalid_argument(fmt::format("steps: found {}, accepted: at least 1", o.steps));
  if (!(o.communicate >= 0 && o.communicate <= 1))
    throw std::invalid_argument(fmt::format("communicate: found {}, accepted: 0 to 1", o.communicate));
}

}  // namespace

// With p_c, the chain of all iterations is stationary, and the coin that ends a segment is independent of the state.
// Hence the law at communication rounds is the stationary law after one more local step and an exchange.
std::vector<Law> averaging_family_law(const QuadraticProblem& problem, const AveragingLawOptions& options) {
  check(options);
  const AveragingMaps maps(problem, options);
  const MomentMap step = maps.local_step(options.step), exchange = maps.exchange();
  if (options.communicate > 0) {
    const MomentMap coin = maps.exchange_or_not(options.communicate);
    const std::vector<Law> laws = stationary(Cycle{&step, &coin});
    return {maps.average(exchange.next(laws[0])), maps.average(laws[1])};
  }
  Cycle cycle(static_cast<std::size_t>(options.steps), &step);
  cycle.push_back(&exchange);
  const std::vector<Law> laws = stationary(cycle);
  std::vector<Law> result = {maps.average(laws.back())};
  for (std::size_t k = 0; k + 2 < laws.size(); ++k) result.push_back(maps.average(laws[k]));
  return result;
}

std::vector<Law> averaging_family_path(const QuadraticProblem& problem, const AveragingLawOptions& options,
                                       const Eigen::VectorXd& start, int rounds,
                                       const std::function<double(int)>& step_at) {
  check(options);
  const AveragingMaps maps(problem, options);
  const MomentMap exchange = maps.exchange();
  Law law = maps.start(start);
  std::vector<Law> result;
  for (int round = 0, k = 0; round < rounds; ++round) {
    for (int s = 0; s < options.steps; ++s, ++k) law = maps.local_step(step_at(k)).next(law);
    law = exchange.next(law);
    result.push_back(maps.average(law));
  }
  return result;
}

}  // namespace pollen::stats
