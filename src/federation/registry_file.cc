// What outlives the rounds: the outcome of set-up on the disk, so that a restarted server knows its federation, and the
// end, which is told to the connected clients and later to those that were away.
#include <fmt/format.h>

#include <algorithm>

#include "base/sealed_file.h"
#include "federation/federation.h"
#include "pollen/errors.h"
#include "recipe/config_difference.h"

namespace pollen {

namespace {

constexpr Seal kRegistrySeal{"POLLENFD", 3, "a federation's state",
                             "put it back from a backup, or begin a new run with --force"};

// Archives a value as the message that carries it.
template <class Message, class Value>
void through_message(Archive& archive, Value& value) {
  Message message{std::move(value)};
  message.archive(archive);
  auto& [content] = message;
  value = std::move(content);
}

}  // namespace

void ConnectionRegistry::archive(Archive& archive) {
  std::string text = config_text_;
  archive.fields(run_, text);
  if (const auto other = first_difference(config_text_, text))
    throw WireError(fmt::format("found a state of another configuration: {} is {} there and {} here", other->key,
                                other->right, other->left));
  archive.texts(names_);
  if (archive.reading()) make_seats(names_.size());
  std::optional<ColumnFacts>& layout = handshake_.layout;
  std::optional<ColumnScaling>& scaling = handshake_.scaling;
  bool laid_out = layout.has_value(), scaled = scaling.has_value();
  archive.fields(laid_out, scaled);
  if (laid_out) through_message<wire::Layout>(archive, layout ? *layout : layout.emplace());
  if (scaled) through_message<wire::Scaling>(archive, scaling ? *scaling : scaling.emplace());
  archive.field(setup_bits_);
  sites_.resize(names_.size());
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    through_message<wire::Site>(archive, sites_[i]);
    if (archive.reading()) seats_[i].site = sites_[i];
  }
  gathered_ = true;
}

void ConnectionRegistry::write(const std::string& path) {
  Archive state;
  archive(state);
  SealedFile file(path, kRegistrySeal, Readers::owner);
  file.write(state.take());
  file.commit();
}

void ConnectionRegistry::read(const std::string& path) {
  const Bytes body = read_sealed(path, kRegistrySeal);
  try {
    Archive state(body);
    archive(state);
    state.finish();
  } catch (const WireError& error) {
    throw ConfigError(path,
                      fmt::format("{}; accepted: the same configuration, or --force to begin a new run", error.what()));
  }
}

void ConnectionRegistry::end(const wire::End& message) {
  over_ = std::make_shared<const Bytes>(wire::encode(message));
  for (Seat& seat : seats_)
    if (seat.link != 0) tell_end(seat, seat.link);
  // A client closes its connection once it has read the message. One that hangs is not waited for.
  const Deadline until = now() + std::chrono::seconds(5);
  const auto connected = [](const Seat& seat) { return seat.link != 0; };
  while (std::ranges::any_of(seats_, connected) && now() < until) look(until);
}

void ConnectionRegistry::linger(Deadline until) {
  const auto open = [](const Seat& seat) { return !seat.told || seat.link != 0; };
  while (std::ranges::any_of(seats_, open) && now() < until && !stopped()) look(until);
}

void ConnectionRegistry::tell_end(Seat& seat, std::uint64_t link) {
  links_.send(link, over_);
  links_.close(link);
  seat.link = link;
  seat.told = true;
}

// Tells a client that was away at the end.
void ConnectionRegistry::tell_latecomer(std::uint64_t link, const std::string& name) {
  const auto known = std::ranges::find(names_, name);
  if (known == names_.end() || name.empty()) return refuse(link, "the run is over", false);
  const auto client = static_cast<std::uint32_t>(known - names_.begin());
  seated_[link] = client;
  tell_end(seats_[client], link);
}

}  // namespace pollen
