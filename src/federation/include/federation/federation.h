// A federation over real connections, without its wires: who is here (ConnectionRegistry), how a round reaches them (a
// Transport), and a client's side of it (Participant). gRPC carries the frames (pollen/grpc.h); tests carry them in
// memory.
//
// Exactly once (docs/federation.md): a client computes a reply, stores it as pending, and moves its memory only when it
// is told that the reply was counted; the server says so only after the round is on its disk. Whatever is killed, in
// whatever order, the chain goes on as if nothing had happened.
// The server's objects belong to one thread, a Participant to another; only Links may be used by several.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "pollen/config.h"
#include "pollen/transport.h"
#include "round/client_host.h"
#include "run/problem.h"
#include "wire/messages.h"

namespace pollen {

using Frame = std::shared_ptr<const Bytes>;
using Deadline = std::chrono::steady_clock::time_point;

// The server's connections.
struct LinkEvent {
  enum class What { opened, frame, closed } what = What::opened;
  std::uint64_t link = 0;
  std::string peer;  // opened: the name in its certificate; empty without one
  Bytes frame;
};
class Links {
 public:
  virtual ~Links() = default;
  virtual std::optional<LinkEvent> next(Deadline until) = 0;                  // empty where nothing came
  virtual void send(std::uint64_t link, Frame frame) = 0;                     // nothing where the link is gone
  virtual void send_all(std::uint64_t link, std::span<const Frame> frames) {  // one after another, at once where it can
    for (const Frame& frame : frames) send(link, frame);
  }
  virtual void close(std::uint64_t link) = 0;        // once what was sent has left
  virtual void limit_frames(std::size_t bytes) = 0;  // longer ones end their connection
};

// News for whoever keeps a log: a line for people, and the same in words a program can look for.
struct Notice {
  enum class Level { info, warning };
  std::string event;  // "gone", "back", "skipped", ...: docs/federation.md lists them
  std::string text;
  std::string client = {};                 // its name, where it is about one
  std::optional<std::int64_t> round = {};  // likewise
  Level level = Level::info;
};
using Tell = std::function<void(const Notice&)>;

struct RegistryOptions {
  std::string version = {};
  bool shared_seed = false;
  const std::atomic<bool>* stop = nullptr;
  Tell tell = [](const Notice&) {};
  std::function<void()> looked = [] {};  // after every look at the connections, some five times a second at least
};

// Whether the sampler and the model can be those of a federation: the gradient and the averaging family.
bool federated(const Config& config);
// As both sides have it: a client is there for all chains or for none, lp__ costs an exchange a draw and is not asked
// for by default, bytes are real. ConfigError where the user wants it otherwise.
Config for_federation(Config config);
// ConfigError where [federation] and the rest do not go together, for a server.
void check_federation(const Config& config);

// Who is here: greets, refuses, takes clients through set-up, and hands on what they send.
class ConnectionRegistry {
 public:
  ConnectionRegistry(Links& links, const Config& config,
                     RegistryOptions options);  // ConfigError where [federation] is wrong

  // Waits until all expected clients (or a quorum, after start_timeout) have been through set-up.
  void gather();
  const std::vector<SiteFacts>& sites() const { return sites_; }  // in the order of the clients' numbers
  const std::vector<std::string>& names() const { return names_; }
  std::int64_t setup_bits() const { return setup_bits_; }
  const std::optional<ColumnFacts>& layout() const { return layout_; }  // of clients that read files of their own
  const std::optional<ColumnScaling>& scaling() const { return scaling_; }
  bool levels_shown() const;  // levels or labels that the configuration does not give
  const std::string& run() const { return run_; }
  // Everything a restarted server must know of set-up; load() comes before any connection.
  void archive(Archive& archive);
  void write(const std::string& path);  // the same as a file, durable and checked
  void read(const std::string& path);   // ConfigError where it is damaged or of another configuration
  bool gathered() const { return gathered_; }

  struct Message {
    std::uint32_t client = 0;
    bool arrived = false;  // it is (again) ready for rounds; else `frame` is a reply or an answer
    Bytes frame = {};
  };
  std::optional<Message> next(Deadline until);  // Interrupted where the user wants to stop
  bool present(std::uint32_t client) const { return seats_[client].ready; }
  bool connected(std::uint32_t client) const { return seats_[client].link != 0; }  // perhaps still in set-up
  std::size_t present() const;
  std::vector<std::string> absent() const;  // names of who is not connected; "" for a place nobody has taken yet
  void send(std::uint32_t client, const Frame& frame);
  void send_all(std::uint32_t client, std::span<const Frame> frames);
  void dismiss(std::uint32_t client, const std::string& why, bool again);  // says why and hangs up
  void limit_frames(std::size_t bytes) { links_.limit_frames(bytes); }
  void rounds_begin(bool stateful) { rounds_ = true, stateful_ = stateful; }
  void end(const wire::End& message);                     // tells everyone and waits until it has left
  void linger(const wire::End& message, Deadline until);  // after end(): those who were away, as they come back

 private:
  struct Seat {
    std::uint64_t link = 0;  // 0: not here
    std::uint64_t instance = 0;
    bool ready = false;
    bool told = false;  // that it is over
    int said = 0;       // of set-up, on this connection: each message once, in their order
    std::optional<ColumnFacts> columns;
    std::optional<ColumnMoments> moments;
    std::optional<SiteFacts> site;
  };
  bool work(Deadline until);  // one event; false where there was none
  void take(LinkEvent event);
  void admit(std::uint64_t link, const std::string& peer, const wire::Hello& hello);
  std::string refusal_of(const std::string& name, const wire::Hello& hello) const;
  std::optional<std::uint32_t> seat_for(const std::string& name, const wire::Hello& hello) const;
  void seated_frame(std::uint32_t client, Bytes frame);
  void setup_frame(std::uint32_t client, wire::Type type, const Bytes& frame);
  void in_order(std::uint32_t client, wire::Type type);
  void got_columns(std::uint32_t client, const ColumnFacts& facts);
  void got_moments(std::uint32_t client, ColumnMoments moments);
  void got_site(std::uint32_t client, const SiteFacts& facts);
  void settle_layout();
  void settle_scaling();
  bool sites_agree();
  bool send_away(const std::vector<std::size_t>& clients, const std::string& why);
  void become_ready(std::uint32_t client);
  void refuse(std::uint64_t link, const std::string& why, bool again);
  void unreadable(std::uint64_t link, const std::string& why);
  void lose(std::uint64_t link);
  void drop_silent_links();
  void hung_up(std::uint64_t link);
  void tell_latecomer(const LinkEvent& event, const wire::End& message);
  void start_without_the_missing();
  bool everybody_described() const;
  std::size_t described() const;
  std::string missing() const;
  void send_to(std::uint64_t link, const Bytes& frame) { links_.send(link, std::make_shared<const Bytes>(frame)); }
  bool stopped() const;
  void check_stop() const;

  struct Stranger {
    std::uint64_t link;
    std::string peer;
    Deadline until;  // to say hello
  };

  Links& links_;
  Config config_;
  std::string config_text_;
  RegistryOptions options_;
  std::string run_;
  std::vector<std::string> names_;  // "" while a counted seat is free
  bool named_ = false;              // the configuration gives the names
  std::vector<Seat> seats_;
  std::unordered_map<std::uint64_t, std::uint32_t> seated_;  // by their link
  std::vector<Stranger> strangers_;
  std::deque<Message> messages_;
  std::optional<ColumnFacts> layout_;
  std::optional<ColumnScaling> scaling_;
  std::vector<SiteFacts> sites_;
  std::int64_t setup_bits_ = 0;
  bool gathered_ = false, rounds_ = false, stateful_ = false;
};

// Of one client, since this server started.
struct ClientStatistics {
  std::int64_t turns = 0;                    // of its replies that were counted
  std::int64_t last_round = -1;              // of the latest of them
  std::int64_t skipped = 0;                  // rounds that went on without it
  std::int64_t bytes_in = 0, bytes_out = 0;  // of frames, set-up left out
  double latency = 0;                        // seconds from the broadcast to its latest reply
  bool wanted = false;                       // it is asked, and has not answered yet
  bool late = false;                         // likewise, and the deadline has passed
};

// What a federation's rounds did besides sampling.
struct RoundStatistics {
  std::int64_t turns = 0;
  std::int64_t participants = 0;             // of the latest turn
  std::int64_t skipped = 0;                  // clients left out of a round they were drawn for
  std::int64_t repeated = 0;                 // broadcasts sent again to a client that came back
  std::int64_t brought_up = 0;               // clients that were sent what they had missed
  std::int64_t bytes_in = 0, bytes_out = 0;  // of frames, set-up left out
  std::vector<double> latencies;             // seconds from the broadcast to a reply, the latest few thousand
  std::vector<ClientStatistics> clients;     // by their numbers; none before set-up is over
};

struct RemoteOptions {
  FederationConfig federation;
  std::size_t quorum = 1;
  Tell tell = [](const Notice&) {};
  RoundStatistics* statistics = nullptr;
};

// The server's way to clients in other processes. `mirror` is a view that hears what they hear.
std::unique_ptr<Transport> make_remote_transport(ConnectionRegistry& registry, ClientView& mirror,
                                                 const RemoteOptions& options);

// What a client reveals under a configuration, message by message, for people.
std::vector<std::string> disclosed_messages(const Config& config);

// What a client may refuse.
struct ParticipantLimits {
  std::int64_t most_rounds = 0;  // 0: no limit
  std::int64_t least_rows = 1;
  double most_epsilon = 0;            // likewise; of the run so far, by whichever accountant says less
  std::vector<std::string> samplers;  // empty: any
};

struct ParticipantOptions {
  std::string version;
  std::string name;              // where no certificate says it
  std::string data;              // the client's own file, or
  std::optional<Config> config;  // the configuration whose own split has
  std::int64_t part = -1;        // this part
  std::string state;             // folder; empty: nothing outlives the process
  bool shared_seed = false;
  ParticipantLimits limits = {};
  std::function<void(const wire::Draws&)> draws = {};  // --share-draws, checked and in order; empty: not taken
  Tell tell = [](const Notice&) {};
};

// A client of a federation: frames in, frames out.
class Participant {
 public:
  explicit Participant(ParticipantOptions options);  // ConfigError, IoError
  ~Participant();
  Participant(const Participant&) = delete;
  Participant& operator=(const Participant&) = delete;

  Bytes hello() const;  // the first frame of every connection
  using Send = std::function<void(const Bytes&)>;
  // WireError where the frame is not what a server may send now; ConfigError, NumericError where this client cannot go
  // on.
  void handle(ByteView frame, const Send& send);

  struct Ended {
    bool complete = false;
    bool again = false;  // a refusal that may pass
    std::string why;
  };
  const std::optional<Ended>& ended() const;
  void forget_ending();            // before another try
  std::int64_t turns() const;      // answered so far, by this process
  std::size_t most_bytes() const;  // of a frame that may come
  const Recipe* recipe() const;    // nothing before this client has its seat; likewise
  const StatisticalProblem* problem() const;
  const Config* config() const;  // the server's, or with `part` its own

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace pollen
