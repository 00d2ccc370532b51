// Passes the state of a running run to a dashboard in another thread. The sampling thread reports cheaply: it keeps
// histories of a fixed size (at most 50 parameters and 200 clients, evenly chosen) and hands over a copy three times a
// second. If the dashboard is taking a copy at that moment, the hand-over is tried again a little later, so sampling
// never waits. The dashboard's thread takes the latest copy and does the rest.
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

// Returns at most `most` of the numbers 0 .. count-1, sorted and evenly spaced, beginning with 0.
std::vector<Index> evenly(Index count, Index most);

// What is known about one client.
struct LiveClient {
  enum class State : std::uint8_t { unknown, waiting, active, late, gone };
  std::string name;
  State state = State::unknown;
  Index rows = -1;  // training rows; -1 if unknown
  std::int64_t turns = 0, last_round = -1, skipped = 0;
  std::int64_t up_bits = 0, down_bits = 0;
  double latency = std::numeric_limits<double>::quiet_NaN();  // in seconds
};
struct LiveClients {
  std::vector<LiveClient> shown;
  Index in_all = 0;
  Index here = -1;         // connected clients; -1 in a simulation
  Index heard = 0;         // clients that took part at least once
  Index participants = 0;  // participants of the latest exchange
};

// What does not change once sampling has begun.
struct LivePlan {
  RunFacts facts;                 // as they were at that time
  std::vector<Index> parameters;  // parameters with a history
  std::vector<std::string> scores;
  std::string config;        // as TOML
  std::int64_t started = 0;  // iterations done before this process (resume)
};
LivePlan live_plan_of(const Experiment& experiment);

struct LiveState {
  enum class Phase : std::uint8_t { preparing, waiting, sampling, writing };
  Phase phase = Phase::preparing;
  std::int64_t iteration = 0, draws = 0;
  double seconds = 0, rhat = std::numeric_limits<double>::quiet_NaN();
  double rate = 0;  // recent iterations per second
  Counters counters;
  History trace;               // draws: parameter by parameter, one number per chain
  History metrics;             // kMetricColumns, then the scores
  std::vector<double> latest;  // latest row of metrics
  LiveClients clients;
};
inline constexpr std::array<const char*, 5> kMetricColumns = {"round", "uplink_bits", "downlink_bits", "gradients",
                                                              "seconds"};

class LiveFeed final : public Onlooker {
 public:
  // These functions are for the sampling thread.
  void begin(const Experiment& experiment);  // call before the first iteration
  void phase(LiveState::Phase phase);        // handed over at once
  void kept(ConstPanelView position) override;
  void scored(std::int64_t iteration, const Counters& counters, double seconds, const Scores& scores) override;
  void looked(const Look& look) override;
  void exchanged(std::span<const ClientTraffic> loads);  // in a simulation: which clients took part
  void clients(LiveClients now);                         // in a federation: the clients as its server sees them

  // These functions are for the dashboard's thread.
  bool take(LiveState& state);                   // false if nothing has changed since the last call
  std::shared_ptr<const LivePlan> plan() const;  // null before begin()

 private:
  using Clock = std::chrono::steady_clock;
  void metrics_row(const Counters& counters, double seconds);
  void name_clients(const Experiment& experiment);
  void measure_rate(Clock::time_point now);
  bool hand_over(bool wait);

  LiveState mine_;
  std::shared_ptr<const LivePlan> settled_;  // the same as plan_, read by the sampling thread without a lock
  std::vector<std::uint64_t> heard_;         // one bit per client
  std::vector<double> scores_;               // the latest scores
  std::int64_t exchanges_ = 0;
  bool unseen_row_ = false;  // a metrics row was added since the last hand-over
  Clock::time_point due_, rate_since_;
  std::int64_t rate_from_ = -1;

  mutable std::mutex mutex_;
  LiveState slot_;
  bool fresh_ = false;
  std::shared_ptr<const LivePlan> plan_;
};

}  // namespace pollen::sink
