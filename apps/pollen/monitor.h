// The state that a server shows while it works (--metrics): Prometheus metrics at /metrics and the server's health at
// /healthz. The server's thread publishes a View from time to time; the HTTP threads read copies of it and touch
// nothing else.
#pragma once

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace pollen::app {

struct View {
  using Clock = std::chrono::steady_clock;
  const char* status = "waiting";  // "waiting" (for its clients), "sampling" or "done"
  std::int64_t round = 0, iteration = 0, iterations = 0, participants = 0, draws = 0;
  std::int64_t here = 0, expected = 0;
  std::vector<std::string> missing;
  std::int64_t bytes_in = 0, bytes_out = 0, repeated = 0, brought_up = 0, skipped = 0;
  double waited = 0, waiting_share = 0;  // seconds of waiting for messages, and their share since the first round
  static constexpr std::array<double, 3> kQuantiles = {0.5, 0.9, 0.99};
  // The quantiles of the seconds from a broadcast to a reply.
  std::array<double, 3> latency = {std::nan(""), std::nan(""), std::nan("")};
  double rhat = std::nan("");
  std::optional<Clock::time_point> gone_since;  // since when all clients have been away while they are needed
};

class Monitor {
 public:
  void publish(View view) {
    const std::lock_guard lock(mutex_);
    view_ = std::move(view);
  }
  View view() const {
    const std::lock_guard lock(mutex_);
    return view_;
  }

 private:
  mutable std::mutex mutex_;
  View view_;
};

// Returns false if all clients have been away for more than a minute, so that someone should look.
bool is_healthy(const View& view, View::Clock::time_point now);
std::string health_text(const View& view, bool healthy);  // the answer of /healthz, as JSON

struct MetricsServer {
  virtual ~MetricsServer() = default;
  virtual int port() const = 0;
};
// Starts a server that answers until it is destroyed. Throws IoError if it cannot listen, and ConfigError in a build
// without HTTP.
std::unique_ptr<MetricsServer> serve_metrics(const std::string& host, int port, const Monitor& monitor);

}  // namespace pollen::app
