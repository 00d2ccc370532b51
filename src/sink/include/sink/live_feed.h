// Passes the state of a running run to a dashboard in another thread. The sampling thread reports cheaply: it keeps
// histories of a fixed size (at most 50 parameters and 200 clients, evenly chosen) and hands over a copy three times a
// second. If the dashboard is taking a copy at that moment, the hand-over is tried again a little later, so sampling
// never waits. The dashboard's thread takes the latest copy and does the rest.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "round/traffic.h"
#include "run/experiment.h"
#include "sink/facts.h"
#include "sink/predictive.h"

namespace pollen::sink {

// Keeps rows of numbers over time in constant memory. When it is full, every second row is dropped and from then on
// half as many are accepted. The rows kept are always evenly spaced: numbers 0, every(), 2 every(), ... of those
// offered. Not thread-safe.
class History {
 public:
  History() = default;
  History(std::size_t width, std::size_t most_rows)
      : width_(width), most_((std::max<std::size_t>(most_rows, 2) + 1) / 2 * 2), numbers_(width_ * most_) {}

  // Returns where to write the row offered now, or an empty span if it is not accepted.
  std::span<double> offer() {
    if (offered_++ % every_ != 0 || width_ == 0) return {};
    if (rows_ == most_) thin();  // the number of rows is even, so this row is among those that are kept
    return {numbers_.data() + width_ * rows_++, width_};
  }

  std::size_t width() const { return width_; }
  std::size_t rows() const { return rows_; }
  std::span<const double> row(std::size_t i) const { return {numbers_.data() + width_ * i, width_}; }
  std::int64_t every() const { return every_; }
  std::int64_t offered() const { return offered_; }

 private:
  void thin() {
    for (std::size_t i = 1; 2 * i < rows_; ++i)
      std::copy_n(numbers_.begin() + static_cast<std::ptrdiff_t>(2 * i * width_), width_,
                  numbers_.begin() + static_cast<std::ptrdiff_t>(i * width_));
    rows_ /= 2;
    every_ *= 2;
  }

  std::size_t width_ = 0, most_ = 0, rows_ = 0;
  std::int64_t every_ = 1, offered_ = 0;
  std::vector<double> numbers_;
};

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
  bool frames = false;     // the clients' bits are those of whole frames, not of payloads alone
};

// What does not change once sampling has begun.
struct LivePlan {
  RunFacts facts;                   // as they were at that time, without labels, which may be many
  Index dimension = 0;              // the number of parameters
  std::vector<Index> parameters;    // parameters with a history
  std::vector<std::string> labels;  // their labels
  std::vector<std::string> scores;
  std::string config;        // as TOML
  std::int64_t started = 0;  // iterations done before this process (resume)
};

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

class LiveFeed {
 public:
  // These functions are for the sampling thread. They are cheap and do not block.
  void begin(const Experiment& experiment);  // call before the first iteration
  void phase(LiveState::Phase phase);        // handed over at once
  void kept(ConstPanelView position);        // one draw of every chain was kept
  // A row of metrics.csv was written. Scores that are NaN are unknown.
  void scored(std::int64_t iteration, const Counters& counters, double seconds, const Scores& scores);
  // The state of the run, reported about fifty times a second and after the last iteration.
  struct Look {
    std::int64_t iteration = 0;
    std::int64_t draws = 0;  // kept draws per chain, including earlier processes
    double seconds = 0;      // time of the loop, including earlier processes
    double rhat = 0;         // the worst of all parameters; NaN if unknown
    const Counters& counters;
    bool last = false;  // nothing follows
  };
  void looked(const Look& look);
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
  std::shared_ptr<const LivePlan> own_plan_;  // the same as plan_, read by the sampling thread without a lock
  std::vector<std::uint64_t> heard_;          // one bit per client
  std::vector<double> scores_;                // the latest scores
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
