// What a dashboard knows of a run while it goes on. The thread that samples tells it, cheaply: it keeps histories of a
// fixed size (at most 50 parameters, 200 clients, chosen evenly) and three times a second hands a copy over, unless the
// other side is just taking one; then a moment later. The dashboard's thread takes the latest copy and does the rest.
#pragma once

#include <array>
#include <chrono>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "round/traffic.h"
#include "run/experiment.h"
#include "sink/facts.h"
#include "sink/history.h"
#include "sink/onlooker.h"

namespace pollen::sink {

inline constexpr Index kLiveParameters = 50, kLiveClients = 200;

// At most `most` of the numbers 0 .. count-1, sorted, evenly spaced, the first among them.
std::vector<Index> evenly(Index count, Index most);

// One client, as far as whoever talks to it knows.
struct LiveClient {
  enum class State : std::uint8_t { unknown, waiting, active, late, gone };
  std::string name;
  State state = State::unknown;
  Index rows = -1;  // of training; -1: unknown
  std::int64_t turns = 0, last_round = -1, skipped = 0;
  std::int64_t up_bits = 0, down_bits = 0;
  double latency = std::numeric_limits<double>::quiet_NaN();  // seconds
};
struct LiveClients {
  std::vector<LiveClient> shown;
  Index in_all = 0;
  Index here = -1;         // connected; -1 where nothing can be (a simulation)
  Index heard = 0;         // took part at least once
  Index participants = 0;  // of the latest exchange
};

// What does not change once sampling begins.
struct LivePlan {
  RunFacts facts;                 // as of then
  std::vector<Index> parameters;  // those with a history
  std::vector<std::string> scores;
  std::string config;        // TOML
  std::int64_t started = 0;  // iterations done before this process (resume)
};
LivePlan live_plan_of(const Experiment& experiment);

struct LiveState {
  enum class Phase : std::uint8_t { preparing, waiting, sampling, writing };
  Phase phase = Phase::preparing;
  std::int64_t iteration = 0, draws = 0;
  double seconds = 0, rhat = std::numeric_limits<double>::quiet_NaN();
  double rate = 0;  // iterations a second, of late
  Counters counters;
  History trace;               // of draws: parameter by parameter, a number a chain
  History metrics;             // kMetricColumns, then scores
  std::vector<double> latest;  // row of metrics
  LiveClients clients;
};
inline constexpr std::array<const char*, 5> kMetricColumns = {"round", "uplink_bits", "downlink_bits", "gradients",
                                                              "seconds"};

class LiveFeed final : public Onlooker {
 public:
  // --- the thread that samples
  void begin(const Experiment& experiment);  // before the first iteration
  void phase(LiveState::Phase phase);        // handed over at once
  void kept(ConstPanelView position) override;
  void scored(std::int64_t iteration, const Counters& counters, double seconds, const Scores& scores) override;
  void looked(const Look& look) override;
  void exchanged(std::span<const ClientTraffic> loads);  // in a simulation: who took part
  void clients(LiveClients now);                         // in a federation: as its server sees them

  // --- the dashboard's thread
  bool take(LiveState& state);                   // false, and nothing, where it has not changed since
  std::shared_ptr<const LivePlan> plan() const;  // null before begin()

 private:
  using Clock = std::chrono::steady_clock;
  void metrics_row(const Counters& counters, double seconds);
  void name_clients(const Experiment& experiment);
  void measure_rate(Clock::time_point now);
  bool hand_over(bool wait);

  LiveState mine_;
  std::shared_ptr<const LivePlan> settled_;  // as plan_, without a lock
  std::vector<std::uint64_t> heard_;         // a bit a client
  std::vector<double> scores_;               // the latest
  std::int64_t exchanges_ = 0;
  bool unseen_row_ = false;  // a metrics row since the last hand-over
  Clock::time_point due_, rate_since_;
  std::int64_t rate_from_ = -1;

  mutable std::mutex mutex_;
  LiveState slot_;
  bool fresh_ = false;
  std::shared_ptr<const LivePlan> plan_;
};

}  // namespace pollen::sink
