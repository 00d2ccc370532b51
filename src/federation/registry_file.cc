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

constexpr Seal kRegistrySeal{"POLLENFD", 2, "a federation's state", "another --state folder starts afresh"};

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
    throw ConfigError(path, fmt::format("{}; accepted: the same configuration, or another --state", error.what()));
  }
}

void ConnectionRegistry::end(const wire::End& message) {
  const auto frame = std::make_shared<const Bytes>(wire::encode(message));
  for (Seat& seat : seats_) {
    seat.told = seat.link != 0;
    if (!seat.told) continue;
    links_.send(seat.link, frame);
    links_.close(seat.link);
  }
  // A client closes its connection once it has read the message. One that hangs is not waited for.
  const Deadline until = now() + std::chrono::seconds(5);
  const auto anyone = [&] { return std::ranges::any_of(seats_, [](const Seat& s) { return s.link != 0; }); };
  while (anyone() && now() < until)
    if (auto event = links_.next(until); event && event->what == LinkEvent::What::closed) hung_up(event->link);
}

void ConnectionRegistry::hung_up(std::uint64_t link) {
  std::erase_if(strangers_, [&](const Stranger& s) { return s.link == link; });
  for (Seat& seat : seats_)
    if (seat.link == link) seat.link = 0;
}

void ConnectionRegistry::linger(const wire::End& message, Deadline until) {
  const auto open = [](const Seat& s) { return !s.told || s.link != 0; };
  while (std::ranges::any_of(seats_, open) && now() < until && !stopped()) {
    auto event = links_.next(std::min(until, now() + std::chrono::milliseconds(200)));
    if (!event) continue;
    if (event->what == LinkEvent::What::opened && strangers_.size() < seats_.size())
      strangers_.push_back({event->link, std::move(event->peer), until});
    else if (event->what == LinkEvent::What::opened)
      links_.close(event->link);
    else if (event->what == LinkEvent::What::closed)
      hung_up(event->link);
    else
      tell_latecomer(*event, message);
  }
}

void ConnectionRegistry::tell_latecomer(const LinkEvent& event, const wire::End& message) {
  const auto stranger = std::ranges::find(strangers_, event.link, &Stranger::link);
  if (stranger == strangers_.end()) return;
  std::string name = stranger->peer;
  strangers_.erase(stranger);
  try {
    if (name.empty()) name = wire::decode<wire::Hello>(event.frame).name;
  } catch (const WireError&) {
    return links_.close(event.link);
  }
  const auto known = std::ranges::find(names_, name);
  if (known == names_.end() || name.empty()) return refuse(event.link, "the run is over", false);
  Seat& seat = seats_[static_cast<std::size_t>(known - names_.begin())];
  send_to(event.link, wire::encode(message));
  links_.close(event.link);
  seat.link = event.link;
  seat.told = true;
}

}  // namespace pollen
