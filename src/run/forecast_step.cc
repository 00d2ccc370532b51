// Forecasts in set-up: the step that step = "auto" takes, and the check of a step that the user gave.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "experiment_parts.h"
#include "forecast_matrices.h"
#include "local_step.h"
#include "pollen/errors.h"
#include "rehearsal.h"
#include "smoothness.h"

namespace pollen {

namespace {

// The most operations of the clients' answers if a step is to be picked. If it is only checked they are few, or a small
// share of the run's own.
constexpr double kMostWork = 2e11, kMostCheck = 1e9, kShareOfRun = 0.02;

// The operations, about, that the gradients of a run take.
double sampling_work(const Recipe& recipe, const StatisticalProblem& problem, const RunConfig& run) {
  double rows = 0;
  for (const Index n : problem.rows) rows += static_cast<double>(recipe.batch.of(n));
  return static_cast<double>(run.iterations) * static_cast<double>(run.chains) * rows * 4 *
         static_cast<double>(problem.dimension());
}

std::string in_words(const SamplingForecast& f) {
  std::string text = fmt::format("forecast: sampled sd / posterior sd {:.3f} to {:.3f}", f.least_ratio, f.most_ratio);
  if (f.bias >= 0.005) text += fmt::format(", means within {:.2f} sd", f.bias);
  return text + fmt::format(", 1 effective draw in {:.3g} iterations of a chain", f.tau);
}

}  // namespace

// How many clients answer for all in a forecast; 0: all do. The drift of local steps is a sum that all but cancels over
// all clients, and not over a sample.
Index ExperimentParts::forecast_clients() const {
  constexpr double kAllWork = 2e10, kSampleWork = 4e9;  // operations
  const double all = Forecasting::work(problem, 0);
  if (all <= kAllWork || (recipe.local && recipe.local->mean_steps() > 1)) return 0;
  const auto asked = static_cast<Index>(static_cast<double>(problem.clients()) * kSampleWork / all);
  return asked >= 2 * fewest_sampled(problem.dimension()) ? asked : 0;
}

// The number of the sample is not that of the clients whose Hessians made the coordinates, which are as good as those
// clients say.
ClientSample ExperimentParts::forecast_sample() const {
  return draw_clients(config.seed, 1, problem.rows, forecast_clients());
}

// Makes forecasts possible, if they are, by asking the clients. If they are only `needed` for a warning, clients in
// other processes are only asked if set-up has asked them for the mode and the Hessian anyway.
std::unique_ptr<Forecasting> ExperimentParts::make_forecasting(bool needed) {
  if ((recipe.reference || recipe.exact) && !needed) return nullptr;
  std::string obstacle = Forecasting::obstacle(recipe, problem);
  const double most =
      needed ? kMostWork : std::clamp(kShareOfRun * sampling_work(recipe, problem, config.run), kMostCheck, kMostWork);
  if (obstacle.empty() && Forecasting::work(problem, forecast_clients()) > most)
    obstacle = "the clients would work too long for it";
  if (obstacle.empty() && !needed && far() && !coordinates)
    obstacle = "clients elsewhere are not asked for a check alone";
  const char* missing = needed ? "no forecast by which to pick the step" : "no forecast of what the step does";
  if (!obstacle.empty()) {
    found.notes.push_back(fmt::format("{}: {}", missing, obstacle));
    return nullptr;
  }
  const bool counted = needed || coordinates;
  const SetupFindings before = found;
  try {
    auto made = std::make_unique<Forecasting>(
        ForecastSubject{*questions, problem, recipe, config.run, link->weights(), coordinates, 0, forecast_sample()});
    if (!counted) {  // what was only asked for a warning, and could be left out, is not counted
      const double smoothness = found.smoothness;
      found = before;
      found.smoothness = smoothness;
    } else {
      std::ranges::copy(made->exchanges(), std::back_inserter(found.exchanges));
    }
    return made;
  } catch (const std::domain_error& e) {
    found = before;
    found.notes.push_back(fmt::format("{}: {}", missing, e.what()));
  } catch (const NumericError& e) {  // from the mode finder
    found = before;
    found.notes.push_back(fmt::format("{}: {}", missing, e.what()));
  }
  return nullptr;
}

bool ExperimentParts::forecast_step(double most) {
  const std::unique_ptr<Forecasting> forecasting = make_forecasting(true);
  if (!forecasting) return false;
  const auto iterations = static_cast<double>(std::max<std::int64_t>(1, config.run.iterations - *config.run.burn_in));
  const plan::StepChoice picked = forecasting->choose(iterations, most);
  recipe.step.size = picked.step;
  config.sampler.step = recipe.step.size;
  const plan::Forecast forecast = forecasting->at(picked.step);
  found.forecast = forecasting->describe(forecast);
  found.notes.push_back(fmt::format("step = \"auto\" picked {:.4g} ({})", picked.step, in_words(*found.forecast)));
  if (picked.good) return true;
  const std::string means =
      found.forecast->bias >= 0.005 ? fmt::format(", means up to {:.2g} sd off", found.forecast->bias) : "";
  found.warnings.push_back(fmt::format(
      "no step gives accurate draws and 400 effective ones in {} iterations, because of {}: step = \"auto\" picked "
      "{:.4g}, with sampled sds up to {:.2g} % off{} and about {:.0f} effective draws. What would help: {}",
      iterations, plan::name_of(*picked.why), picked.step, 100 * std::abs(found.forecast->worst_ratio() - 1), means,
      forecast.ess(iterations, static_cast<double>(config.run.chains)), ways_around(*picked.why, recipe)));
  return true;
}

// The largest step for `pollen plan`, found as set_step() finds it.
double ExperimentParts::most_step() {
  const std::vector<double> at = questions->curvature_point();
  if (!recipe.local) return 1 / find_smoothness(link->transport(), problem.prior, at, config.seed).value;
  return most_local_step(*recipe.local,
                         find_local_bounds(link->transport(), link->weights(), at, problem.clients(), false));
}

void ExperimentParts::check_step() {
  const std::unique_ptr<Forecasting> forecasting = make_forecasting(false);
  if (!forecasting) return;
  found.forecast = forecasting->describe(forecasting->at(recipe.step.size));
  if (const std::string warning = forecast_warning(*found.forecast); !warning.empty())
    found.warnings.push_back(warning);
}

std::optional<SamplingForecast> ExperimentParts::plan_forecast(bool exact, std::string& why) {
  why = Forecasting::obstacle(recipe, problem);
  if (!why.empty()) return std::nullopt;
  if (!coordinates) set_coordinates();
  try {
    ForecastSubject subject{*questions, problem, recipe, config.run, link->weights(), coordinates};
    subject.exact_work = exact ? 1e12 : plan::kQuick;
    subject.sample = forecast_sample();
    const Forecasting forecasting(subject);
    if (exact) why = forecasting.not_exact();
    const auto iterations = static_cast<double>(std::max<std::int64_t>(1, config.run.iterations - *config.run.burn_in));
    const double step = config.sampler.step ? *config.sampler.step : forecasting.choose(iterations, most_step()).step;
    return forecasting.describe(forecasting.at(step));
  } catch (const std::domain_error& e) {
    why = e.what();
  }
  return std::nullopt;
}

std::optional<SamplingForecast> ExperimentParts::forecast_within(double share, std::string& why) {
  why = Forecasting::obstacle(recipe, problem);
  if (!why.empty()) return std::nullopt;
  if (!coordinates) set_coordinates();
  try {
    ForecastSubject subject{*questions, problem, recipe, config.run, link->weights(), coordinates};
    subject.exact_work = plan::kQuick;
    subject.sample = forecast_sample();
    const Forecasting forecasting(subject);
    const plan::Tolerance tolerance{.sd = share, .mean = share, .ess = 0};
    if (const auto largest = forecasting.largest(tolerance, most_step())) return forecasting.describe(*largest);
    const plan::StepChoice closest = forecasting.choose(static_cast<double>(config.run.iterations), most_step());
    why = fmt::format("no step keeps sds and means within {:.3g} % of an sd, because of {}", 100 * share,
                      plan::name_of(forecasting.at(closest.step).worst()));
  } catch (const std::domain_error& e) {
    why = e.what();
  }
  return std::nullopt;
}

std::optional<ExactForecast> ExperimentParts::exact_forecast(double draws, std::string& why) {
  why = Forecasting::obstacle(problem);
  if (!why.empty()) return std::nullopt;
  if (!coordinates) set_coordinates();
  try {
    const Index d = problem.dimension();
    const ClientSample sample = forecast_sample();
    const NormalApproximation law{matrix_of(questions->hessian(questions->mode(), sample)),
                                  reported_directions(problem.model, coordinates.get(), d), recipe.temperature};
    return rehearse(law, exact_setup(), draws);
  } catch (const std::domain_error& e) {
    why = e.what();
  }
  return std::nullopt;
}

}  // namespace pollen
