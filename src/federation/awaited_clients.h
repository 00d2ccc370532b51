// The clients of a federation as the server's turns see them. A turn is a round or a question: one frame goes to some
// clients, and each of them owes an answer. This class knows who was sent what, whose answer is missing and when it is
// late; what answers mean is the transport's business. One thread.
#pragma once

#include <array>
#include <chrono>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "federation/federation.h"

namespace pollen {

class AwaitedClients {
 public:
  AwaitedClients(ConnectionRegistry& registry, ClientView& mirror, const RemoteOptions& options);

  std::size_t size() const { return seats_.size(); }
  RoundStatistics& statistics() { return options_.statistics != nullptr ? *options_.statistics : own_statistics_; }
  ClientStatistics& statistics_of(std::uint32_t client) { return statistics().clients[client]; }

  enum class Turn { round, question };
  void open(Bytes frame, Turn turn);  // begins a turn; time is counted from the first round on
  // Sends the frame, or another one for this client, after everything the client needs to know before, and awaits it.
  void call(std::uint32_t client, Frame own = {});
  void want(std::uint32_t client, bool yes);  // whether an answer of this client is awaited
  bool wanted(std::uint32_t client) const { return seats_[client].wanted; }
  bool answered() const { return wanted_ == 0; }  // whether nobody is awaited any more
  std::vector<std::uint32_t> missing() const;
  // Waits for the next message of a client until the deadline or, if it is late already, a second. Returns nothing if
  // none came. A client that comes back is called at once.
  std::optional<ConnectionRegistry::Message> next(bool late);
  void close(bool heard);  // ends the turn; `heard` says that those called have heard a broadcast
  void counted(std::uint32_t client, std::uint64_t turn, const CodeMemory& coded) {
    seats_[client].counted = turn;
    seats_[client].code = coded;
  }
  // Adds to a reply what the server knows of the client's code. Throws WireError if the client takes it to know
  // something else.
  void complete(std::uint32_t client, Reply& reply) const;

  // From open() to the latest message.
  double seconds() const { return std::chrono::duration<double>(heard_at_ - opened_).count(); }
  bool overdue() const { return deadline() && registry_.now() >= *deadline(); }
  // What to do about late clients: wait, skip or abort.
  std::string policy() const { return options_.federation.on_missing.value_or("wait"); }
  bool quorum() const { return registry_.present() >= options_.quorum; }
  [[noreturn]] void give_up(const std::string& what) const;
  void tell_once(std::int64_t round, const char* event, const char* what, const std::vector<std::uint32_t>& late);
  void tell(std::int64_t round, const char* event, const char* what, const std::vector<std::uint32_t>& late) const;
  void archive(Archive& archive);

 private:
  static constexpr std::uint64_t kNothing = std::numeric_limits<std::uint64_t>::max();
  struct Seat {
    Frame own;                               // what is open now for this client, if it is not what is open for all
    bool greeted = false;                    // greeted on its current connection
    bool wanted = false;                     // set by want()
    bool called = false;                     // it was sent what is open now
    bool owes = false;                       // on this connection it was asked something and has not answered yet
    std::uint64_t heard = kNothing;          // number of broadcasts that its view has heard, as counted by heard_
    CodeMemory code;                         // what its code has learnt, as its counted replies say
    std::optional<std::uint64_t> code_seed;  // what its code and the server draw from, once it has told
    std::uint64_t counted = 0;               // its last counted reply: 1 + the iteration its turn began at
  };

  void send(std::uint32_t client);
  bool take_code_seed(const ConnectionRegistry::Message& incoming);
  Frame catch_up(bool anchors);
  void tell_if_all_are_gone();
  std::optional<Deadline> deadline() const;
  std::optional<ConnectionRegistry::Message> wait(Deadline until);
  std::string names(const std::vector<std::uint32_t>& clients, const char* between = ", ") const;

  ConnectionRegistry& registry_;
  ClientView& mirror_;
  RemoteOptions options_;
  RoundStatistics own_statistics_;
  std::vector<Seat> seats_;
  std::vector<double> weights_;  // local steps: one for all clients, or one per client
  bool stateful_ = false;        // true if clients must know which of their replies were counted
  bool learns_ = false;          // true if their codes learn from them
  Frame frame_;
  std::array<Frame, 2> catch_up_;  // what the broadcasts have said, without anchors and with them; null if not made yet
  std::uint64_t catch_up_at_ = kNothing, heard_ = 0;
  Deadline opened_, heard_at_;
  std::optional<Deadline> began_;  // when the first round was opened
  Index wanted_ = 0;               // number of clients with wanted set
  bool told_ = false;
};

}  // namespace pollen
