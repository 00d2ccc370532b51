// What exchanges ask of clients: bits down, gradients, bits up. Whoever drives rounds keeps a TrafficLog, which tells a
// listener of every exchange; what the numbers mean (seconds in a simulated network) is the listener's business.
// Without one nothing is kept. add() for different clients may be called from different threads, all else from one.
//
//   book.open(roster.clients);                     // who takes part
//   book.add({.client = i, .gradients = n});       // as it happens
//   book.close(true);                              // everybody has answered
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
  void open(Index clients);                                // all
  void add(const ClientTraffic& more);                     // to a participant
  void start_over();                                       // what participants did, not what they were told
  void leave_out(std::span<const std::uint32_t> clients);  // sorted
  // With an answer from everybody; or silently, and it counts with what follows.
  void close(bool answered);
  void archive(Archive& archive, Index clients);  // what was closed silently
  // What participants number first .. last-1 did, carried from process to process; nothing where nobody listens.
  void archive_done(Archive& archive, std::size_t first, std::size_t last);

 private:
  void set_aside();

  TrafficListener listener_;
  std::vector<ClientTraffic> open_, earlier_;  // in client order
};

}  // namespace pollen
