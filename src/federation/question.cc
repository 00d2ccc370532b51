#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "math/math.h"
#include "participant_parts.h"
#include "pollen/errors.h"
#include "round/client_host.h"

namespace pollen {

namespace {

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
      return (ask.rows == d * (d + 1) / 2 || ask.rows == d) && ask.columns == 1 && columns == 1;
    case Query::What::coordinates:
      return limits.recipe->preconditioned && ask.rows == 1 && ask.columns == 1 && columns == 1 &&
             (ask.direction.columns() == 0 ||
              (ask.direction.columns() == 1 && (ask.direction.rows() == d || ask.direction.rows() == d * (d + 1) / 2)));
    case Query::What::noise:
      return ask.step < Query::kSteps && ask.rows == NoiseQuestion::unpacked(ask.step).numbers(d) && ask.columns == 1 &&
             columns == 1 && ask.direction.rows() == d && ask.direction.columns() == d;
    case Query::What::start:
    case Query::What::latents:
    case Query::What::pooled:
    case Query::What::information:
    case Query::What::observed:
      return false;  // latents stay with their clients, and models with latents do not run in a federation
  }
  return false;
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
  constexpr auto kLast = static_cast<std::uint8_t>(Query::What::noise);
  if (ask.what > kLast) throw WireError(fmt::format("question: found kind {}, accepted: 0 to {}", ask.what, kLast));
  const auto what = static_cast<Query::What>(ask.what);
  const bool placed = ask.at.rows() == limits.dimension && ask.at.columns() >= 1;
  if ((!placed && what != Query::What::local) || !fits(ask, what, limits))
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
