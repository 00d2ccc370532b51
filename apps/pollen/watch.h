// The server's side of --metrics, of --dashboard and of JSON progress: looks at the server's objects on their own
// thread, every half second or so, and publishes what it sees.
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
    const sink::RunSession* session = nullptr;  // nothing before set-up is over
    sink::LiveFeed* live = nullptr;             // a dashboard's, which is told of the clients
  };
  // `news` hears of progress every ten seconds; empty: never.
  explicit Watch(Tell news = {}) : news_(std::move(news)) {}

  Sources sources;
  const Monitor& monitor() const { return monitor_; }
  void look();  // cheap where it is not time yet
  void done();

 private:
  View see();
  void tell_progress(const View& view);

  Monitor monitor_;
  Tell news_;
  View::Clock::time_point due_, news_due_;
  std::int64_t told_round_ = -1;
  std::optional<View::Clock::time_point> gone_since_;
};

}  // namespace pollen::app
