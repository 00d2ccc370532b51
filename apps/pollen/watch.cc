#include "watch.h"

#include <fmt/format.h>

#include <algorithm>

namespace pollen::app {

namespace {

constexpr auto kEvery = std::chrono::milliseconds(500);
constexpr auto kNewsEvery = std::chrono::seconds(10);

std::array<double, 3> quantiles_of(std::vector<double> latencies) {
  std::array<double, 3> out = View().latency;
  if (latencies.empty()) return out;
  std::ranges::sort(latencies);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto rank = static_cast<std::size_t>(std::ceil(View::kQuantiles[i] * static_cast<double>(latencies.size())));
    out[i] = latencies[std::min(rank, latencies.size()) - 1];
  }
  return out;
}

sink::LiveClient::State state_of(const ConnectionRegistry& registry, const RoundStatistics& statistics,
                                 std::uint32_t i) {
  using State = sink::LiveClient::State;
  if (!registry.connected(i)) return State::gone;
  if (i >= statistics.clients.size() || !registry.present(i)) return State::waiting;
  const ClientStatistics& client = statistics.clients[i];
  if (client.late) return State::late;
  // A client that answered the latest round counts as active, like one that works on the next.
  const bool latest = client.last_round >= 0 && client.last_round + 1 >= statistics.turns;
  return client.wanted || latest ? State::active : State::waiting;
}

sink::LiveClients clients_of(const ConnectionRegistry& registry, const RoundStatistics& statistics) {
  sink::LiveClients out;
  out.in_all = std::ssize(registry.names());
  out.here = out.in_all - std::ssize(registry.absent());
  out.participants = statistics.participants;
  out.frames = true;
  for (const ClientStatistics& client : statistics.clients) out.heard += client.turns > 0 ? 1 : 0;
  for (const Index index : sink::evenly(out.in_all, sink::kLiveClients)) {
    const auto i = static_cast<std::size_t>(index);
    sink::LiveClient client;
    client.name = registry.names()[i];
    client.state = state_of(registry, statistics, static_cast<std::uint32_t>(i));
    if (i < registry.sites().size()) client.rows = registry.sites()[i].rows;
    if (i < statistics.clients.size()) {
      const ClientStatistics& s = statistics.clients[i];
      client.turns = s.turns;
      client.last_round = s.last_round;
      client.skipped = s.skipped;
      client.up_bits = 8 * s.bytes_in;
      client.down_bits = 8 * s.bytes_out;
      if (s.turns > 0) client.latency = s.latency;
    }
    out.shown.push_back(std::move(client));
  }
  return out;
}

}  // namespace

View Watch::see() {
  View view;
  const ConnectionRegistry& registry = *sources.registry;
  view.expected = std::ssize(registry.names());
  view.missing = registry.absent();
  view.here =
      registry.gathered() ? static_cast<std::int64_t>(registry.present()) : view.expected - std::ssize(view.missing);
  std::erase(view.missing, "");  // an empty name is a place that any client may take
  const RoundStatistics& s = *sources.statistics;
  view.participants = s.participants;
  view.bytes_in = s.bytes_in;
  view.bytes_out = s.bytes_out;
  view.repeated = s.repeated;
  view.brought_up = s.brought_up;
  view.skipped = s.skipped;
  view.waited = s.waited;
  view.waiting_share = s.waiting_share();
  view.latency = quantiles_of(s.latencies);
  if (sources.session == nullptr) return view;
  const Experiment& experiment = sources.session->experiment();
  view.status = "sampling";
  view.round = experiment.counters().rounds;
  view.iteration = experiment.iteration();
  view.iterations = experiment.config().run.iterations;
  if (const sink::Recorder* recorder = sources.session->recorder()) {
    view.draws = recorder->draws();
    view.rhat = recorder->rhat();
  }
  return view;
}

void Watch::look() {
  const auto now = View::Clock::now();
  if (now < due_ || sources.registry == nullptr) return;
  due_ = now + kEvery;
  View view = see();
  tell_clients();
  if (view.here > 0 || sources.session == nullptr)
    gone_since_.reset();
  else if (!gone_since_)
    gone_since_ = now;
  view.gone_since = gone_since_;
  if (news_ && sources.session != nullptr && now >= news_due_ && view.round != told_round_) {
    told_round_ = view.round;
    news_due_ = now + kNewsEvery;
    const std::string rhat = std::isfinite(view.rhat) ? fmt::format(", worst R-hat {:.3f}", view.rhat) : "";
    news_({"progress",
           fmt::format("{} of {} iterations, {} draws per chain{}", view.iteration, view.iterations, view.draws, rhat),
           {},
           view.round});
  }
  monitor_.publish(std::move(view));
}

void Watch::tell_clients() {
  if (sources.live != nullptr && sources.registry != nullptr)
    sources.live->clients(clients_of(*sources.registry, *sources.statistics));
}

void Watch::done() {
  View view = see();
  view.status = "done";
  monitor_.publish(std::move(view));
}

}  // namespace pollen::app
