// The members of an Experiment. experiment_parts.cc makes them, prepare.cc and step_choice.cc have the work before the
// first iteration, experiment_state.cc saves and loads, ranks.cc is about several processes, and experiment.cc
// iterates.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "exact/exact.h"
#include "federated.h"
#include "forecasting.h"
#include "model/coordinates.h"
#include "personal.h"
#include "pollen/archive.h"
#include "ranks/rank_transport.h"
#include "run/experiment.h"
#include "simulated_clock.h"
#include "thread_choice.h"

namespace pollen {

struct ExperimentParts {
  ExperimentParts(Config c, const ExperimentOptions& o);

  Config config;
  ExperimentOptions options;
  SetupFindings found;
  StatisticalProblem problem;
  Recipe recipe;
  std::unique_ptr<PersonalParts> personal;  // for a problem with latents, else null
  std::unique_ptr<ClientLink> link;         // with latents: made with the engine
  // The coordinates in which the engine samples, or null if it samples in θ. With coordinates `problem` is in ψ.
  std::shared_ptr<const Coordinates> coordinates;
  Prior theta_prior;                       // with coordinates: the prior of θ
  Panel reported_position;                 // with coordinates or units: the position as it is reported
  std::optional<Coordinates> around_mode;  // the normal approximation at the mode, θ̂ + Az; empty unless it was found
  std::optional<Questions> questions;      // for a problem without latents
  std::optional<PersonalResults> results;  // for a problem with latents
  std::unique_ptr<Engine> engine;          // made when the step is known
  FederatedEngine* federation = nullptr;   // the engine, if its rounds are federated
  Approximation* approximation = nullptr;  // the federation's step, for fedsoul and fedsouk
  exact::JointStep* joint = nullptr;       // the federation's step, for hmc with latents
  std::int64_t emitted = 0;                // states after burn-in, per chain, of which every thin-th is kept
  std::vector<double> potential;
  ThreadChoice choice;
  std::vector<UncoveredQuery> uncovered;  // found in the configuration as the user gave it
  PrivacyMeter meter;
  ParticipationTally tally;
  Ranks* ranks = nullptr;                 // null unless clients are spread over ranks
  std::unique_ptr<SimulatedClock> clock;  // null without a section [network]

  // experiment_parts.cc
  Index dimension() const { return personal ? personal->shown() : problem.dimension(); }
  void make_engine();  // makes the engine that the recipe names; to be called once the step is known
  void choose_threads();
  void listen();  // makes the clock and the observer hear the engine's exchanges
  // forecast_step.cc; before prepare()
  std::optional<SamplingForecast> plan_forecast(bool exact, std::string& why);
  std::optional<SamplingForecast> forecast_within(double share, std::string& why);
  std::optional<ExactForecast> exact_forecast(double draws, std::string& why);
  std::int64_t setup_bits() const;  // of everything that clients sent and heard before the first iteration
  // coordinates.cc
  ConstPanelView position();  // of the engine, as it is reported
  // prepare.cc
  void prepare();
  void tell_spent(std::int64_t before);
  // experiment_state.cc
  void archive(Archive& archive);
  // ranks.cc
  ClientRange own_clients() const;
  RankDuties duties();
  std::uint64_t fingerprint() const;

 private:
  void make_personal();
  void make_questions();
  void check_curvature_is_shown() const;
  void write_automatic_prior();
  void choose_sample(bool automatic);  // coordinates.cc
  Index forecast_clients() const;      // forecast_step.cc
  ClientSample forecast_sample() const;
  void make_link();
  void check_coordinates() const;  // coordinates.cc
  bool changes_coordinates() const { return config.sampler.precondition != "none" && !recipe.reference; }
  // Whether set-up makes the normal approximation at the mode, and whether from whole Hessians.
  bool approximates() const { return changes_coordinates() || config.run.init == "auto"; }
  bool approximates_whole() const;
  void set_coordinates();
  Coordinates approximation_at_mode(bool full);
  void check_curvature(const Panel& hessian) const;
  void check_separation(const Panel& hessian);
  std::vector<std::size_t> determined(const Coordinates& made, const Panel& hessian);
  void name_collinear(const Coordinates& made, const Panel& hessian);
  void sample_in(Coordinates made);
  void tell_coordinates(const std::vector<double>& centre, const Panel& matrix);  // to all clients
  void take_coordinates(Coordinates made);
  void archive_coordinates(Archive& archive);
  void make_federation();
  exact::Setup exact_setup() const;
  void make_exact_engine();
  std::unique_ptr<Engine> make_reference_engine() const;  // reference_engine.cc
  MakeTransport make_transport(int threads) const;
  MakeTransport local_transport(int threads) const;  // to clients whose potentials are in this process
  int pick_threads();
  RankShare rank_share() const;

  void prepare_personal();
  void set_start();
  void start_around_mode(PanelView start);
  void search_near(PanelView start);
  void warm_up(Transport& by, const Prior& prior, std::span<const Index> rows, PanelView start);
  void set_anchors();
  void set_privacy();
  void time_setup();

  void set_step();  // step_choice.cc
  void set_network_step();
  void set_local_step(std::span<const double> at, bool picked);
  bool may_ask_curvature() const;
  // forecast_step.cc
  std::unique_ptr<Forecasting> make_forecasting(bool needed);
  bool forecast_step(double most);  // whether there is a forecast, by which the step was set
  void check_step();
  bool far() const { return !options.sites.empty() || options.transport; }  // whether clients are in other processes
  double most_step();

  void archive_configuration(Archive& archive);
  void archive_found(Archive& archive);
};

}  // namespace pollen
