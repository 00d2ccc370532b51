// A TrafficLog adds up what every exchange costs each client (bits down, gradients, bits up) and tells a listener,
// which may turn it into seconds of a simulated network. Without a listener nothing is kept. add() may be called from
// several threads for different clients; all other calls come from one thread.
//
//   log.open(roster.clients);                     // lists who takes part
//   log.add({.client = i, .gradients = n});       // whenever a participant does something
//   log.close(true);                              // everybody has answered; tells the listener
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "pollen/round.h"

namespace pollen {

class TrafficLog {
 public:
  void listen(TrafficListener listener) { listener_ = std::move(listener); }
  bool listens() const { return static_cast<bool>(listener_); }

  void open(std::span<const Roster::Entry> participants);  // in client order
  void open(Index clients);                                // all clients take part
  void add(const ClientTraffic& more);                     // adds to a participant's numbers
  void start_over();                                       // forgets gradients and bits up, but not bits down
  void leave_out(std::span<const std::uint32_t> clients);  // removes participants; `clients` is sorted
  // Ends the exchange. `told` says whether the listener is told now; otherwise the numbers count with the next
  // exchange.
  void close(bool told);
  void archive(Archive& archive, Index clients);  // saves or loads what exchanges that are not reported yet have cost
  // Saves or loads the gradients and bits up of participants number first .. last-1, to carry them from process to
  // process. Does nothing without a listener.
  void archive_done(Archive& archive, std::size_t first, std::size_t last);

 private:
  void set_aside();

  TrafficListener listener_;
  std::vector<ClientTraffic> open_, earlier_;  // both in client order
};

}  // namespace pollen
