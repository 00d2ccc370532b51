// Estimates how long an exchange of the planned run takes in the network of [network]. Some exchanges are simulated
// with the run's own clock, participants and schedule, and with messages as long as the plan's probes. The simulation
// does not send more to clients that missed a broadcast.
#include <algorithm>
#include <cmath>

#include "round/local_segments.h"
#include "round/participation.h"
#include "round/traffic.h"
#include "run/planning.h"
#include "simulated_clock.h"

namespace pollen {

namespace {

class PlannedRounds {
 public:
  PlannedRounds(const Experiment& experiment, std::span<const Index> sizes, const plan::Messages& messages,
                SimulatedClock& clock)
      : recipe_(experiment.recipe()),
        sizes_(sizes),
        chains_(experiment.config().run.chains),
        words_(64 * experiment.dimension()),
        up_(std::llround(messages.up_bits / static_cast<double>(chains_))),
        down_(std::llround(messages.down_bits / static_cast<double>(chains_))),
        participation_(recipe_.participation, sizes, chains_, recipe_.coupled, experiment.config().seed,
                       recipe_.up.memory != Memory::feedback) {
    if (recipe_.local) segments_.emplace(*recipe_.local, experiment.config().seed);
    book_.listen([&clock](std::span<const ClientTraffic> loads) { clock.exchange(loads); });
  }

  // A round of the gradient family, which is one exchange.
  void round(std::uint64_t k, bool refresh) {
    open(k);
    for (const Roster::Entry& entry : roster_.clients) book(entry, down_, gradients(entry.client, refresh), up_);
    book_.close(true);
  }

  // An exchange of nuts, hmc or mala: all clients evaluate all their rows.
  void question() {
    book_.open(static_cast<Index>(sizes_.size()));
    for (std::size_t i = 0; i < sizes_.size(); ++i)
      book_.add({static_cast<std::uint32_t>(i), chains_ * down_, chains_ * sizes_[i], chains_ * up_});
    book_.close(true);
  }

  // A round of the averaging family: the local steps up to the next average, with the refreshes before it.
  void local_round() {
    for (bool starts = true, ends = false; !ends; starts = false) {
      if (segments_->refresh_due(iteration_)) refresh();
      const LocalSegment segment = segments_->next(iteration_, kMostSteps);
      open(round_);
      ends = segment.ends;
      for (const Roster::Entry& entry : roster_.clients)
        book(entry, starts ? down_ : 0, segment.steps * gradients(entry.client, false), ends ? up_ : 0);
      book_.close(ends);
      iteration_ += segment.steps;
      segments_->done(segment);
    }
    ++round_;
  }

 private:
  static constexpr std::uint64_t kMostSteps = 1 << 20;

  void open(std::uint64_t round) {
    participation_.draw(round, roster_);
    book_.open(roster_.clients);
  }

  void book(const Roster::Entry& entry, std::int64_t down, std::int64_t evaluated, std::int64_t up) {
    const std::int64_t n = entry.count;
    book_.add({entry.client, n * down, n * evaluated, n * up});
  }

  // The number of row gradients of a client for one chain and one iteration.
  std::int64_t gradients(std::uint32_t client, bool refresh) const {
    const Index rows = sizes_[client], batch = recipe_.batch.of(rows);
    const bool differences = recipe_.oracle == OracleKind::svrg || recipe_.oracle == OracleKind::fixed_point;
    const bool anchored = recipe_.oracle == OracleKind::control || (differences && batch < rows);
    return refresh ? rows : anchored ? 2 * batch : batch;
  }

  // Counts a refresh as Server::refresh() does: two exchanges, and C is sent together with the next message.
  void refresh() {
    const std::int64_t words = words_ * chains_;
    const auto everybody = [&](std::int64_t down, bool evaluates, std::int64_t up) {
      for (std::size_t i = 0; i < sizes_.size(); ++i)
        book_.add({static_cast<std::uint32_t>(i), down, evaluates ? sizes_[i] * chains_ : 0, up});
    };
    book_.open(static_cast<Index>(sizes_.size()));
    everybody(0, false, words);
    book_.close(true);
    everybody(words, true, words);
    book_.close(true);
    everybody(words, false, 0);
    book_.close(false);
    segments_->refreshed();
  }

  const Recipe& recipe_;
  std::span<const Index> sizes_;
  Index chains_;
  std::int64_t words_, up_, down_;  // bits of an uncompressed vector, and of a message per chain up and down
  ParticipationDraw participation_;
  Roster roster_;
  TrafficLog book_;
  std::optional<SegmentSchedule> segments_;
  std::uint64_t iteration_ = 0, round_ = 0;
};

double participants(const Recipe& recipe, std::size_t clients) {
  const Participation& p = recipe.participation;
  if (p.policy == ParticipationPolicy::fixed_size) return static_cast<double>(p.size);
  return static_cast<double>(clients) * (p.policy == ParticipationPolicy::bernoulli ? p.probability.front() : 1);
}

SimulatedTime scaled(const SimulatedTime& t, double by) {
  return {by * t.waiting, by * t.down, by * t.computing, by * t.up, by * t.server, 0};
}

SimulatedTime sum(const SimulatedTime& a, const SimulatedTime& b) {
  return {a.waiting + b.waiting, a.down + b.down, a.computing + b.computing, a.up + b.up, a.server + b.server, 0};
}

}  // namespace

std::optional<PlannedTime> planned_time(Experiment& experiment, const plan::Messages& messages,
                                        const Config& networked) {
  const Recipe& recipe = experiment.recipe();
  const std::span<const Index> sizes = experiment.questions().sizes();
  constexpr double kMost = 200, kLeast = 8, kAnswers = 2e6;  // bounds on exchanges, and on answers in all of them
  const auto count = static_cast<std::uint64_t>(
      std::clamp(kAnswers / std::max(1.0, participants(recipe, sizes.size())), kLeast, kMost));
  const auto simulate = [&](const auto& rounds) {
    const auto clock = make_simulated_clock(networked, experiment.clients(), experiment.data().client_names);
    PlannedRounds planned(experiment, sizes, messages, *clock);
    while (clock->exchanges() < count) rounds(planned, clock->exchanges());
    return PlannedTime{scaled(clock->time(), 1 / static_cast<double>(clock->exchanges())), clock->exchanges()};
  };
  if (recipe.reference || !keeps_network_time(networked)) return std::nullopt;
  if (recipe.exact) return simulate([](PlannedRounds& planned, std::uint64_t) { planned.question(); });
  if (recipe.local) return simulate([](PlannedRounds& planned, std::uint64_t) { planned.local_round(); });
  PlannedTime time = simulate([](PlannedRounds& planned, std::uint64_t k) { planned.round(k, false); });
  if (recipe.oracle != OracleKind::svrg) return time;
  const PlannedTime anew = simulate([](PlannedRounds& planned, std::uint64_t k) { planned.round(k, true); });
  const double share = 1 / static_cast<double>(recipe.refresh);
  time.exchange = sum(scaled(time.exchange, 1 - share), scaled(anew.exchange, share));
  return time;
}

}  // namespace pollen
