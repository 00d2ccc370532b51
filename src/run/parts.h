// What an experiment is made of; its work before the first iteration is in prepare.cc, the rest in experiment.cc.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "federated.h"
#include "personal.h"
#include "pollen/archive.h"
#include "pollen/run.h"
#include "ranks/rank_transport.h"
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
  std::unique_ptr<PersonalParts> personal;      // a problem with latents
  std::unique_ptr<FederatedEngine> federation;  // answers questions whatever the sampler; none with a baseline
  Approximation* approximation = nullptr;       // of fedsoul and fedsouk: the federation's step
  std::unique_ptr<PersonalEngine> baseline;     // of a problem with latents
  std::unique_ptr<Engine> reference;            // a centralised sampler or a competitor, where one is asked for
  Engine* engine = nullptr;                     // of these, the one that samples
  double smoothness = 0;
  std::vector<double> mode;
  std::int64_t kept = 0, emitted = 0;  // after burn-in, a chain
  std::vector<double> potential;
  ThreadChoice choice;
  std::vector<UncoveredQuery> outside;  // as the user gave the configuration
  PrivacyMeter meter;
  ParticipationTally tally;
  Ranks* ranks = nullptr;                 // where clients are spread over them
  std::unique_ptr<SimulatedClock> clock;  // of [network]; none without it
  // Exchanges with all clients before the first iteration, each `times`, as setup_bits has them.
  struct SetupExchange {
    std::int64_t down_bits = 0, up_bits = 0, times = 1;
    std::int64_t columns = 0;  // positions at which every client evaluates the gradients of `rows`
    Batch rows = {};           // all
  };
  std::vector<SetupExchange> setup_exchanges;

  void make_clock();
  void make_engine();
  FederatedEngine::MakeTransport make_transport(int threads) const;
  FederatedEngine::MakeTransport local_transport(int threads) const;  // to clients with potentials of this process
  Transport& transport() { return federation->transport(); }
  int pick_threads();
  void choose_threads();
  Index dimension() const { return personal ? personal->dimension() : problem.dimension(); }
  ClientRange own_clients() const;
  RankShare rank_share() const;
  RankDuties duties();
  std::uint64_t fingerprint() const;
  void make_reference_engine();  // once its step is known
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
  void uncount_exchanges(std::size_t since);  // those from setup_exchanges[since] on
  void listen();                              // the clock and who looks on, to what samples
  void time_setup();
  void keep(Sink& sink);
  bool looks() const;
  void set_privacy();
  void tell_spent(std::int64_t before);
  template <class Self>
  static void archive(Self& self, Archive& archive);
};

}  // namespace pollen
