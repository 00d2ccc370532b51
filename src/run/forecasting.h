// Forecasts for a run: asks the clients for the sums that plan/forecast.h needs, once, and then answers for any step.
// One thread per object.
//
//   if (Forecasting::obstacle(recipe, problem).empty()) {
//     const Forecasting forecasting({.questions = questions, ...});
//     forecasting.describe(forecasting.at(step)).ok;
//   }
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client_sample.h"
#include "model/coordinates.h"
#include "plan/exact_forecast.h"
#include "plan/forecast.h"
#include "pollen/config.h"
#include "run/questions.h"
#include "run/sampling_forecast.h"

namespace pollen {

// What a forecast is about. Everything referred to must outlive the forecasting.
struct ForecastSubject {
  Questions& questions;
  const StatisticalProblem& problem;  // in the coordinates in which the run samples
  const Recipe& recipe;
  const RunConfig& run;
  std::span<const double> weights;                           // w_i of local steps
  std::shared_ptr<const Coordinates> coordinates = nullptr;  // null if the run samples in θ
  // Operations that an exact law may take. With 0, as in runs, forecasts are of first order in the step, so that they
  // and the steps that follow from them are the same wherever the clients are.
  double exact_work = 0;
  ClientSample sample = {};  // the clients that answer for all
};

class Forecasting {
 public:
  // Why nothing can be forecast about any sampler, or about one with an error of the step; empty if something can.
  static std::string obstacle(const StatisticalProblem& problem);
  static std::string obstacle(const Recipe& recipe, const StatisticalProblem& problem);
  // The operations, about, that the answers of so many clients take; 0: of all.
  static double work(const StatisticalProblem& problem, Index clients);

  // Asks the clients. Throws std::domain_error if the posterior is flat in some direction at its mode.
  explicit Forecasting(const ForecastSubject& subject);

  plan::Forecast at(double step) const;
  // Picks the step of a run of so many iterations; `most` is the largest step that other bounds allow, or 0.
  plan::StepChoice choose(double iterations, double most) const;
  // The forecast of the largest step that keeps the tolerances for sds and means and is at most `most`, unless that is
  // 0; nothing if none does.
  std::optional<plan::Forecast> largest(const plan::Tolerance& tolerance, double most) const;
  SamplingForecast describe(const plan::Forecast& forecast) const;
  // Numbers that each client sent and heard for the forecast, to be counted as set-up.
  const std::vector<SetupExchange>& exchanges() const { return exchanges_; }
  const std::string& not_exact() const {
    return not_exact_;
  }  // why forecasts are of first order; empty if they are not

 private:
  // forecast_noise.cc
  Eigen::VectorXd ask(NoiseQuestion::Part part, Index rows);
  void ask_noise(plan::GaussianSums& sums);
  void ask_local(plan::GaussianSums& sums);
  plan::Dynamics dynamics() const;
  // forecast_clients.cc
  void see_clients();
  plan::VisibleClient see(const Potential& potential) const;
  // forecast_room.cc
  void look_around(const Eigen::MatrixXd& to_theta);
  double room_along(const Eigen::MatrixXd& lines);
  template <class Place>
  std::vector<double> heights_along(const Eigen::MatrixXd& lines, std::size_t places, const Place& place);
  double step_within(const plan::Forecast& forecast) const;
  double most_near_mode() const;
  double most_allowed(double most) const;

  ForecastSubject subject_;
  std::vector<std::string> labels_;
  Eigen::MatrixXd hessian_;
  Panel directions_;
  std::vector<SetupExchange> exchanges_;
  std::optional<plan::Forecaster> forecaster_;
  std::optional<plan::VisibleProblem> visible_;
  std::string not_exact_;
  double local_curvature_ = 0;  // at most this is the curvature of any U_i/w_i at the mode; 0 without local steps
  // The largest step that does not overshoot where the posterior bends more than at its mode.
  double room_ = std::numeric_limits<double>::infinity();
};

// The warning about a run whose draws will be off; empty if they will not.
std::string forecast_warning(const SamplingForecast& forecast);
// The samplers and settings that do without what is in the way. `far`: the data are in other processes.
std::string ways_around(plan::Cause cause, const Recipe& recipe);

}  // namespace pollen
