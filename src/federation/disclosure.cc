// What leaves a client, in words. Latents never do. docs/privacy.md has the same list with reasons.
#include <fmt/format.h>

#include "data/column_handshake.h"
#include "federation/federation.h"
#include "personal/baselines.h"
#include "run/privacy_meter.h"
#include "run/problem.h"

namespace pollen {

namespace {

using What = Query::What;

const char* answer_to(What what, bool curvature) {
  switch (what) {
    case What::value:
      return "its potential, minus the logarithm of the likelihood of all its rows, where the server asks";
    case What::gradient:
      return "its gradient, a sum over all its rows, where the server asks";
    case What::curvature:
      return "the product of its curvature with a vector, where the server asks";
    case What::anchor:
      return "its gradient at the mode";
    case What::start_memory:
      return "its gradient where each chain starts";
    case What::bounds:
      return "bounds on its curvature";
    case What::local:
      return "where its local steps are, for every chain";
    case What::descent:
      return "its gradient of a minibatch, one per step of the warm-up, where the server asks";
    case What::hessian:
      return curvature ? "the lower half of its Hessian or its diagonal, in single precision, where the server asks"
                       : "the diagonal of its Hessian, in single precision, where the server asks";
    case What::potential_gradient:
      return "its potential and its gradient, in full, at every position that a chain visits or proposes, which are "
             "for the server to choose";
    case What::noise:
      return "the covariance of what its absence, its minibatches, its compressor or its local steps add to gradients";
    case What::pooled:
      return "the gradient, the Hessian and the value of its potential with one latent for all clients";
    case What::information:
      return "the mean of its Hessian by phi over its own latents";
    case What::observed:
      return "its part of the observed information about phi and beta, and of the gradient there";
    case What::scores:
      return "the number of its test rows, and sums over them: of right predictions, of squared errors, of logarithms "
             "of densities and, for classes, of confidences and right predictions by ranges of the confidence";
    default:
      return "";  // no contract has these
  }
}

void add_answers(const Contract& contract, std::vector<std::string>& list) {
  for (const Phase phase : {Phase::set_up, Phase::rounds})
    for (std::size_t k = 0; k < kKinds; ++k) {
      const auto what = static_cast<What>(k);
      const std::int64_t most = contract.most(phase, what);
      if (most == 0 || what == What::coordinates || what == What::start) continue;  // whose answers are zeros
      list.push_back(fmt::format("answers in {}, at most {}: {}", phase == Phase::set_up ? "set-up" : "the rounds",
                                 most, answer_to(what, contract.terms().curvature)));
    }
}

// Whether the errors of messages are the noise of the steps, for which the server needs the seed of their code.
bool sends_code_seed(const Config& config) {
  const NamedSampler* named = find_sampler(config.sampler.name);
  return config.sampler.compressor == "coded" || (named != nullptr && named->compressor == std::string("coded"));
}

const char* reply_of(const Config& config) {
  if (find_baseline(config.sampler.name) != nullptr)
    return "how far its training has moved the part of the model that is shared";
  if (samples_jointly(config))
    return "the gradient of its part of the joint density by phi and beta and, at the end of a trajectory, how that "
           "part "
           "and its own kinetic energy have changed";
  if (is_mixed(config))
    return "the means over its own latents of the gradients by phi and beta, the former compressed as the "
           "configuration says";
  const NamedSampler* named = find_sampler(config.sampler.name);
  return named != nullptr && named->family != NamedSampler::Family::gradient
             ? "where its local steps ended (or the compressed change)"
             : "an estimate of its gradient at the broadcast position, compressed as the configuration says";
}

}  // namespace

std::vector<std::string> disclosed_messages(const Contract& contract) {
  const Config& config = contract.study();
  std::vector<std::string> list;
  list.emplace_back("hello: its name, the program's version, a number that tells its state folder from others");
  if (target_of(config) != TargetKind::none)
    list.emplace_back("columns: the names of its columns, the levels of text columns and the labels that occur");
  if (pools_columns(config.data, target_of(config)))
    list.emplace_back("moments, once: its number of training rows, every column's sum and sum of squares");
  if (config.data.target_moments) list.emplace_back("moments of the target, once: its sum and sum of squares");
  list.emplace_back(
      "site, once: its number of training rows, the names of columns and classes as encoded, and how many "
      "missing cells took their column's mean");
  add_answers(contract, list);
  if (sends_code_seed(config))
    list.emplace_back(
        "code seed, on every connection: the seed of the random numbers that its code shares with the server, made for "
        "this run");
  if (contract.rounds() > 0)  // those of exact kernels are answers
    list.push_back(
        fmt::format("replies, one per round, at most {}: {}, for every chain", contract.rounds(), reply_of(config)));
  if (asks_for_privacy(config))
    list.emplace_back("docs/privacy.md says which of these messages an (epsilon, delta) guarantee covers");
  return list;
}

}  // namespace pollen
