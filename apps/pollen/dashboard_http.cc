// The dashboard's own thread: takes what the sampling thread has recorded, turns it into JSON and publishes it to the
// pages.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "dashboard.h"
#include "http/live_server.h"
#include "pollen/errors.h"
#include "report/live_json.h"
#include "report/web.h"

namespace pollen::app {

namespace {

constexpr auto kEvery = std::chrono::milliseconds(250), kLongestRest = std::chrono::milliseconds(5000);
constexpr int kRest = 150;  // the pause after an event, as a multiple of the time it took to make
constexpr auto kFarewell = std::chrono::milliseconds(700);  // how long pages have to take the final state

class HttpDashboard final : public Dashboard {
 public:
  HttpDashboard(const DashboardOptions& options, std::string name)
      : name_(std::move(name)),
        server_({.option = "--dashboard", .page = web::live_page(), .address = options.address, .port = *options.port}),
        thread_([this] { work(); }) {}
  ~HttpDashboard() override {
    if (!ended_) end_by({sink::RunStatus::interrupted, "It ended early; the terminal says why."});
  }

  sink::LiveFeed& feed() override { return feed_; }
  std::string greeting() const override { return fmt::format("dashboard at {}", server_.url()); }
  void end(const sink::Summary& summary) override { end_by({summary.facts.status, summary.facts.failure, &summary}); }

 private:
  using Clock = std::chrono::steady_clock;
  void end_by(const report::LiveEnd& word) {
    ended_ = true;
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    wake_.notify_one();
    thread_.join();
    feed_.take(state_);
    if (server_.readers() == 0) return;
    if (const auto plan = feed_.plan()) findings_.look_again(state_, *plan);
    server_.finish(text(&word), kFarewell);
  }

  void work() {
    (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), 10);
    bool news = true;
    // The earliest time of the next event. When sampling uses all cores, every event costs it time.
    Clock::time_point due;
    std::unique_lock lock(mutex_);
    while (!over_) {
      lock.unlock();
      news |= feed_.take(state_);
      if (const auto plan = feed_.plan()) findings_.look(state_, *plan);
      if (const Clock::time_point begin = Clock::now(); news && begin >= due && server_.readers() > 0) {
        server_.publish(text(nullptr));
        news = false;
        due = begin + std::min<Clock::duration>(kRest * (Clock::now() - begin), kLongestRest);
      }
      lock.lock();
      wake_.wait_for(lock, kEvery, [&] { return over_; });
    }
  }
  std::string text(const report::LiveEnd* end) const {
    return report::live_json(name_, feed_.plan().get(), state_, findings_, end);
  }

  std::string name_;
  sink::LiveFeed feed_;
  sink::LiveState state_;          // used by the thread and, after it ended, by end()
  report::LiveFindings findings_;  // used by the thread and, after it ended, by end()
  http::LiveServer server_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool over_ = false, ended_ = false;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<Dashboard> open_dashboard(const DashboardOptions& options, const std::string& name) {
  if (!options.port) return nullptr;
  if (web::live_page().empty()) throw ConfigError("--dashboard", std::string(web::kHowToGetPages));
  return std::make_unique<HttpDashboard>(options, name);
}

}  // namespace pollen::app
