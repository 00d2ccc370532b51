// Carries rounds over connections. The broadcast goes to the clients that were drawn; replies may come in any order,
// more than once, or not at all.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "awaited_clients.h"
#include "federation/federation.h"
#include "math/math.h"
#include "pollen/errors.h"
#include "potential_watch.h"
#include "round/block_sums.h"
#include "sink/score_sums.h"

namespace pollen {

namespace {

constexpr std::size_t kLatencies = 4096;

// Sums of scores: none is negative except that of logarithms, which may be infinite.
bool are_score_sums(std::span<const double> sums) {
  for (std::size_t j = 0; j < sums.size(); ++j)
    if (j == sink::ScoreSums::kLogDensity ? std::isnan(sums[j]) : !(std::isfinite(sums[j]) && sums[j] >= 0))
      return false;
  return true;
}

// Checks that an answer's numbers are finite, except potentials and scores, which may be infinite, and that it leaves
// other clients' columns empty. An exact kernel proposes positions at which nothing may be finite, and rejects them
// then.
void check_answer(const Panel& values, std::uint32_t client, Query::What what) {
  const bool own_column = Query::by_client(what);
  if (what == Query::What::potential_gradient) return;
  for (Index c = 0; c < values.columns(); ++c) {
    const auto column = values.column(c);
    if (what == Query::What::scores && !are_score_sums(column))
      throw WireError("found sums of scores that are no numbers or below 0, accepted: 0 or more");
    const bool may_be_infinite = what == Query::What::value || what == Query::What::scores;
    const bool number = may_be_infinite ? !std::isnan(column[0]) : math::all_finite(column);
    if (!number) {
      const auto wrong = std::ranges::find_if_not(column, [](double x) { return std::isfinite(x); });
      throw WireError(fmt::format("found {} in column {}, accepted: finite numbers", *wrong, c));
    }
    if (own_column && c != static_cast<Index>(client) && math::max_abs(column) != 0)
      throw WireError(fmt::format("found numbers in column {}, accepted: in its own, {}, alone", c, client));
  }
}

class RemoteTransport final : public Transport {
 public:
  RemoteTransport(ConnectionRegistry& registry, ClientView& mirror, const RemoteOptions& options)
      : registry_(registry),
        mirror_(mirror),
        clients_(registry, mirror, options),
        tell_(options.tell),
        replies_(clients_.size()),
        absorbed_of_(clients_.size()),
        potentials_(rows_of(registry)),
        believed_(options.believed) {
    clients_.statistics().sums = !moves_work(mirror.recipe());
    for (Index c = 0; c < mirror.chains(); ++c) chains_.push_back(static_cast<std::uint32_t>(c));
  }

  void exchange(Server& server) override {
    const Broadcast& broadcast = server.broadcast();
    const auto turn = static_cast<std::uint64_t>(server.iteration());
    const bool coded = server.recipe().noise_share > 0, alike = broadcast.roster.uniform;
    Bytes frame;
    wire::encode(broadcast, chains_, frame, coded && alike ? Weights(broadcast.roster.chain_weight) : Weights());
    clients_.open(std::move(frame), AwaitedClients::Turn::round);
    for (const Roster::Entry& entry : broadcast.roster.clients) {
      if (entry.count != chains_.size())
        throw ConfigError("run.coupled", "found false, accepted in a federation: true");
      clients_.call(entry.client, coded && !alike ? frame_for(broadcast, entry) : Frame());
    }
    while (!absorb_all(server)) collect(server);
    for (const Roster::Entry& entry : broadcast.roster.clients)
      clients_.counted(entry.client, turn + 1, absorbed_of_[entry.client].coded);
    mirror_.receive(broadcast, work_);
    clients_.close(true);
  }

  void query(const Query& query, PanelView sum) override {
    wire::Ask ask = wire::Ask::of(query, sum);
    ask.number = ++asked_;
    const bool round = query.what == Query::What::potential_gradient;
    clients_.open(wire::encode(ask), round ? AwaitedClients::Turn::round : AwaitedClients::Turn::question);
    potentials_.open();
    settled_ = query.settled;
    for (std::uint32_t i = 0; i < clients_.size(); ++i)
      if (query.asks(i)) clients_.call(i);
    std::vector<Panel> answers(clients_.size());
    while (!clients_.answered()) {
      if (query.spares && spare_the_late()) continue;
      if (!barred().empty()) pause_without(barred(), "a question goes to all clients");
      const bool late = clients_.overdue();
      if (late && clients_.policy() == "abort") clients_.give_up("a question to all clients");
      if (late && round) tell_late(clients_.statistics().turns);
      const auto incoming = clients_.next(late);
      if (incoming && !incoming->arrived) take_answer(*incoming, ask, answers);
    }
    if (round) count_round();
    // Clients that come back later are brought up to date with the coordinates.
    const bool coordinates = query.what == Query::What::coordinates;
    if (coordinates) mirror_.set_coordinates(coordinates_told(query));
    clients_.close(coordinates);
    BlockSums blocks(BlockRange::all(std::ssize(answers)));
    blocks.reset(sum.rows, sum.columns);
    for (std::uint32_t i = 0; i < answers.size(); ++i)
      if (query.asks(i) && !answers[i].empty()) blocks.add(i, answers[i]);
    fill(sum, 0.0);
    blocks.add_finished(sum);
  }

  void archive(Archive& archive) override {
    clients_.archive(archive);
    if (mirror_.recipe().exact) potentials_.archive(archive);
  }

  void blame(const NumericError& error, bool fell) override {
    if (const auto suspect = potentials_.suspect(fell); suspect && !believes(suspect->client))
      pause(*suspect, error.what());
  }

 private:
  using Weights = std::span<const double>;

  // The broadcast for a client whose messages have a weight of their own.
  Frame frame_for(const Broadcast& broadcast, const Roster::Entry& entry) const {
    Bytes frame;
    wire::encode(broadcast, chains_, frame, broadcast.roster.weights(entry));
    return std::make_shared<const Bytes>(std::move(frame));
  }

  // Collects replies until everybody has answered, or until the deadline has passed and the rest may be left out.
  void collect(Server& server) {
    while (!clients_.answered()) {
      if (go_on_without_barred(server)) continue;
      const bool late = clients_.overdue();
      if (late && missed(server)) return;
      const auto incoming = clients_.next(late);
      if (incoming && !incoming->arrived) take_reply(*incoming, server);
    }
  }

  static std::int64_t round_of(const Server& server) { return static_cast<std::int64_t>(server.round()); }

  // Those who have not answered and may not take part any more.
  std::vector<std::uint32_t> barred() const {
    std::vector<std::uint32_t> list = clients_.missing();
    std::erase_if(list, [&](std::uint32_t client) { return !registry_.barred(client); });
    return list;
  }

  // Gives up the answers of clients that may not take part any more and, if the federation does not wait for late ones,
  // of those. Returns whether there were any.
  bool spare_the_late() {
    const bool late = clients_.overdue() && clients_.policy() != "wait";
    const std::vector<std::uint32_t> list = late ? clients_.missing() : barred();
    for (const std::uint32_t client : list) {
      clients_.want(client, false);
      const std::string& name = registry_.names()[client];
      tell_({"unscored",
             fmt::format("{} did not answer, so that the scores are without its test rows", name),
             name,
             {},
             Notice::Level::warning});
    }
    return !list.empty();
  }

  // Drops such clients from the open round, as if they had not been drawn, where the theory of the sampler has clients
  // missing; elsewhere the run stops before this round. Returns whether there were any.
  bool go_on_without_barred(Server& server) {
    const std::vector<std::uint32_t> list = barred();
    if (list.empty()) return false;
    const Participation& p = server.recipe().participation;
    if (p.policy == ParticipationPolicy::full || p.scaling != Scaling::active || p.replacement ||
        server.recipe().noise_share > 0)  // coded messages that have come are noise for a round of more clients
      pause_without(list, "every round needs all clients that are drawn (participation)");
    server.leave_out(list);
    server.start_over();
    for (const std::uint32_t client : list) {
      clients_.want(client, false);
      if (left_out_.insert(client).second)
        clients_.tell(round_of(server), "removed", "goes on for good without", {client});
    }
    return true;
  }

  [[noreturn]] void pause_without(const std::vector<std::uint32_t>& list, const char* why) {
    const std::string& name = registry_.names()[list.front()];
    tell_({"paused",
           fmt::format(
               "the run stops, because {} may not take part any more and {}; start the same command again once it "
               "may, or begin another run without it",
               name, why),
           name,
           {},
           Notice::Level::warning});
    throw Paused();
  }

  // Handles a missed deadline. Returns whether the round goes on without the clients that have not answered.
  bool missed(Server& server) {
    const std::vector<std::uint32_t> late = clients_.missing();
    if (clients_.policy() == "abort") clients_.give_up(fmt::format("round {}", server.round()));
    const std::size_t answered = server.broadcast().roster.clients.size() - late.size();
    if (clients_.policy() != "skip" || answered == 0 || !clients_.quorum()) {
      tell_late(round_of(server));
      return false;
    }
    server.leave_out(late);
    server.start_over();
    for (const std::uint32_t client : late) {
      clients_.want(client, false);
      ++clients_.statistics_of(client).skipped;
    }
    clients_.statistics().skipped += std::ssize(late);
    clients_.tell(round_of(server), "skipped", "went on without", late);
    return true;
  }

  void tell_late(std::int64_t round) {
    const std::vector<std::uint32_t> late = clients_.missing();
    clients_.tell_once(round, "late", "still waiting for", late);
    for (const std::uint32_t client : late) clients_.statistics_of(client).late = true;
  }

  // Notes how long a client has taken to answer in a round.
  void note_latency(std::uint32_t client) {
    auto& latencies = clients_.statistics().latencies;
    const double seconds = clients_.statistics_of(client).latency = clients_.seconds();
    if (latencies.size() < kLatencies)
      latencies.push_back(seconds);
    else
      latencies[next_latency_++ % kLatencies] = seconds;
  }

  // Counts a round that was a question to all clients.
  void count_round() {
    for (ClientStatistics& client : clients_.statistics().clients) {
      ++client.turns;
      client.last_round = clients_.statistics().turns;
    }
    ++clients_.statistics().turns;
    clients_.statistics().participants = std::ssize(clients_.statistics().clients);
  }

  void take_reply(const ConnectionRegistry::Message& incoming, const Server& server) {
    const std::uint32_t client = incoming.client;
    try {
      if (wire::type_of(incoming.frame) != wire::Type::reply) return;  // an answer to a question that is settled
      wire::decode(incoming.frame, incoming_);
    } catch (const WireError& error) {
      return registry_.dismiss(client, fmt::format("its reply cannot be read ({})", error.what()), false);
    }
    const LocalSegment& segment = server.broadcast().segment;
    const auto [round, first] = std::pair(incoming_.round, incoming_.first);
    // A reply to an earlier turn.
    if (round < server.round() || (round == server.round() && first < segment.first)) return;
    if (incoming_.client != client || round != server.round() || first != segment.first)
      return registry_.dismiss(client,
                               fmt::format("its reply is of a round that is not open: found round {} from "
                                           "iteration {}, accepted: round {} from iteration {}",
                                           round, first, server.round(), segment.first),
                               false);
    if (!clients_.wanted(client)) return;  // a second copy of a reply
    try {
      clients_.complete(client, incoming_);
    } catch (const WireError& error) {
      return registry_.dismiss(client, fmt::format("its reply cannot be read ({})", error.what()), false);
    }
    std::swap(replies_[client], incoming_);
    clients_.want(client, false);
    note_latency(client);
  }

  // Adds the replies in client order. Returns false if a reply is still missing or is invalid.
  bool absorb_all(Server& server) {
    if (!clients_.answered()) return false;
    const std::span<const Roster::Entry> entries = server.broadcast().roster.clients;
    for (const Roster::Entry& entry : entries) {
      try {
        absorbed_of_[entry.client] = server.absorb(replies_[entry.client], entry, work_);
      } catch (const AbsurdReply& absurd) {
        pause(absurd, static_cast<std::int64_t>(server.round()));
      } catch (const WireError& error) {
        server.start_over();
        clients_.want(entry.client, true);
        registry_.dismiss(entry.client, error.what(), false);
        return false;
      }
    }
    for (const Roster::Entry& entry : entries) {
      ++clients_.statistics_of(entry.client).turns;
      clients_.statistics_of(entry.client).size += absorbed_of_[entry.client].largest;
      clients_.statistics_of(entry.client).last_round = static_cast<std::int64_t>(server.round());
    }
    ++clients_.statistics().turns;
    clients_.statistics().participants = std::ssize(entries);
    if (++absorbed_ == look_at_) tell_of_odd_replies();
    return true;
  }

  // Stops the run before the round of an absurd reply is applied.
  [[noreturn]] void pause(const AbsurdReply& absurd, std::int64_t round) {
    pause(absurd.client, round,
          fmt::format("the number {:.3g}, more than {:.0e} times the largest since burn-in ({:.3g})", absurd.size,
                      Server::kAbsurd, absurd.largest));
  }

  // The same for the rounds of an exact kernel, before the transition to which the answer belongs.
  [[noreturn]] void pause(const PotentialWatch::Suspect& suspect, const std::string& why) {
    const std::string against = std::isfinite(suspect.against)
                                    ? fmt::format(", where about {:.3g} was to be expected", suspect.against)
                                    : std::string();
    pause(suspect.client, clients_.statistics().turns,
          fmt::format("the potential {:.3g}{} ({})", suspect.number, against, why));
  }

  [[noreturn]] void pause(std::uint32_t client, std::int64_t round, const std::string& what) {
    const std::string& name = registry_.names()[client];
    tell_({"paused",
           fmt::format("round {}: {} sent {}; the run stops before this round. Look at the site's data and at its log; "
                       "then start the same command again with --accept-reply {} to take such replies of it, or "
                       "without to ask it again",
                       round, name, what, name),
           name, round, Notice::Level::warning});
    throw Paused();
  }

  bool believes(std::uint32_t client) const { return std::ranges::binary_search(believed_, client); }

  // A client that has nothing but absurd numbers for long keeps the chains where they are.
  void take_potentials(std::uint32_t client, const Panel& answer) {
    constexpr int kMost = 20;
    note_latency(client);
    if (potentials_.take(client, answer) >= kMost && settled_ && !believes(client))
      pause(potentials_.last(client), fmt::format("in {} rounds one after another", kMost));
  }

  static std::vector<Index> rows_of(const ConnectionRegistry& registry) {
    std::vector<Index> rows;
    for (const SiteFacts& site : registry.sites()) rows.push_back(site.rows);
    return rows;
  }

  // Tells of clients whose replies are of another size than the others', once each, after 100 rounds and then less and
  // less often.
  void tell_of_odd_replies() {
    look_at_ *= 2;
    for (const auto& [client, text] : odd_replies(clients_.statistics(), registry_))
      if (odd_.insert(client).second) tell_({"odd", text, registry_.names()[client], {}, Notice::Level::warning});
  }

  void take_answer(const ConnectionRegistry::Message& incoming, const wire::Ask& ask, std::vector<Panel>& answers) {
    try {
      if (wire::type_of(incoming.frame) != wire::Type::answer) return;
      auto answer = wire::decode<wire::Answer>(incoming.frame);
      if (answer.number != ask.number || !clients_.wanted(incoming.client)) return;
      if (answer.values.rows() != ask.rows || answer.values.columns() != ask.columns)
        throw WireError(fmt::format("found {} × {} numbers, accepted: {} × {}", answer.values.rows(),
                                    answer.values.columns(), ask.rows, ask.columns));
      check_answer(answer.values, incoming.client, static_cast<Query::What>(ask.what));
      answers[incoming.client] = std::move(answer.values);
      clients_.want(incoming.client, false);
      if (static_cast<Query::What>(ask.what) == Query::What::potential_gradient)
        take_potentials(incoming.client, answers[incoming.client]);
    } catch (const WireError& error) {
      registry_.dismiss(incoming.client, fmt::format("its answer cannot be taken ({})", error.what()), false);
    }
  }

  ConnectionRegistry& registry_;
  ClientView& mirror_;
  AwaitedClients clients_;
  Tell tell_;
  std::vector<Reply> replies_;                 // one per client
  std::vector<Server::Absorbed> absorbed_of_;  // what each has told
  std::set<std::uint32_t> left_out_;           // clients of which it was told that the run goes on without them
  std::set<std::uint32_t> odd_;                // clients whose replies were called odd
  std::int64_t absorbed_ = 0, look_at_ = 100;
  std::vector<std::uint32_t> chains_;  // all chains, because a client is present for every chain or for none
  Reply incoming_;
  Workspace work_;
  PotentialWatch potentials_;
  std::vector<std::uint32_t> believed_;  // clients whose answers may be absurd; sorted
  bool settled_ = false;                 // whether the open question is one after the burn-in
  std::uint64_t asked_ = 0;
  std::size_t next_latency_ = 0;
};

}  // namespace

std::unique_ptr<Transport> make_remote_transport(ConnectionRegistry& registry, ClientView& mirror,
                                                 const RemoteOptions& options) {
  return std::make_unique<RemoteTransport>(registry, mirror, options);
}

}  // namespace pollen
