// Lists every message that leaves a client. docs/privacy.md has the same list with reasons.
#include <fmt/format.h>

#include "federation/federation.h"
#include "oracle/oracles.h"
#include "run/problem.h"

namespace pollen {

std::vector<std::string> disclosed_messages(const Config& config) {
  std::vector<std::string> list;
  const SamplerConfig& s = config.sampler;
  list.emplace_back("hello: its name, the program's version, a number that tells its state folder from others");
  const bool table = target_of(config) != TargetKind::none;
  if (table)
    list.emplace_back("columns: the names of its columns, the levels of text columns and the labels that occur");
  if (table && with_defaults(config.data).standardize.value_or(true))
    list.emplace_back("moments, once: its number of training rows, every column's sum and sum of squares");
  list.emplace_back("site, once: its number of training rows, the names of columns and classes as encoded");
  if (!s.step && s.schedule != "decaying")
    list.emplace_back(
        "answers while the step is found: its gradient, its potential and its curvature's product with a "
        "vector, where the server asks");
  const NamedSampler* named = find_sampler(s.name);
  const std::string oracle = named == nullptr ? "full" : s.name == "custom" ? s.oracle.value_or("full") : named->oracle;
  if (config.run.init == "mode" || oracles().at(oracle).kind == OracleKind::fixed_point)
    list.emplace_back("answers while the mode is found: its gradient and potential, where the server asks");
  if (config.warm_up.epochs > 0)
    list.emplace_back("answers in the warm-up, one a step: its gradient of a minibatch, where the server asks");
  const bool local = named != nullptr && named->family != NamedSampler::Family::gradient;
  list.emplace_back(
      local ? "replies, one a round: where its local steps ended (or the compressed change), for every chain"
            : "replies, one a round: an estimate of its gradient at the broadcast position, compressed as the "
              "configuration says, for every chain");
  if (config.output.lp) list.emplace_back("answers at every kept draw (output.lp): its potential there");
  if (asks_for_privacy(config))
    list.emplace_back("what of this a (epsilon, delta) guarantee covers is in docs/privacy.md");
  return list;
}

}  // namespace pollen
