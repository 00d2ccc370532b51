#include "sink/live_feed.h"

#include <algorithm>
#include <cmath>

#include "sink/metrics.h"

namespace pollen::sink {

namespace {

constexpr std::size_t kTraceNumbers = std::size_t{1} << 17;  // a megabyte
constexpr std::size_t kLongestTrace = 2000, kMetricRows = 500;
constexpr auto kEvery = std::chrono::milliseconds(330);
constexpr auto kRateOver = std::chrono::seconds(2);

LivePlan plan_of(const Experiment& experiment) {
  LivePlan plan;
  plan.facts = facts_of(experiment);
  plan.dimension = experiment.dimension();
  plan.parameters = evenly(plan.dimension, kLiveParameters);
  for (const Index j : plan.parameters) plan.labels.push_back(plan.facts.labels[static_cast<std::size_t>(j)]);
  plan.facts.labels.clear();
  plan.scores = score_columns(experiment);
  plan.config = to_toml(experiment.config());
  plan.started = experiment.iteration();
  return plan;
}

History trace_of(const LivePlan& plan) {
  const std::size_t width = plan.parameters.size() * static_cast<std::size_t>(plan.facts.chains);
  return {width, std::clamp<std::size_t>(kTraceNumbers / std::max<std::size_t>(width, 1), 64, kLongestTrace)};
}

}  // namespace

std::vector<Index> evenly(Index count, Index most) {
  const Index n = std::min(count, most);
  std::vector<Index> out;
  for (Index i = 0; i < n; ++i) out.push_back(i * count / n);
  return out;
}

void LiveFeed::begin(const Experiment& experiment) {
  own_plan_ = std::make_shared<const LivePlan>(plan_of(experiment));
  mine_.phase = LiveState::Phase::sampling;
  mine_.iteration = own_plan_->started;
  mine_.counters = own_plan_->facts.counters;
  mine_.trace = trace_of(*own_plan_);
  mine_.metrics = History(kMetricColumns.size() + own_plan_->scores.size(), kMetricRows);
  mine_.latest.assign(mine_.metrics.width(), std::nan(""));
  scores_.assign(own_plan_->scores.size(), std::nan(""));
  exchanges_ = mine_.counters.rounds;
  if (mine_.clients.here < 0) name_clients(experiment);
  {
    const std::lock_guard lock(mutex_);
    plan_ = own_plan_;
  }
  hand_over(true);
}

void LiveFeed::name_clients(const Experiment& experiment) {
  const Federation& data = experiment.data();
  LiveClients& all = mine_.clients;
  all.in_all = experiment.clients();
  heard_.assign(static_cast<std::size_t>(all.in_all + 63) / 64, 0);
  for (const Index i : evenly(all.in_all, kLiveClients)) {
    LiveClient client;
    const auto place = static_cast<std::size_t>(i);
    client.name = place < data.client_names.size() ? data.client_names[place] : std::to_string(i + 1);
    if (place + 1 < data.train_begin.size()) client.rows = data.train_rows(i);
    all.shown.push_back(std::move(client));
  }
}

void LiveFeed::phase(LiveState::Phase phase) {
  mine_.phase = phase;
  hand_over(true);
}

void LiveFeed::kept(ConstPanelView position) {
  const std::span<double> row = mine_.trace.offer();
  if (row.empty()) return;
  std::size_t at = 0;
  for (const Index j : own_plan_->parameters)
    for (Index c = 0; c < position.columns; ++c) row[at++] = position.column(c)[static_cast<std::size_t>(j)];
}

void LiveFeed::scored(std::int64_t iteration, const Counters& counters, double seconds, const Scores& scores) {
  mine_.iteration = iteration;
  for (std::size_t i = 0; i < std::min(scores_.size(), scores.size()); ++i) scores_[i] = scores[i].value;
  metrics_row(counters, seconds);
  unseen_row_ = true;
}

void LiveFeed::metrics_row(const Counters& counters, double seconds) {
  const auto number = [](std::int64_t n) { return static_cast<double>(n); };
  const std::array<double, kMetricColumns.size()> first = {number(counters.rounds), number(counters.uplink_bits),
                                                           number(counters.downlink_bits), number(counters.gradients),
                                                           seconds};
  std::ranges::copy(first, mine_.latest.begin());
  std::ranges::copy(scores_, mine_.latest.begin() + first.size());
  if (const std::span<double> row = mine_.metrics.offer(); !row.empty()) std::ranges::copy(mine_.latest, row.begin());
}

// Measures the rate over the last seconds, so that a run whose rounds become slower shows it.
void LiveFeed::measure_rate(Clock::time_point now) {
  if (rate_from_ >= 0) {
    const double seconds = std::chrono::duration<double>(now - rate_since_).count();
    mine_.rate = static_cast<double>(mine_.iteration - rate_from_) / std::max(seconds, 1e-9);
    if (now - rate_since_ < kRateOver) return;
  }
  rate_from_ = mine_.iteration;
  rate_since_ = now;
}

void LiveFeed::looked(const Look& look) {
  mine_.iteration = look.iteration;
  const Clock::time_point now = Clock::now();
  const bool over = look.last || look.iteration >= own_plan_->facts.iterations;
  if (now < due_ && !over) return;
  mine_.draws = look.draws;
  mine_.seconds = look.seconds;
  mine_.rhat = look.rhat;
  mine_.counters = look.counters;
  measure_rate(now);
  if (!unseen_row_) metrics_row(look.counters, look.seconds);
  if (!hand_over(over)) return;  // tried again at the next look
  unseen_row_ = false;
  due_ = now + kEvery;
}

void LiveFeed::exchanged(std::span<const ClientTraffic> loads) {
  LiveClients& all = mine_.clients;
  ++exchanges_;
  if (heard_.empty()) return;
  all.participants = std::ssize(loads);
  const auto shown = std::ssize(all.shown);
  for (const ClientTraffic& load : loads) {
    std::uint64_t& word = heard_[load.client / 64];
    const std::uint64_t bit = std::uint64_t{1} << (load.client % 64);
    if ((word & bit) == 0) ++all.heard;
    word |= bit;
    // Computes the place that evenly() gives this client, if it gives it one.
    const Index place = (load.client * shown + all.in_all - 1) / all.in_all;
    if (place >= shown || place * all.in_all / shown != static_cast<Index>(load.client)) continue;
    LiveClient& client = all.shown[static_cast<std::size_t>(place)];
    ++client.turns;
    client.last_round = exchanges_ - 1;
    client.up_bits += load.up_bits;
    client.down_bits += load.down_bits;
  }
}

void LiveFeed::clients(LiveClients now) {
  mine_.clients = std::move(now);
  if (own_plan_ != nullptr) measure_rate(Clock::now());  // a round that waits for a client makes no progress
  hand_over(false);
}

bool LiveFeed::hand_over(bool wait) {
  std::unique_lock lock(mutex_, std::defer_lock);
  if (wait)
    lock.lock();
  else if (!lock.try_lock())
    return false;
  slot_ = mine_;
  fresh_ = true;
  return true;
}

bool LiveFeed::take(LiveState& state) {
  const std::lock_guard lock(mutex_);
  if (!fresh_) return false;
  std::swap(state, slot_);  // the next copy reuses this memory
  fresh_ = false;
  return true;
}

std::shared_ptr<const LivePlan> LiveFeed::plan() const {
  const std::lock_guard lock(mutex_);
  return plan_;
}

}  // namespace pollen::sink
