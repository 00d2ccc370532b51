#include "awaited_clients.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "pollen/errors.h"

namespace pollen {

namespace {

Frame shared(Bytes bytes) { return std::make_shared<const Bytes>(std::move(bytes)); }

// Returns the longest frame that a client may send: a repeated set-up, or two vectors per chain in a code of at most
// two words per coordinate.
std::size_t most_bytes(const ClientView& view) {
  constexpr std::size_t kSetup = std::size_t{16} << 20;
  const ConstPanelView x = view.position();
  return kSetup + 4 * sizeof(double) * static_cast<std::size_t>(x.rows * x.columns);
}

}  // namespace

AwaitedClients::AwaitedClients(ConnectionRegistry& registry, ClientView& mirror, const RemoteOptions& options)
    : registry_(registry), mirror_(mirror), options_(options), seats_(registry.sites().size()) {
  const Recipe& recipe = mirror.recipe();
  std::vector<Index> sizes;
  for (const SiteFacts& site : registry.sites()) sizes.push_back(site.rows);
  if (recipe.local) weights_ = local_weights(*recipe.local, sizes);
  learns_ = learns(recipe, mirror.position().rows);
  stateful_ = keeps_state(recipe) || learns_;
  statistics().clients.resize(seats_.size());
  registry.rounds_begin(keeps_state(recipe));
  registry.limit_frames(most_bytes(mirror));
}

void AwaitedClients::open(Bytes frame, Turn turn) {
  frame_ = shared(std::move(frame));
  opened_ = registry_.now();
  if (turn == Turn::round && !began_) began_ = opened_;
  told_ = false;
}

void AwaitedClients::call(std::uint32_t client, Frame own) {
  want(client, true);
  seats_[client].own = std::move(own);
  send(client);
}

void AwaitedClients::want(std::uint32_t client, bool yes) {
  if (seats_[client].wanted != yes) wanted_ += yes ? 1 : -1;
  seats_[client].wanted = statistics_of(client).wanted = yes;
  statistics_of(client).late = false;
}

std::vector<std::uint32_t> AwaitedClients::missing() const {
  std::vector<std::uint32_t> clients;
  for (std::uint32_t i = 0; i < seats_.size(); ++i)
    if (seats_[i].wanted) clients.push_back(i);
  return clients;
}

// Sends a client everything it needs to work on what is open now.
void AwaitedClients::send(std::uint32_t client) {
  Seat& seat = seats_[client];
  // A client that does not answer is sent nothing more, because frames would pile up here.
  if (!registry_.present(client) || seat.owes) return;
  std::vector<Frame> frames;
  if (!seat.greeted) {
    frames.push_back(shared(wire::encode(wire::Seat{weight_in(weights_, client)})));
    seat.greeted = true;
    seat.heard = heard_ == 0 ? 0 : kNothing;  // before the first broadcast there is nothing to catch up with
  }
  if (seat.heard != heard_) {
    frames.push_back(catch_up(mirror_.recipe().uses_anchor(registry_.sites()[client].rows)));
    seat.heard = heard_;
    ++statistics().brought_up;
  }
  if (stateful_) frames.push_back(shared(wire::encode(wire::Acknowledged{seat.counted, seat.code.updates})));
  frames.push_back(seat.own ? seat.own : frame_);
  for (const Frame& frame : frames) {
    statistics().bytes_out += std::ssize(*frame);
    statistics_of(client).bytes_out += std::ssize(*frame);
  }
  registry_.send(client, frames);
  seat.called = seat.owes = true;
}

// Returns the frame with what the broadcasts so far have said, with the anchors or without.
Frame AwaitedClients::catch_up(bool anchors) {
  if (std::exchange(catch_up_at_, heard_) != heard_) catch_up_ = {};
  Frame& frame = catch_up_[anchors ? 1 : 0];
  if (frame) return frame;
  Archive archive;
  mirror_.archive(archive, anchors);
  return frame = shared(wire::encode(wire::CatchUp{archive.take()}));
}

// Waits for a message, or for all that are awaited where messages are short, and adds the time to the statistics. Long
// replies are worth being read while others are still under way.
std::optional<ConnectionRegistry::Message> AwaitedClients::wait(Deadline until) {
  constexpr std::size_t kShort = std::size_t{16} << 10;
  const Deadline before = registry_.now();
  const bool together = frame_->size() <= kShort && wanted_ > 1;
  if (together) registry_.expect(static_cast<std::size_t>(wanted_));
  auto incoming = registry_.next(until);
  if (together) registry_.expect(1);
  heard_at_ = incoming && incoming->at ? *incoming->at : registry_.now();
  if (!began_) return incoming;
  const Deadline after = registry_.now();
  const auto seconds = [&](Deadline since) { return std::chrono::duration<double>(after - since).count(); };
  statistics().waited += seconds(before);
  statistics().elapsed = seconds(*began_);
  return incoming;
}

std::optional<ConnectionRegistry::Message> AwaitedClients::next(bool late) {
  const Deadline patience = registry_.now() + std::chrono::seconds(1);
  auto incoming = wait(deadline() && !late ? std::min(*deadline(), patience) : patience);
  if (!incoming) {
    tell_if_all_are_gone();
    return incoming;
  }
  statistics().bytes_in += std::ssize(incoming->frame);
  statistics_of(incoming->client).bytes_in += std::ssize(incoming->frame);
  if (take_code_seed(*incoming)) return std::nullopt;
  Seat& seat = seats_[incoming->client];
  seat.owes = false;
  if (incoming->arrived) {
    seat.greeted = false;
    if (seat.wanted && seat.called) ++statistics().repeated;
  }
  if (seat.wanted && (incoming->arrived || !seat.called)) send(incoming->client);
  return incoming;
}

// A client tells the seed of its code between its seat and its first reply on a connection. Returns whether this was
// it.
bool AwaitedClients::take_code_seed(const ConnectionRegistry::Message& incoming) {
  try {
    if (incoming.arrived || wire::type_of(incoming.frame) != wire::Type::code_seed) return false;
    seats_[incoming.client].code_seed = wire::decode<wire::CodeSeed>(incoming.frame).seed;
  } catch (const WireError& error) {
    registry_.dismiss(incoming.client, fmt::format("its message cannot be read ({})", error.what()), false);
  }
  return true;
}

void AwaitedClients::complete(std::uint32_t client, Reply& reply) const {
  if (!reply.joined) return;
  const Seat& seat = seats_[client];
  if (mirror_.recipe().noise_share > 0 && !seat.code_seed)
    throw WireError("found a coded message before the seed of its code, accepted: after it");
  reply.code_seed = seat.code_seed.value_or(0);
  const std::uint64_t updates = reply.code.updates;
  if (updates != 0 && updates != seat.code.updates)
    throw WireError(fmt::format("found a message coded after {} counted ones, accepted: {}, or 0 to begin anew",
                                updates, seat.code.updates));
  reply.code = updates == 0 ? CodeMemory() : seat.code;
}

void AwaitedClients::close(bool heard) {
  if (heard) ++heard_;
  for (Seat& seat : seats_) {
    if (heard && seat.called) seat.heard = heard_;
    seat.wanted = seat.called = false;
    seat.own.reset();
  }
  for (ClientStatistics& client : statistics().clients) client.wanted = client.late = false;
  wanted_ = 0;
  frame_.reset();
}

std::optional<Deadline> AwaitedClients::deadline() const {
  const auto& seconds = options_.federation.round_deadline;
  if (!seconds) return std::nullopt;
  return opened_ + std::chrono::duration_cast<Deadline::duration>(std::chrono::duration<double>(*seconds));
}

std::string AwaitedClients::names(const std::vector<std::uint32_t>& clients, const char* between) const {
  std::vector<std::string> list;
  for (const std::uint32_t client : clients) list.push_back(registry_.names()[client]);
  return fmt::format("{}", fmt::join(list, between));
}

void AwaitedClients::give_up(const std::string& what) const {
  throw NumericError(fmt::format("{}: {} did not answer within {} s (federation.on_missing = \"abort\")", what,
                                 names(missing()), *options_.federation.round_deadline));
}

void AwaitedClients::tell_if_all_are_gone() {
  if (told_ || registry_.present() > 0) return;
  options_.tell({"all-gone", "all clients are gone; waiting for them to come back", {}, {}, Notice::Level::warning});
  told_ = true;
}

void AwaitedClients::tell(std::int64_t round, const char* event, const char* what,
                          const std::vector<std::uint32_t>& late) const {
  options_.tell({event, fmt::format("round {}: {} {}", round, what, names(late)), names(late, ","), round,
                 Notice::Level::warning});
}

void AwaitedClients::tell_once(std::int64_t round, const char* event, const char* what,
                               const std::vector<std::uint32_t>& late) {
  if (!std::exchange(told_, true)) tell(round, event, what, late);
}

void AwaitedClients::archive(Archive& archive) {
  std::vector<std::uint64_t> counted;
  for (const Seat& seat : seats_) counted.insert(counted.end(), {seat.counted, seat.code.updates, seat.code.mean});
  archive.array(std::span(counted));
  for (std::size_t i = 0; i < seats_.size(); ++i) {
    seats_[i].counted = counted[3 * i];
    seats_[i].code = {counted[3 * i + 1], counted[3 * i + 2]};
  }
  RoundStatistics& s = statistics();
  archive.fields(s.skipped, s.turns, s.repeated, s.brought_up, s.bytes_in, s.bytes_out);
  if (archive.reading()) ++heard_;
}

}  // namespace pollen
