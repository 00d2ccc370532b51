// Carries rounds over connections. The broadcast goes to the clients that were drawn; replies may come in any order,
// more than once, or not at all.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "federation/federation.h"
#include "math/math.h"
#include "pollen/errors.h"
#include "round/block_sums.h"

namespace pollen {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kLatencies = 4096;

Frame shared(Bytes bytes) { return std::make_shared<const Bytes>(std::move(bytes)); }

class RemoteTransport final : public Transport {
 public:
  RemoteTransport(ConnectionRegistry& registry, ClientView& mirror, const RemoteOptions& options)
      : registry_(registry), mirror_(mirror), options_(options), seats_(registry.sites().size()) {
    const Recipe& recipe = mirror.recipe();
    std::vector<Index> sizes;
    for (const SiteFacts& site : registry.sites()) sizes.push_back(site.rows);
    if (recipe.local) weights_ = local_weights(*recipe.local, sizes);
    for (Index c = 0; c < mirror.chains(); ++c) chains_.push_back(static_cast<std::uint32_t>(c));
    stateful_ = keeps_state(recipe);
    statistics().clients.resize(seats_.size());
    registry.rounds_begin(stateful_);
    registry.limit_frames(most_bytes(mirror));
  }

  void exchange(Server& server) override {
    turn_ = static_cast<std::uint64_t>(server.iteration());
    Bytes frame;
    wire::encode(server.broadcast(), chains_, frame);
    open(shared(std::move(frame)), server.broadcast().roster);
    while (!absorb_all(server)) collect(server);
    for (const Roster::Entry& entry : server.broadcast().roster.clients) seats_[entry.client].counted = turn_ + 1;
    mirror_.receive(server.broadcast(), work_);
    ++heard_;
    for (Seat& seat : seats_)
      if (seat.called) seat.heard = heard_;
    close_turn();
  }

  void query(const Query& query, PanelView sum) override {
    wire::Ask ask = wire::Ask::of(query, sum);
    ask.number = ++asked_;
    frame_ = shared(wire::encode(ask));
    for (std::uint32_t i = 0; i < seats_.size(); ++i) {
      want(i, true);
      call(i);
    }
    opened_ = Clock::now();
    told_ = false;
    std::vector<Panel> answers(seats_.size());
    while (wanted_ > 0) {
      const bool late = overdue();
      if (late && policy() == "abort") give_up("a question to all clients");
      const auto incoming = wait(late ? std::nullopt : deadline());
      if (incoming && !incoming->arrived) take_answer(*incoming, ask, answers);
    }
    close_turn();
    BlockSums blocks(BlockRange::all(std::ssize(answers)));
    blocks.reset(sum.rows, sum.columns);
    for (std::size_t i = 0; i < answers.size(); ++i) blocks.add(static_cast<Index>(i), answers[i]);
    fill(sum, 0.0);
    blocks.add_finished(sum);
  }

  void archive(Archive& archive) override {
    std::vector<std::uint64_t> counted;
    for (const Seat& seat : seats_) counted.push_back(seat.counted);
    archive.array(std::span(counted));
    for (std::size_t i = 0; i < seats_.size(); ++i) seats_[i].counted = counted[i];
    RoundStatistics& s = statistics();
    for (std::int64_t* count : {&s.skipped, &s.turns, &s.repeated, &s.brought_up, &s.bytes_in, &s.bytes_out})
      archive.field(*count);
    if (archive.reading()) ++heard_;
  }

 private:
  struct Seat {
    bool greeted = false;            // greeted on its current connection
    bool wanted = false;             // set by want()
    bool called = false;             // it was sent what is open now
    bool owes = false;               // on this connection it was asked something and has not answered yet
    std::uint64_t heard = kNothing;  // number of broadcasts that its view has heard, as counted by heard_
    std::uint64_t counted = 0;       // its last counted reply: 1 + the iteration its turn began at
    Reply reply;
  };
  static constexpr std::uint64_t kNothing = std::numeric_limits<std::uint64_t>::max();

  // Returns the longest frame that a client may send: a repeated set-up, or one vector per chain in a code of at most
  // two words per coordinate.
  static std::size_t most_bytes(const ClientView& view) {
    constexpr std::size_t kSetup = std::size_t{16} << 20;
    const ConstPanelView x = view.position();
    return kSetup + 2 * sizeof(double) * static_cast<std::size_t>(x.rows * x.columns);
  }

  RoundStatistics& statistics() { return options_.statistics != nullptr ? *options_.statistics : own_statistics_; }

  ClientStatistics& statistics_of(std::uint32_t client) { return statistics().clients[client]; }

  void count_out(std::uint32_t client, const Frame& frame) {
    statistics().bytes_out += static_cast<std::int64_t>(frame->size());
    statistics_of(client).bytes_out += static_cast<std::int64_t>(frame->size());
  }

  void open(Frame frame, const Roster& roster) {
    frame_ = std::move(frame);
    opened_ = Clock::now();
    told_ = false;
    for (const Roster::Entry& entry : roster.clients) {
      if (entry.count != chains_.size())
        throw ConfigError("run.coupled", "found false, accepted in a federation: true");
      want(entry.client, true);
      call(entry.client);
    }
  }

  void close_turn() {
    for (Seat& seat : seats_) seat.wanted = seat.called = false;
    for (ClientStatistics& client : statistics().clients) client.wanted = client.late = false;
    wanted_ = 0;
    frame_.reset();
  }

  // Records whether a reply or answer of this client is awaited.
  void want(std::uint32_t client, bool yes) {
    if (seats_[client].wanted != yes) wanted_ += yes ? 1 : -1;
    seats_[client].wanted = statistics_of(client).wanted = yes;
    statistics_of(client).late = false;
  }

  // Sends a client everything it needs to work on what is open now.
  void call(std::uint32_t client) {
    Seat& seat = seats_[client];
    // A client that does not answer is sent nothing more, because frames would pile up here.
    if (!registry_.present(client) || seat.owes) return;
    outgoing_.clear();
    if (!seat.greeted) {
      outgoing_.push_back(shared(wire::encode(wire::Seat{weight_in(weights_, client)})));
      seat.greeted = true;
      seat.heard = heard_ == 0 ? 0 : kNothing;  // before the first broadcast there is nothing to catch up with
    }
    if (seat.heard != heard_) {
      outgoing_.push_back(standing());
      seat.heard = heard_;
      ++statistics().brought_up;
    }
    if (stateful_) outgoing_.push_back(shared(wire::encode(wire::Acknowledged{seat.counted})));
    outgoing_.push_back(frame_);
    for (const Frame& frame : outgoing_) count_out(client, frame);
    registry_.send_all(client, outgoing_);
    seat.called = seat.owes = true;
  }

  Frame standing() {
    if (standing_ && standing_at_ == heard_) return standing_;
    Archive archive;
    mirror_.archive(archive);
    standing_ = shared(wire::encode(wire::CatchUp{archive.take()}));
    standing_at_ = heard_;
    return standing_;
  }

  void tell_if_all_are_gone() {
    if (told_ || registry_.present() > 0) return;
    options_.tell({"all-gone", "all clients are gone; waiting for them to come back", {}, {}, Notice::Level::warning});
    told_ = true;
  }

  // Waits for the next message of a client. A client that comes back is called at once.
  std::optional<ConnectionRegistry::Message> wait(std::optional<Deadline> until) {
    const Deadline patience = Clock::now() + std::chrono::seconds(1);
    auto incoming = registry_.next(until ? std::min(*until, patience) : patience);
    if (!incoming) {
      tell_if_all_are_gone();
      return incoming;
    }
    statistics().bytes_in += static_cast<std::int64_t>(incoming->frame.size());
    statistics_of(incoming->client).bytes_in += static_cast<std::int64_t>(incoming->frame.size());
    Seat& seat = seats_[incoming->client];
    seat.owes = false;
    if (incoming->arrived) {
      seat.greeted = false;
      if (seat.wanted && seat.called) ++statistics().repeated;
    }
    if (seat.wanted && (incoming->arrived || !seat.called)) call(incoming->client);
    return incoming;
  }

  // Collects replies until everybody has answered, or until the deadline has passed and the rest may be left out.
  void collect(Server& server) {
    while (wanted_ > 0) {
      const bool late = overdue();
      if (late && missed(server)) return;
      const auto incoming = wait(late ? std::nullopt : deadline());
      if (incoming && !incoming->arrived) take_reply(*incoming, server);
    }
  }

  std::optional<Deadline> deadline() const {
    const auto& seconds = options_.federation.round_deadline;
    if (!seconds) return std::nullopt;
    return opened_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*seconds));
  }
  bool overdue() const { return deadline() && Clock::now() >= *deadline(); }
  std::string policy() const { return options_.federation.on_missing.value_or("wait"); }

  std::vector<std::uint32_t> late() const {
    std::vector<std::uint32_t> clients;
    for (std::uint32_t i = 0; i < seats_.size(); ++i)
      if (seats_[i].wanted) clients.push_back(i);
    return clients;
  }

  [[noreturn]] void give_up(const std::string& what) const {
    throw NumericError(fmt::format("{}: {} did not answer within {} s (federation.on_missing = \"abort\")", what,
                                   names(late()), *options_.federation.round_deadline));
  }

  // Handles a missed deadline. Returns whether the round goes on without the clients that have not answered.
  bool missed(Server& server) {
    const std::vector<std::uint32_t> late = this->late();
    if (policy() == "abort") give_up(fmt::format("round {}", server.round()));
    const std::size_t answered = server.broadcast().roster.clients.size() - late.size();
    if (policy() != "skip" || answered == 0 || registry_.present() < options_.quorum) {
      if (!told_) tell_of(server, "late", "still waiting for", late);
      told_ = true;
      for (const std::uint32_t client : late) statistics_of(client).late = true;
      return false;
    }
    server.leave_out(late);
    server.start_over();
    for (const std::uint32_t client : late) {
      want(client, false);
      ++statistics_of(client).skipped;
    }
    statistics().skipped += static_cast<std::int64_t>(late.size());
    tell_of(server, "skipped", "went on without", late);
    return true;
  }

  std::string names(const std::vector<std::uint32_t>& clients, const char* between = ", ") const {
    std::vector<std::string> list;
    list.reserve(clients.size());
    for (const std::uint32_t client : clients) list.push_back(registry_.names()[client]);
    return fmt::format("{}", fmt::join(list, between));
  }

  void tell_of(const Server& server, const char* event, const char* what, const std::vector<std::uint32_t>& late) {
    const auto round = static_cast<std::int64_t>(server.round());
    options_.tell({event, fmt::format("round {}: {} {}", round, what, names(late)), names(late, ","), round,
                   Notice::Level::warning});
  }

  void take_reply(const ConnectionRegistry::Message& incoming, const Server& server) {
    Seat& seat = seats_[incoming.client];
    try {
      if (wire::type_of(incoming.frame) != wire::Type::reply) return;  // an answer to a question that is settled
      wire::decode(incoming.frame, incoming_);
    } catch (const WireError& error) {
      return registry_.dismiss(incoming.client, fmt::format("its reply cannot be read ({})", error.what()), false);
    }
    const LocalSegment& segment = server.broadcast().segment;
    const auto [round, first] = std::pair(incoming_.round, incoming_.first);
    // A reply to an earlier turn.
    if (round < server.round() || (round == server.round() && first < segment.first)) return;
    if (incoming_.client != incoming.client || round != server.round() || first != segment.first)
      return registry_.dismiss(incoming.client, "its reply is of a round that is not open", false);
    if (!seat.wanted) return;  // a second copy of a reply
    std::swap(seat.reply, incoming_);
    want(incoming.client, false);
    auto& latencies = statistics().latencies;
    const double seconds = std::chrono::duration<double>(Clock::now() - opened_).count();
    statistics_of(incoming.client).latency = seconds;
    if (latencies.size() < kLatencies)
      latencies.push_back(seconds);
    else
      latencies[next_latency_++ % kLatencies] = seconds;
  }

  // Adds the replies in client order. Returns false if a reply is still missing or is invalid.
  bool absorb_all(Server& server) {
    if (wanted_ > 0) return false;
    for (const Roster::Entry& entry : server.broadcast().roster.clients) {
      try {
        server.absorb(seats_[entry.client].reply, entry, work_);
      } catch (const WireError& error) {
        server.start_over();
        want(entry.client, true);
        registry_.dismiss(entry.client, error.what(), false);
        return false;
      }
    }
    for (const Roster::Entry& entry : server.broadcast().roster.clients) {
      ++statistics_of(entry.client).turns;
      statistics_of(entry.client).last_round = static_cast<std::int64_t>(server.round());
    }
    ++statistics().turns;
    statistics().participants = std::ssize(server.broadcast().roster.clients);
    return true;
  }

  void take_answer(const ConnectionRegistry::Message& incoming, const wire::Ask& ask, std::vector<Panel>& answers) {
    Seat& seat = seats_[incoming.client];
    try {
      if (wire::type_of(incoming.frame) != wire::Type::answer) return;
      auto answer = wire::decode<wire::Answer>(incoming.frame);
      if (answer.number != ask.number || !seat.wanted) return;
      if (answer.values.rows() != ask.rows || answer.values.columns() != ask.columns)
        throw WireError("an answer of another size than asked for");
      check_numbers(answer.values, incoming.client, static_cast<Query::What>(ask.what));
      answers[incoming.client] = std::move(answer.values);
      want(incoming.client, false);
    } catch (const WireError& error) {
      registry_.dismiss(incoming.client, fmt::format("its answer cannot be taken ({})", error.what()), false);
    }
  }

  // Checks that an answer's numbers are finite, except potentials, which may be infinite, and that it leaves other
  // clients' columns empty.
  static void check_numbers(const Panel& values, std::uint32_t client, Query::What what) {
    const bool own_column = Query::by_client(what);
    for (Index c = 0; c < values.columns(); ++c) {
      const auto column = values.column(c);
      const bool number = what == Query::What::value ? !std::isnan(column[0]) : math::all_finite(column);
      if (!number) throw WireError("its answer is not finite");
      if (own_column && c != static_cast<Index>(client) && math::max_abs(column) != 0)
        throw WireError("its answer is about other clients");
    }
  }

  ConnectionRegistry& registry_;
  ClientView& mirror_;
  RemoteOptions options_;
  RoundStatistics own_statistics_;
  std::vector<Seat> seats_;
  std::vector<double> weights_;        // local steps: one for all clients, or one per client
  std::vector<std::uint32_t> chains_;  // all chains, because a client is present for every chain or for none
  Frame frame_, standing_;
  std::vector<Frame> outgoing_;
  bool stateful_ = false;  // true if clients must know which of their replies were counted
  std::uint64_t standing_at_ = kNothing;
  Reply incoming_;
  Workspace work_;
  std::uint64_t turn_ = 0, heard_ = 0, asked_ = 0;
  Clock::time_point opened_;
  Index wanted_ = 0;  // number of clients with wanted set
  bool told_ = false;
  std::size_t next_latency_ = 0;
};

}  // namespace

std::unique_ptr<Transport> make_remote_transport(ConnectionRegistry& registry, ClientView& mirror,
                                                 const RemoteOptions& options) {
  return std::make_unique<RemoteTransport>(registry, mirror, options);
}

}  // namespace pollen
