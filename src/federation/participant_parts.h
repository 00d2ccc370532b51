// The parts of a client's side: its state on the disk, the state of a Participant, and the checks of what a server
// asks. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/file.h"
#include "federation/federation.h"
#include "federation/plain.h"
#include "pollen/errors.h"
#include "pollen/recipe.h"
#include "pollen/transport.h"
#include "pollen/types.h"
#include "run/privacy_meter.h"
#include "wire/messages.h"

namespace pollen {

// A client's secret seed, its state in the run, and the reply that may or may not have been counted. DIR/client.state
// is a sealed file (base/sealed_file.h) with an Archive in it. Only the user may read the folder, and it is locked
// while the client runs.
struct ClientState {
  std::uint64_t instance = 0;  // identifies the folder
  std::string run;
  std::uint64_t seed = 0;       // the client's secret
  std::uint64_t data = 0;       // fingerprint of the data file, which never leaves the client; 0 if none yet
  std::uint64_t committed = 0;  // the last counted reply that the memory includes: 1 + the iteration its turn began at
  std::uint64_t pending = 0;    // the reply that was sent last, numbered in the same way; 0 if none
  bool has_client = false;
  Bytes client;            // the client's archive
  Bytes reply;             // the pending reply's frame
  Bytes moved;             // what the client needs to update its memory by that reply
  std::int64_t turns = 0;  // turns answered in this run
  StepSize step;           // of this run's broadcasts; zeros before the first
};

std::uint64_t fingerprint_of(const std::string& path);  // never 0; throws IoError

class ClientStateFile {
 public:
  // An empty folder means that the state is kept in memory only. Throws ConfigError or IoError.
  explicit ClientStateFile(std::string folder);

  ClientState& state() { return state_; }
  const ClientState& state() const { return state_; }
  void write();  // durable on the disk when it returns

 private:
  std::string path() const { return folder_ + "/client.state"; }
  void read();

  std::string folder_;
  std::optional<FolderLock> lock_;
  ClientState state_;
};

// The state of a participant. Its set-up is in participant_setup.cc, its rounds are in participant_rounds.cc.
struct Participant::Parts {
  explicit Parts(ParticipantOptions o) : options(std::move(o)), file(options.state) {
    options.tell = in_plain_words(std::move(options.tell));
  }

  ParticipantOptions options;
  ClientStateFile file;
  std::optional<Ended> ended;
  std::int64_t turns = 0;

  // These are known from the welcome on.
  std::string run;
  std::uint32_t index = 0;
  Index clients = 1;
  std::optional<Config> config;
  // These are known from set-up on.
  std::optional<ColumnFacts> own_columns;  // sent and not yet answered
  std::optional<Federation> data;
  std::uint64_t data_print = 0;  // fingerprint of the client's own file
  std::optional<StatisticalProblem> problem;
  std::size_t part = 0;  // the index of this client's potential in the problem
  // These are known from the seat on.
  Recipe recipe;
  bool step_known = false;  // a broadcast has told the recipe's step
  std::shared_ptr<const Coordinates> coordinates;  // those that the run had before the server began again
  std::unique_ptr<ClientHost> host;
  double weight = 1;
  Reply reply;
  bool reply_is_whole = false;  // the pending reply is in memory, not only on the disk
  struct Before {
    std::uint64_t committed, pending;
  };
  std::optional<PrivacyMeter> meter;  // set if the client has a limit on ε
  std::optional<Before> before;       // the state before the last move, as long as the disk has not stored the move
  Workspace work;
  // The block of shared draws that is being received; the chains' parts arrive in turn.
  std::uint64_t first_draw = 0;
  std::uint32_t draws_chain = 0;
  Index draws_block = 0;

  ClientState& state() { return file.state(); }
  Client& client() { return host->clients().front(); }
  std::uint64_t seed() const { return options.shared_seed ? config->seed : file.state().seed; }

  void stop(const Send& send, const std::string& why) {
    send(wire::encode(wire::Refusal{why, false}));
    ended = Ended{false, false, why};
  }

  void welcomed(const wire::Welcome& message, const Send& send);
  void begin_run(const std::string& name);
  void describe(const Send& send);
  void check_data();
  void laid_out(const wire::Layout& message, const Send& send);
  void scaled(const wire::Scaling& message, const Send& send);
  bool too_few(Index rows, const Send& send);
  void send_site(const Send& send);
  void seated(const wire::Seat& message);
  void take_step(const Broadcast& heard);
  void acknowledged(const wire::Acknowledged& message);
  void caught_up(const wire::CatchUp& message);
  void asked(const wire::Ask& message, const Send& send);
  void take_coordinates(const wire::Ask& message);
  void broadcast(ByteView frame, const Send& send);
  void take_draws(const wire::Draws& message);
  void restore();
  void restore_reply();
  void move_back();
  void keep_client();
  void keep_reply(std::uint64_t turn, const Bytes& frame);
  void measure();
  std::optional<double> epsilon_after(std::uint64_t iterations) const;
  std::string beyond_limits(const Broadcast& heard) const;
  void need_fleet() const {
    if (!host) throw WireError("message: found one of a round before this client's seat, accepted: after set-up");
  }
};

// Check what a server asks a client before anything is computed or memory is taken.
struct QuestionLimits {
  const Recipe* recipe = nullptr;
  Index dimension = 1, chains = 1, clients = 1;
  bool warm_up = false;  // true if the configuration has a warm-up
};

Query::What check_question(const wire::Ask& ask, const QuestionLimits& limits);  // throws WireError
void check_numbers(ConstPanelView values, const char* where);  // throws WireError if a number is not finite

// Throws WireError if a segment has more steps than longest_segment() allows, which is the limit that servers keep to.
void check_segment(const Broadcast& heard, Index dimension, Index chains);

}  // namespace pollen
