// What a forecast means for a run, in words: that its draws will be off, and what does without the cause.
#include <fmt/format.h>

#include <cmath>

#include "forecasting.h"

namespace pollen {

using plan::Cause;

std::string forecast_warning(const SamplingForecast& forecast) {
  if (forecast.ok) return {};
  if (!std::isfinite(forecast.most_ratio))
    return fmt::format("step {:.4g}: the chain diverges (forecast at the mode); {}", forecast.step,
                       forecast.step_within > 0
                           ? fmt::format("a step of {:.2g} keeps sds within 3 %", forecast.step_within)
                           : std::string("a smaller step may not"));
  const auto percent = [](double ratio) {
    const double off = 100 * std::abs(ratio - 1);
    return off < 10 ? fmt::format("{:.2g} %", off) : fmt::format("{:.0f} %", off);
  };
  std::vector<std::string> errors;
  if (forecast.most_ratio - 1 > 0.03)
    errors.push_back(fmt::format("sampled sds are {} {} too wide",
                                 forecast.least_ratio > 1.005 ? percent(forecast.least_ratio) + " to" : "up to",
                                 percent(forecast.most_ratio)));
  if (1 - forecast.least_ratio > 0.03)
    errors.push_back(fmt::format("sampled sds are up to {} too narrow", percent(forecast.least_ratio)));
  if (forecast.bias > 0.1) errors.push_back(fmt::format("means are up to {:.2g} posterior sds off", forecast.bias));
  if (errors.empty()) errors.emplace_back("the chain overshoots where the posterior bends more than at its mode");
  const std::string remedy =
      forecast.step_within > 0
          ? fmt::format("a step of {:.2g} keeps sds within 3 % and means within 0.1 sd", forecast.step_within)
          : fmt::format("no step keeps sds within 3 % and means within 0.1 sd: {} is in the way", forecast.cause);
  return fmt::format("step {:.4g}: {} ({}, forecast at the mode); {}", forecast.step,
                     fmt::format("{}", fmt::join(errors, ", and ")), forecast.cause, remedy);
}

std::string ways_around(Cause cause, const Recipe& recipe) {
  const bool local = recipe.local.has_value(), memory = recipe.up.memory == Memory::average;
  switch (cause) {
    case Cause::participation:
      return local || memory
                 ? "participation.policy = \"full\", or larger participation"
                 : "qlsd++ or lsd++, whose memory removes most of it, clsd*, or participation.policy = \"full\"";
    case Cause::minibatch:
      if (recipe.oracle == OracleKind::fixed_point) return "a larger sampler.batch";
      if (recipe.oracle == OracleKind::svrg) return "a larger sampler.batch, a smaller sampler.refresh, lsd* or qlsd*";
      if (recipe.oracle == OracleKind::control) return "a larger sampler.batch or sampler.refresh_probability";
      return local ? "vr-fald*, or a larger sampler.batch"
                   : "lsd++, qlsd++, lsd*, qlsd* or clsd*, or a larger sampler.batch";
    case Cause::compression:
      if (memory) return "sampler.compressor = \"identity\", or one that loses less";
      return local ? "sampler.memory = true, or compressor = \"identity\""
                   : "clsd*, whose messages add no noise of their own, qlsd++, whose memory removes most of it, lsd++, "
                     "or a compressor that loses less";
    case Cause::local_steps:
      return recipe.oracle == OracleKind::control ? "fewer local steps" : "vr-fald*, or fewer local steps";
    case Cause::delay:
      return "qlsd++, or a compressor that passes on more";
    case Cause::heat:
      return "sampler.correlation = 1";
    case Cause::step:
      break;
  }
  return fmt::format("{}more run.iterations, or nuts",
                     recipe.preconditioned ? "" : "sampler.precondition = \"full\", ");
}

}  // namespace pollen
