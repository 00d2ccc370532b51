// A transport of your own: carries rounds one client after the other and counts the bytes of their replies.
#include <cstdio>

#include "pollen/run.h"

std::int64_t carried = 0;  // bytes

class OneByOne : public pollen::Transport {
 public:
  OneByOne(pollen::ClientView& view, pollen::Clients& clients) : view_(view), clients_(clients) {}
  void exchange(pollen::Server& server) override {
    const pollen::Roster& roster = server.broadcast().roster;
    view_.receive(server.broadcast(), work_);
    for (const pollen::Roster::Entry& entry : roster.clients) {
      clients_[entry.client].answer(view_, roster.chains(entry), reply_, work_, roster.weights(entry));
      carried += std::ssize(reply_.payload);  // these bytes would travel
      server.absorb(reply_, entry, work_);
      clients_[entry.client].acknowledge(reply_, true);
    }
  }
  void query(const pollen::Query& query, pollen::PanelView sum) override {
    const auto local = pollen::make_thread_transport(view_, clients_, 1);
    local->query(query, sum);  // questions about the problem go the usual way
  }

 private:
  pollen::ClientView& view_;
  pollen::Clients& clients_;
  pollen::Workspace work_;
  pollen::Reply reply_;
};

int main() {
  const auto mean = [](pollen::MakeTransport transport) {
    const auto config = pollen::read_builtin_config({"run.iterations=500", "run.burn_in=50"});
    pollen::Run run(config, {.threads = 1, .transport = transport});
    run.start();
    run.sample();
    return run.finish().parameters[0].mean;
  };
  const auto make = [](auto& view, auto& clients) { return std::make_unique<OneByOne>(view, clients); };
  const double usual = mean({}), own = mean(make);
  std::printf("%lld bytes carried; the same draws: %s\n", static_cast<long long>(carried), usual == own ? "yes" : "no");
  return carried > 0 && usual == own ? 0 : 1;
}
