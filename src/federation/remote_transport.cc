// Carries rounds over connections. The broadcast goes to the clients that were drawn; replies may come in any order,
// more than once, or not at all.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "awaited_clients.h"
#include "federation/federation.h"
#include "math/math.h"
#include "pollen/errors.h"
#include "round/block_sums.h"

namespace pollen {

namespace {

constexpr std::size_t kLatencies = 4096;

// Checks that an answer's numbers are finite, except potentials, which may be infinite, and that it leaves other
// clients' columns empty.
void check_answer(const Panel& values, std::uint32_t client, Query::What what) {
  const bool own_column = Query::by_client(what);
  for (Index c = 0; c < values.columns(); ++c) {
    const auto column = values.column(c);
    const bool number = what == Query::What::value ? !std::isnan(column[0]) : math::all_finite(column);
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
      : registry_(registry), mirror_(mirror), clients_(registry, mirror, options), replies_(clients_.size()) {
    for (Index c = 0; c < mirror.chains(); ++c) chains_.push_back(static_cast<std::uint32_t>(c));
  }

  void exchange(Server& server) override {
    const Broadcast& broadcast = server.broadcast();
    const auto turn = static_cast<std::uint64_t>(server.iteration());
    Bytes frame;
    wire::encode(broadcast, chains_, frame);
    clients_.open(std::move(frame));
    for (const Roster::Entry& entry : broadcast.roster.clients) {
      if (entry.count != chains_.size())
        throw ConfigError("run.coupled", "found false, accepted in a federation: true");
      clients_.call(entry.client);
    }
    while (!absorb_all(server)) collect(server);
    for (const Roster::Entry& entry : broadcast.roster.clients) clients_.counted(entry.client, turn + 1);
    mirror_.receive(broadcast, work_);
    clients_.close(true);
  }

  void query(const Query& query, PanelView sum) override {
    wire::Ask ask = wire::Ask::of(query, sum);
    ask.number = ++asked_;
    clients_.open(wire::encode(ask));
    for (std::uint32_t i = 0; i < clients_.size(); ++i) clients_.call(i);
    std::vector<Panel> answers(clients_.size());
    while (!clients_.answered()) {
      const bool late = clients_.overdue();
      if (late && clients_.policy() == "abort") clients_.give_up("a question to all clients");
      const auto incoming = clients_.next(late);
      if (incoming && !incoming->arrived) take_answer(*incoming, ask, answers);
    }
    // Clients that come back later are brought up to date with the coordinates.
    const bool coordinates = query.what == Query::What::coordinates;
    if (coordinates) mirror_.set_coordinates(coordinates_told(query));
    clients_.close(coordinates);
    BlockSums blocks(BlockRange::all(std::ssize(answers)));
    blocks.reset(sum.rows, sum.columns);
    for (std::size_t i = 0; i < answers.size(); ++i) blocks.add(static_cast<Index>(i), answers[i]);
    fill(sum, 0.0);
    blocks.add_finished(sum);
  }

  void archive(Archive& archive) override { clients_.archive(archive); }

 private:
  // Collects replies until everybody has answered, or until the deadline has passed and the rest may be left out.
  void collect(Server& server) {
    while (!clients_.answered()) {
      const bool late = clients_.overdue();
      if (late && missed(server)) return;
      const auto incoming = clients_.next(late);
      if (incoming && !incoming->arrived) take_reply(*incoming, server);
    }
  }

  // Handles a missed deadline. Returns whether the round goes on without the clients that have not answered.
  bool missed(Server& server) {
    const std::vector<std::uint32_t> late = clients_.missing();
    if (clients_.policy() == "abort") clients_.give_up(fmt::format("round {}", server.round()));
    const std::size_t answered = server.broadcast().roster.clients.size() - late.size();
    if (clients_.policy() != "skip" || answered == 0 || !clients_.quorum()) {
      clients_.tell_once(server, "late", "still waiting for", late);
      for (const std::uint32_t client : late) clients_.statistics_of(client).late = true;
      return false;
    }
    server.leave_out(late);
    server.start_over();
    for (const std::uint32_t client : late) {
      clients_.want(client, false);
      ++clients_.statistics_of(client).skipped;
    }
    clients_.statistics().skipped += std::ssize(late);
    clients_.tell(server, "skipped", "went on without", late);
    return true;
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
    std::swap(replies_[client], incoming_);
    clients_.want(client, false);
    auto& latencies = clients_.statistics().latencies;
    const double seconds = clients_.statistics_of(client).latency = clients_.seconds();
    if (latencies.size() < kLatencies)
      latencies.push_back(seconds);
    else
      latencies[next_latency_++ % kLatencies] = seconds;
  }

  // Adds the replies in client order. Returns false if a reply is still missing or is invalid.
  bool absorb_all(Server& server) {
    if (!clients_.answered()) return false;
    const std::span<const Roster::Entry> entries = server.broadcast().roster.clients;
    for (const Roster::Entry& entry : entries) {
      try {
        server.absorb(replies_[entry.client], entry, work_);
      } catch (const WireError& error) {
        server.start_over();
        clients_.want(entry.client, true);
        registry_.dismiss(entry.client, error.what(), false);
        return false;
      }
    }
    for (const Roster::Entry& entry : entries) {
      ++clients_.statistics_of(entry.client).turns;
      clients_.statistics_of(entry.client).last_round = static_cast<std::int64_t>(server.round());
    }
    ++clients_.statistics().turns;
    clients_.statistics().participants = std::ssize(entries);
    return true;
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
    } catch (const WireError& error) {
      registry_.dismiss(incoming.client, fmt::format("its answer cannot be taken ({})", error.what()), false);
    }
  }

  ConnectionRegistry& registry_;
  ClientView& mirror_;
  AwaitedClients clients_;
  std::vector<Reply> replies_;         // one per client
  std::vector<std::uint32_t> chains_;  // all chains, because a client is present for every chain or for none
  Reply incoming_;
  Workspace work_;
  std::uint64_t asked_ = 0;
  std::size_t next_latency_ = 0;
};

}  // namespace

std::unique_ptr<Transport> make_remote_transport(ConnectionRegistry& registry, ClientView& mirror,
                                                 const RemoteOptions& options) {
  return std::make_unique<RemoteTransport>(registry, mirror, options);
}

}  // namespace pollen
