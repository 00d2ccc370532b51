// Ends a federation: tells the connected clients, and later those that were away.
#include <algorithm>

#include "federation/federation.h"
#include "pollen/errors.h"

namespace pollen {

void ConnectionRegistry::end(const wire::End& message) {
  const auto frame = std::make_shared<const Bytes>(wire::encode(message));
  for (Seat& seat : seats_) {
    seat.told = seat.link != 0;
    if (!seat.told) continue;
    links_.send(seat.link, frame);
    links_.close(seat.link);
  }
  // A client closes its connection once it has read the message. One that hangs is not waited for.
  const Deadline until = Deadline::clock::now() + std::chrono::seconds(5);
  const auto anyone = [&] { return std::ranges::any_of(seats_, [](const Seat& s) { return s.link != 0; }); };
  while (anyone() && Deadline::clock::now() < until)
    if (auto event = links_.next(until); event && event->what == LinkEvent::What::closed) hung_up(event->link);
}

void ConnectionRegistry::hung_up(std::uint64_t link) {
  std::erase_if(strangers_, [&](const Stranger& s) { return s.link == link; });
  for (Seat& seat : seats_)
    if (seat.link == link) seat.link = 0;
}

void ConnectionRegistry::linger(const wire::End& message, Deadline until) {
  const auto open = [](const Seat& s) { return !s.told || s.link != 0; };
  const auto stopped = [&] { return options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed); };
  while (std::ranges::any_of(seats_, open) && Deadline::clock::now() < until && !stopped()) {
    auto event = links_.next(std::min(until, Deadline::clock::now() + std::chrono::milliseconds(200)));
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
