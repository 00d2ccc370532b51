#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "baseline_parts.h"
#include "engine_parts.h"
#include "math/math.h"
#include "pollen/archive.h"
#include "pollen/errors.h"

namespace pollen::baselines {

Slice no_part() { return {}; }
Slice shared_part(const PersonalProblem& problem) { return {0, static_cast<std::size_t>(problem.shared())}; }
Slice latent_part(const PersonalProblem& problem) {
  return {shared_part(problem).count, static_cast<std::size_t>(problem.clients.front()->latent())};
}
Slice whole_model(const PersonalProblem& problem) {
  return {0, shared_part(problem).count + latent_part(problem).count};
}

Baseline::Baseline(const PersonalProblem& problem, const BaselineSettings& settings, Slice sent, Slice kept,
                   Index vectors)
    : problem_(problem),
      settings_(settings),
      whole_(whole_model(problem)),
      sent_(sent),
      kept_(kept),
      vectors_(vectors),
      participation_(settings.participation, problem.clients.sizes(), problem.chains, false, problem.seed, true),
      active_rows_(static_cast<std::size_t>(problem.chains)),
      server_(dimension(), problem.chains),
      own_(static_cast<Index>(kept.count), kept.count > 0 ? slots() : 0),
      sum_(dimension(), problem.chains) {
  for (Index i = 0; i < clients(); ++i) all_rows_ += rows(i);
}

void Baseline::start(ConstPanelView position) {
  for (Index c = 0; c < problem_.chains; ++c) {
    const auto from = position.column(c);
    std::ranges::copy(from, server_.column(c).begin());
    for (Index i = 0; kept_.count > 0 && i < clients(); ++i) std::ranges::copy(kept_.of(from), own(i, c).begin());
  }
}

std::int64_t Baseline::advance(std::int64_t) {
  participation_.draw(iteration_, roster_);
  traffic_.open(roster_.clients);
  weigh();
  const std::int64_t before = counters_.messages;
  round();
  const bool answered = counters_.messages != before;
  if (answered) ++counters_.rounds;
  // A baseline without messages is timed by its iterations, in which all clients compute.
  traffic_.close(answered || !sends());
  stale_ = sent_.count < whole_.count;
  ++iteration_;
  return 1;
}

void Baseline::weigh() {
  std::ranges::fill(active_rows_, 0.0);
  for (const Roster::Entry& entry : roster_.clients)
    for (std::uint32_t p = entry.first; p < entry.first + entry.count; ++p)
      active_rows_[roster_.chain[p]] += rows(static_cast<Index>(entry.client)) * roster_.weight[p];
}

// The roster's weights correct for unequal chances of taking part. If all clients have the same chance, they cancel.
double Baseline::share(Index client, std::size_t p) const {
  const double all = active_rows_[roster_.chain[p]];
  return all > 0 ? rows(client) * roster_.weight[p] / all : 0;
}

void Baseline::round() {
  std::ranges::fill(sum_.flat(), 0.0);
  for (const Roster::Entry& entry : roster_.clients)
    for (std::uint32_t p = entry.first; p < entry.first + entry.count; ++p)
      visit(static_cast<Index>(entry.client), static_cast<Index>(roster_.chain[p]), p);
  for (Index c = 0; c < problem_.chains; ++c) {
    math::axpy(settings_.server_step, sent_.of(sum_.column(c)), sent_.of(server_.column(c)));
    close(c);
    check(server_.column(c), -1);
    count_broadcast(c, sent_);
  }
}

void Baseline::visit(Index client, Index chain, std::size_t p) {
  Scratch::Frame frame(scratch_);
  const auto w = scratch_.take<double>(dimension());
  std::ranges::copy(server(chain), w.begin());
  if (sent_.count < whole_.count) std::ranges::copy(own(client, chain), kept_.of(w).begin());
  train(client, chain, w);
  check(w, client);
  if (kept_.count > 0) check(own(client, chain), client);
  if (sent_.count == 0) return;
  math::subtract(w, server(chain), w);
  math::axpy(share(client, p), sent_.of(w), sent_.of(sum_.column(chain)));
  count_message(client, sent_);
}

void Baseline::mean_gradient(Index client, std::span<const double> w, std::span<double> g) const {
  if (rows(client) == 0) {
    std::ranges::fill(g, 0.0);
    return;
  }
  const auto k = static_cast<std::size_t>(problem_.shared());
  problem_.clients[static_cast<std::size_t>(client)]->gradient(w.first(k), w.subspan(k), g.subspan(k), g.first(k),
                                                               scratch_);
  math::scale(1 / rows(client), g);
}

void Baseline::gradient(Index client, std::span<const double> w, std::span<double> g) {
  mean_gradient(client, w, g);
  const std::int64_t evaluated = problem_.clients[static_cast<std::size_t>(client)]->rows();
  counters_.gradients += evaluated;
  traffic_.add({.client = static_cast<std::uint32_t>(client), .gradients = evaluated});
}

void Baseline::count_message(Index client, Slice sent) {
  ++counters_.messages;
  const std::int64_t bits = 64 * vectors_ * static_cast<std::int64_t>(sent.count);
  counters_.uplink_bits += bits;
  counters_.downlink_bits += bits;
  traffic_.add({static_cast<std::uint32_t>(client), bits, 0, bits});
}

void Baseline::count_broadcast(Index chain, Slice sent) {
  if (active_rows_[static_cast<std::size_t>(chain)] > 0)
    counters_.broadcast_bits += 64 * vectors_ * static_cast<std::int64_t>(sent.count);
}

void Baseline::check(std::span<const double> w, Index client) const {
  const bool whole = w.size() == whole_.count;
  const bool away = whole && noise_ran_away(*problem_.clients.front(), shared_part(problem_).of(w));
  if (!away && math::all_finite(w)) return;
  throw NumericError(fmt::format("{}; try a smaller sampler.step or sampler.penalty",
                                 away ? "a model's log_sigma has run away" : "a model is not finite"),
                     static_cast<std::int64_t>(iteration_), client);
}

void Baseline::personal(Index client, Index chain, std::span<double> w) const {
  std::ranges::copy(server(chain), w.begin());
  if (kept_.count > 0) std::ranges::copy(own(client, chain), kept_.of(w).begin());
}

void Baseline::copy_personal(Index client, Index chain, Slice part, std::span<double> out) const {
  Scratch::Frame frame(scratch_);
  const auto w = scratch_.take<double>(dimension());
  personal(client, chain, w);
  std::ranges::copy(part.of(w), out.begin());
}

ConstPanelView Baseline::position() const {
  refresh();
  return std::as_const(server_).view();
}

void Baseline::refresh() const {
  if (!stale_) return;
  stale_ = false;
  for (Index c = 0; c < problem_.chains; ++c) {
    const auto mean = kept_.of(server_.column(c));
    std::ranges::fill(mean, 0.0);
    for (Index i = 0; i < clients(); ++i) math::axpy(portion(i), own(i, c), mean);
  }
}

void Baseline::archive(Archive& archive) {
  refresh();
  archive.array(server_.flat());
  archive.array(own_.flat());
  archive.field(iteration_);
  counters_.archive(archive);
  traffic_.archive(archive, clients());
}

}  // namespace pollen::baselines
