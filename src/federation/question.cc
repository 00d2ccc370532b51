#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "math/math.h"
#include "participant_parts.h"
#include "pollen/errors.h"
#include "round/client_host.h"

namespace pollen {

namespace {

constexpr Index kMostStates = 4096;               // of one question about scores
constexpr std::uint64_t kMostDraws = 1U << 16U;   // effective ones, of one question about observed information
constexpr Index kMostOfHessian = Index{1} << 24;  // numbers, in the 64 MiB that a frame of set-up may have

bool fits(const wire::Ask& ask, Query::What what, const QuestionLimits& limits) {
  const Index d = limits.dimension, columns = ask.at.columns();
  switch (what) {
    case Query::What::value:
      return ask.rows == 1 && ask.columns == columns;
    case Query::What::gradient:
      return ask.rows == d && ask.columns == columns;
    case Query::What::curvature:
      return ask.rows == d && ask.columns == 1 && columns == 1 && ask.direction.rows() == d &&
             ask.direction.columns() == 1;
    case Query::What::anchor:
      return limits.recipe->oracle == OracleKind::fixed_point && ask.rows == d && ask.columns == 1 && columns == 1;
    case Query::What::start_memory:
      return limits.recipe->up.memory != Memory::none && ask.rows == d && ask.columns == limits.chains &&
             columns == limits.chains;
    case Query::What::bounds:
      return (ask.rows == 1 || ask.rows == 2) && ask.columns == limits.clients && columns == 1;
    case Query::What::rows:
      return ask.rows == 4 && ask.columns == limits.clients && columns == 1;
    case Query::What::local:
      return limits.recipe->local && ask.rows == d && ask.columns == limits.chains;
    case Query::What::descent:
      return limits.warm_up && ask.step < Query::kSteps && ask.rows == d && ask.columns == limits.chains &&
             columns == limits.chains;
    case Query::What::hessian:
      return (ask.rows == d || (ask.rows == d * (d + 1) / 2 && ask.rows <= kMostOfHessian)) && ask.columns == 1 &&
             columns == 1;
    case Query::What::coordinates:
      return limits.recipe->preconditioned && ask.rows == 1 && ask.columns == 1 && columns == 1 &&
             (ask.direction.columns() == 0 ||
              (ask.direction.columns() == 1 && (ask.direction.rows() == d || ask.direction.rows() == d * (d + 1) / 2)));
    case Query::What::noise:
      return ask.step < Query::kSteps && ask.rows == NoiseQuestion::unpacked(ask.step).numbers(d) && ask.columns == 1 &&
             columns == 1 && ask.direction.rows() == d && ask.direction.columns() == d;
    case Query::What::scores:
      return ask.rows == limits.scores && ask.columns == 1 && columns <= kMostStates;
    case Query::What::potential_gradient:
      return limits.recipe->exact && ask.rows == d + 1 && ask.columns == columns && columns <= limits.chains;
    case Query::What::start:
    case Query::What::latents:
    case Query::What::pooled:
    case Query::What::information:
    case Query::What::observed:
      return false;  // of models with latents, which fits_latents() checks
  }
  return false;
}

// The same for a model with latents, which is never asked for its potential: that of the whole network serves for a
// warm-up alone. Latents themselves stay with their client.
bool fits_latents(const wire::Ask& ask, Query::What what, const QuestionLimits& limits) {
  const PersonalSite& site = *limits.personal;
  const Index k = site.shared(), whole = k + site.latent(), learnt = site.learnt();
  const auto is = [&](Index at, Index places, Index rows, Index columns) {
    return ask.at.rows() == at && ask.at.columns() == places && ask.rows == rows && ask.columns == columns;
  };
  switch (what) {
    case Query::What::descent:
      return limits.warm_up && site.whole() != nullptr && ask.step < Query::kSteps &&
             is(whole, limits.chains, whole, limits.chains);
    case Query::What::start:
      return site.is_baseline() && is(whole, limits.chains, 1, 1);
    case Query::What::pooled:
      return !site.is_baseline() && is(whole, 1, whole, whole + 2);
    case Query::What::information:
      return !site.is_baseline() && !site.has_posterior() && ask.step < Query::kSteps && is(learnt, 1, k, k);
    case Query::What::observed:
      return !site.is_baseline() && !site.has_posterior() && ask.step >= 1 && ask.step <= kMostDraws &&
             is(learnt, 1, learnt, learnt + 1);
    case Query::What::scores: {
      if (site.has_posterior())
        return ask.direction.columns() == 0 && ask.at.columns() <= kMostStates &&
               ask.at.columns() % limits.chains == 0 && is(learnt, ask.at.columns(), limits.scores, 1);
      const bool uncertain = !site.is_baseline() && ask.direction.rows() == learnt && ask.direction.columns() == learnt;
      return (uncertain || ask.direction.columns() == 0) && is(learnt, limits.chains, limits.scores, 1);
    }
    default:
      return false;
  }
}

}  // namespace

void check_numbers(ConstPanelView values, const char* where) {
  for (Index c = 0; c < values.columns; ++c) {
    if (math::all_finite(values.column(c))) continue;
    const double x = *std::ranges::find_if_not(values.column(c), [](double v) { return std::isfinite(v); });
    throw WireError(fmt::format("{}: found {}, accepted: finite numbers", where, x));
  }
}

Query::What check_question(const wire::Ask& ask, const QuestionLimits& limits) {
  constexpr auto kLast = static_cast<std::uint8_t>(Query::What::scores);
  if (ask.what > kLast) throw WireError(fmt::format("question: found kind {}, accepted: 0 to {}", ask.what, kLast));
  const auto what = static_cast<Query::What>(ask.what);
  const bool placed = (ask.at.rows() == limits.dimension && ask.at.columns() >= 1) || what == Query::What::local;
  if (limits.personal != nullptr ? !fits_latents(ask, what, limits) : !placed || !fits(ask, what, limits))
    throw WireError(
        fmt::format("question: found kind {} at {} × {} numbers with an answer of {} × {}, which this run of "
                    "{} parameters, {} chains and {} clients does not ask",
                    ask.what, ask.at.rows(), ask.at.columns(), ask.rows, ask.columns, limits.dimension, limits.chains,
                    limits.clients));
  check_numbers(ask.at, "question");
  check_numbers(ask.direction, "question");
  return what;
}

void check_segment(const Broadcast& heard, Index dimension, Index chains) {
  constexpr std::uint64_t kLast = std::uint64_t{1} << 62;
  if (const Index most = longest_segment(dimension, chains); static_cast<Index>(heard.segment.steps) > most)
    throw WireError(
        fmt::format("broadcast: found a segment of {} steps, accepted: at most {}", heard.segment.steps, most));
  if (heard.segment.first > kLast || heard.round > kLast)
    throw WireError(fmt::format("broadcast: found round {} from iteration {} on, accepted: at most {}", heard.round,
                                heard.segment.first, kLast));
}

}  // namespace pollen
