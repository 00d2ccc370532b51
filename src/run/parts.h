// The members of an Experiment. prepare.cc has the work before the first iteration, ranks.cc that of several processes,
// and experiment.cc most of the rest.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "federated.h"
#include "personal.h"
#include "pollen/archive.h"
#include "ranks/rank_transport.h"
#include "run/experiment.h"
#include "run/privacy_meter.h"
#include "run/problem.h"
#include "simulated_clock.h"
#include "thread_choice.h"

namespace pollen {

struct Experiment::Parts {
  Parts(Config c, const ExperimentOptions& o);

  Config config;
  ExperimentOptions options;
  std::vector<std::string> warnings, notes;
  StatisticalProblem problem;
  Recipe recipe;
  std::unique_ptr<PersonalParts> personal;      // for a problem with latents, else null
  std::unique_ptr<FederatedEngine> federation;  // answers queries whatever the sampler is
  Approximation* approximation = nullptr;       // the federation's step, for fedsoul and fedsouk
  std::unique_ptr<Engine> reference;            // a centralised sampler or a competitor, if one is asked for
  Engine* engine = nullptr;                     // the one of these engines that samples
  double smoothness = 0;
  std::vector<double> mode;
  std::int64_t kept = 0, emitted = 0;  // draws after burn-in, per chain
  std::vector<double> potential;
  ThreadChoice choice;
  std::vector<UncoveredQuery> outside;  // found in the configuration as the user gave it
  PrivacyMeter meter;
  ParticipationTally tally;
  Ranks* ranks = nullptr;                 // null unless clients are spread over ranks
  std::unique_ptr<SimulatedClock> clock;  // null without a section [network]
  // Exchanges with all clients before the first iteration, as setup_bits counts them. Each took place `times` times.
  struct SetupExchange {
    std::int64_t down_bits = 0, up_bits = 0, times = 1;
    std::int64_t columns = 0;  // number of positions at which every client evaluates the gradients of `rows`
    Batch rows = {};           // the default is all rows
  };
  std::vector<SetupExchange> setup_exchanges;

  void make_clock();
  void make_engine();
  MakeTransport make_transport(int threads) const;
  MakeTransport local_transport(int threads) const;  // to clients whose potentials are in this process
  Transport& transport() { return federation->transport(); }
  int pick_threads();
  void choose_threads();
  Index dimension() const { return personal ? personal->dimension() : problem.dimension(); }
  ClientRange own_clients() const;
  RankShare rank_share() const;
  RankDuties duties();
  std::uint64_t fingerprint() const;
  void make_reference_engine();  // to be called once its step is known
  void make_personal_engine();
  void prepare_personal();
  void find_mode_once();
  void set_step();
  void set_network_step();
  void set_local_step(std::span<const double> at, bool picked);
  std::vector<double> curvature_point();
  void set_start();
  void warm_up(Transport& by, const Prior& prior, std::span<const Index> rows, PanelView start);
  void set_anchors();
  void count_exchange(const SetupExchange& exchange);
  void uncount_exchanges(std::size_t since);  // takes back setup_exchanges[since] and all later ones
  void listen();                              // makes the clock and the observer hear the engine's exchanges
  void time_setup();
  void keep(Sink& sink);
  bool looks() const;
  void set_privacy();
  void tell_spent(std::int64_t before);
  template <class Self>
  static void archive(Self& self, Archive& archive);
};

}  // namespace pollen
