// Collects what --metrics, --dashboard and JSON progress show of a server. It reads the server's objects on their own
// thread, about every half second, and publishes a View to the Monitor, which other threads may read.
#pragma once

#include "federation/federation.h"
#include "monitor.h"
#include "sink/live_feed.h"
#include "sink/run_session.h"

namespace pollen::app {

class Watch {
 public:
  struct Sources {
    const ConnectionRegistry* registry = nullptr;
    const RoundStatistics* statistics = nullptr;
    const sink::RunSession* session = nullptr;  // null before set-up is over
    sink::LiveFeed* live = nullptr;             // the dashboard's feed, which is told about the clients
  };
  // `news` receives progress every ten seconds; without it, progress is not reported.
  explicit Watch(Tell news = {}) : news_(std::move(news)) {}

  Sources sources;
  const Monitor& monitor() const { return monitor_; }
  void look();          // returns at once if it is not yet time
  void tell_clients();  // tells the dashboard's feed of the clients as they are now
  void done();

 private:
  View see();

  Monitor monitor_;
  Tell news_;
  View::Clock::time_point due_, news_due_;
  std::int64_t told_round_ = -1;
  std::optional<View::Clock::time_point> gone_since_;
};

}  // namespace pollen::app
