// A federation over real connections, independent of how frames are carried: who is connected (ConnectionRegistry), how
// a round reaches the clients (a Transport), and a client's side (Participant). gRPC carries the frames (grpc/wires.h);
// tests carry them in memory.
//
// Every reply counts exactly once (docs/federation.md). A client computes a reply, stores it as pending, and updates
// its memory only when it is told that the reply was counted; the server says so only after the round is on its disk.
// Any process may be killed at any time, and the chain continues as if nothing had happened. The server's objects
// belong to one thread and a Participant to another; only Links may be used by several threads.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "data/column_handshake.h"
#include "federation/contract.h"
#include "pollen/config.h"
#include "pollen/transport.h"
#include "round/client_host.h"
#include "run/personal_site.h"
#include "run/problem.h"
#include "sink/predictive.h"
#include "site/policy.h"
#include "wire/messages.h"

namespace pollen {

using Frame = std::shared_ptr<const Bytes>;
using Deadline = std::chrono::steady_clock::time_point;

// An event on one of the server's connections.
struct LinkEvent {
  enum class What { opened, frame, closed } what = What::opened;
  std::uint64_t link = 0;
  std::string peer;  // for `opened`: the name in its certificate; empty without one
  Bytes frame;
  std::string serial = {};          // for `opened`: the number of its certificate; empty without one
  std::string unfit = {};           // for `opened`: why its certificate names nobody; empty otherwise
  std::string fingerprint = {};     // for `opened`: the SHA-256 of its certificate in 64 digits; empty without one
  std::optional<Deadline> at = {};  // when it came, if that may have been some time before it was taken
};
class Links {
 public:
  virtual ~Links() = default;
  // The clock of all deadlines. Tests have links with a clock of their own.
  virtual Deadline now() const { return Deadline::clock::now(); }
  // Waits for the next event. Returns nothing if none came in time. A connection that was `opened` is read from the
  // next call on, so that one that is closed in between is never read.
  virtual std::optional<LinkEvent> next(Deadline until) = 0;
  // Lets next() wait until so many replies and answers are there, so that the server's thread is woken once for all of
  // them. Any other event still ends the wait at once.
  virtual void expect(std::size_t answers) { (void)answers; }
  // Does nothing if the link is gone.
  virtual void send(std::uint64_t link, Frame frame) = 0;
  // Sends frames one after another, in one go if the link can do that.
  virtual void send_all(std::uint64_t link, std::span<const Frame> frames) {
    for (const Frame& frame : frames) send(link, frame);
  }
  virtual void close(std::uint64_t link) = 0;        // closes after everything sent has left
  virtual void limit_frames(std::size_t bytes) = 0;  // a longer frame ends its connection
};

// An event for logs: a sentence for people, and a fixed word that programs can look for.
struct Notice {
  enum class Level { info, warning };
  std::string event;  // such as "gone", "back", "skipped"; docs/federation.md lists them
  std::string text;
  std::string client = {};                 // the client's name, if it is about one
  std::optional<std::int64_t> round = {};  // the round, if it is about one
  Level level = Level::info;
};
using Tell = std::function<void(const Notice&)>;

struct RegistryOptions {
  std::string version = {};
  bool shared_seed = false;
  const std::atomic<bool>* stop = nullptr;
  Tell tell = [](const Notice&) {};
  // Says why a client of this name, or with this certificate, may not take part (any more), or nothing.
  std::function<std::string(const std::string& name, const std::string& serial)> barred = [](auto&, auto&) {
    return std::string();
  };
  std::function<void()> looked = [] {};  // called after every look at the connections, at least five times a second
};

// Returns why a sampler cannot run in a federation, to follow its name, or an empty text if it can.
std::string why_not_federated(const Config& config);
// Returns the configuration that both sides use in a federation: a client is present for all chains or for none,
// messages are really encoded, and lp__ is off by default because it costs one exchange per draw. Throws ConfigError if
// the user asked for something else. data.min_cell is what sites ask for by default, except with --shared-seed, under
// [privacy], and for a store, whose cells were pooled when it was made.
Config for_federation(Config config, bool shared_seed);
// Reads the configuration that a server sent. All file names are removed from it, so that a client opens only its own
// --data, and for a model that is in a file its own `model_file`. Throws ConfigError if the text is wrong, if it needs
// a file that was not given, or if its sampler is not for a federation.
Config servers_config(const std::string& text, const std::string& model_file = {});
// Throws ConfigError if [federation] contradicts the rest of a server's configuration.
void check_federation(const Config& config);

// Knows which clients are connected. It greets or refuses them, takes them through set-up and passes on what they send.
class ConnectionRegistry {
 public:
  ConnectionRegistry(Links& links, const Config& config,
                     RegistryOptions options);  // throws ConfigError if [federation] is wrong

  // Waits until all expected clients (or a quorum, after start_timeout) have completed set-up.
  void gather();
  const std::vector<SiteFacts>& sites() const { return sites_; }  // in the order of the clients' numbers
  const std::vector<std::string>& names() const { return names_; }
  std::int64_t setup_bits() const { return setup_bits_; }
  // The layout agreed by clients that read their own files.
  const std::optional<ColumnFacts>& layout() const { return handshake_.layout; }
  const std::optional<ColumnScaling>& scaling() const { return handshake_.scaling; }
  std::vector<std::string> notes() const;  // about columns that are left out, and what clients' files differ in
  bool levels_shown() const;  // true if clients reveal levels or labels that the configuration does not give
  const std::string& run() const { return run_; }
  // Saves or loads everything about set-up that a restarted server needs. Load before any connection.
  void archive(Archive& archive);
  void write(const std::string& path);  // writes the same to a file, durable and with a checksum
  void read(const std::string& path);   // throws ConfigError if it is damaged or belongs to another configuration
  bool gathered() const { return gathered_; }

  struct Message {
    std::uint32_t client = 0;
    bool arrived = false;  // true if the client is (again) ready for rounds; otherwise `frame` is a reply or an answer
    Bytes frame = {};
    std::optional<Deadline> at = {};  // as in LinkEvent
  };
  void expect(std::size_t answers) { links_.expect(answers); }
  Deadline now() const { return links_.now(); }
  std::optional<Message> next(Deadline until);  // throws Interrupted if the user wants to stop
  bool present(std::uint32_t client) const { return seats_[client].ready; }
  bool connected(std::uint32_t client) const { return seats_[client].link != 0; }  // the client may still be in set-up
  std::size_t present() const;  // how many clients are ready for rounds
  std::size_t here() const;     // how many are connected; some may still be in set-up
  // Names of clients that are not connected; "" for a seat that nobody has taken yet.
  std::vector<std::string> absent() const;
  std::vector<std::string> untold() const;  // of those, who has not been told that the run is over, or over for them
  void send(std::uint32_t client, std::span<const Frame> frames);
  // Tells the client why and closes the connection.
  void dismiss(std::uint32_t client, const std::string& why, bool again);
  void expel();  // sends all clients away that are barred now
  bool barred(std::uint32_t client) const { return seats_[client].barred; }
  void limit_frames(std::size_t bytes) { links_.limit_frames(bytes); }
  void rounds_begin(bool stateful) { rounds_ = true, stateful_ = stateful; }
  void end(const wire::End& message);  // tells everyone and waits until the message has left
  void linger(Deadline until);         // after end(): tells clients that were away when they come back

 private:
  struct Seat {
    std::uint64_t link = 0;  // 0 if not connected
    std::uint64_t instance = 0;
    std::string serial = {};  // of its certificate
    bool barred = false;      // it was sent away and may not come back with that certificate
    bool ready = false;
    bool told = false;  // true once it was told that the run is over, or that it may not take part any more
    int said = 0;       // set-up messages received on this connection; each may come once, in order
    std::optional<SiteFacts> site;
  };
  struct Stranger {
    std::uint64_t link;
    std::string peer, serial, fingerprint;
    Deadline until;  // time limit for the hello
  };
  bool look(Deadline until);  // handles one event; false if there was none
  bool work(
      Deadline until);  // the same while the run goes on: also calls options_.looked, and throws Interrupted on a stop
  void take(LinkEvent event);
  void greet(LinkEvent event);
  void turn_away(std::uint64_t link, const std::string& name, const std::string& why);
  std::string unexpected(const std::string& name) const;
  std::string other_certificate(const std::string& name, const std::string& fingerprint) const;
  std::string bar(const std::string& name, const std::string& serial);
  void admit(const Stranger& stranger, const wire::Hello& hello);
  static std::string comparable(Config config);
  std::string refusal_of(const std::string& name, const wire::Hello& hello) const;
  std::optional<std::uint32_t> seat_for(const std::string& name, const wire::Hello& hello) const;
  void seated_frame(std::uint32_t client, LinkEvent event);
  void setup_frame(std::uint32_t client, wire::Type type, const Bytes& frame);
  void in_order(std::uint32_t client, wire::Type type);
  template <class Answer, class Said, class Agreed>
  void heard(std::uint32_t client, Said said, const std::optional<Agreed>& agreed);
  void got_site(std::uint32_t client, const SiteFacts& facts);
  bool sites_agree();
  void send_away(std::size_t client, const std::string& why);
  void become_ready(std::uint32_t client);
  void refuse(std::uint64_t link, const std::string& why, bool again);
  void unreadable(std::uint64_t link, const std::string& why);
  void lose(std::uint64_t link);
  void warn(const char* event, const std::string& text, const std::string& client = {}) const;
  bool said_lately(const std::string& text);
  void drop_silent_links();
  void tell_end(Seat& seat, std::uint64_t link);
  void tell_latecomer(std::uint64_t link, const std::string& name);
  void start_without_the_missing();
  void make_seats(std::size_t clients) {
    seats_.assign(clients, {});
    handshake_ = ColumnHandshake(config_.data, target_of(config_), clients);
  }
  bool everybody_described() const;
  std::size_t described() const;
  std::string missing() const;
  void send_to(std::uint64_t link, const Bytes& frame) { links_.send(link, std::make_shared<const Bytes>(frame)); }
  bool stopped() const;

  Links& links_;
  Config config_;
  std::string config_text_, comparable_;
  RegistryOptions options_;
  std::string run_;
  std::vector<std::string> names_;  // "" while a seat without a fixed name is free
  bool named_ = false;              // true if the configuration gives the names
  std::vector<Seat> seats_;
  std::unordered_map<std::uint64_t, std::uint32_t> seated_;  // maps links to clients
  std::vector<Stranger> strangers_;
  std::map<std::string, Deadline> said_;  // refusals in the log, and until when they are not repeated there
  std::deque<Message> messages_;
  ColumnHandshake handshake_;
  std::vector<SiteFacts> sites_;
  std::int64_t setup_bits_ = 0;
  bool gathered_ = false, rounds_ = false, stateful_ = false;
  Frame over_;  // the message that the run is over; null before
};

// Statistics of one client since this server started.
struct ClientStatistics {
  std::int64_t turns = 0;                    // replies that were counted
  std::int64_t last_round = -1;              // round of the latest counted reply
  std::int64_t skipped = 0;                  // rounds that went on without it
  std::int64_t bytes_in = 0, bytes_out = 0;  // bytes of frames, without set-up
  double latency = 0;                        // seconds from the broadcast to its latest reply
  double size = 0;                           // the largest number in each of its counted replies, added up
  bool wanted = false;                       // it was asked and has not answered yet
  bool late = false;                         // it has not answered and the deadline has passed
};

// Statistics of a federation's rounds beyond sampling.
struct RoundStatistics {
  std::int64_t turns = 0;
  std::int64_t participants = 0;             // participants of the latest turn
  std::int64_t skipped = 0;                  // times a client was left out of a round it was drawn for
  std::int64_t repeated = 0;                 // broadcasts sent again to a client that came back
  std::int64_t brought_up = 0;               // clients that were sent what they had missed
  std::int64_t bytes_in = 0, bytes_out = 0;  // bytes of frames, without set-up
  std::vector<double> latencies;             // seconds from the broadcast to a reply, for the latest few thousand
  std::vector<ClientStatistics> clients;     // by client number; empty until set-up is over
  bool sums = true;                          // whether replies are sums over rows, and not positions
  // The seconds since this process began its first turn, up to the latest message, and those of them in which it waited
  // for a message.
  double elapsed = 0, waited = 0;
  double waiting_share() const { return elapsed > 0 ? waited / elapsed : 0; }
};

// Compares the size of the clients' replies, per row where replies are sums over rows, with that of the median client.
// Returns a sentence for each client that is more than a thousand times above or below it, which a wrong unit would be.
std::vector<std::pair<std::uint32_t, std::string>> odd_replies(const RoundStatistics& statistics,
                                                               const ConnectionRegistry& registry);

// Thrown where the operator must decide: a reply is absurd (AbsurdReply), or a client that is needed may not take part
// any more. The run can go on from its checkpoint.
class Paused : public Interrupted {};

struct RemoteOptions {
  FederationConfig federation;
  std::size_t quorum = 1;
  Tell tell = [](const Notice&) {};
  RoundStatistics* statistics = nullptr;
  std::vector<std::uint32_t> believed = {};  // clients whose answers in an exact kernel's rounds may be absurd; sorted
};

// Makes the server's transport to clients in other processes. `mirror` is a view that receives what they receive.
std::unique_ptr<Transport> make_remote_transport(ConnectionRegistry& registry, ClientView& mirror,
                                                 const RemoteOptions& options);

// Describes every message by which a client reveals something under a contract, for people.
std::vector<std::string> disclosed_messages(const Contract& contract);

// The most bytes of draws that a server shares (--share-draws) and a client takes, unless one draw per chain is more.
inline constexpr std::int64_t kMostShared = std::int64_t{64} << 20;

// What a site learns about its own test rows.
struct SiteScores {
  Index train_rows = 0, test_rows = 0;
  sink::Scores scores;                      // empty without test rows
  std::optional<SiteLatents> latents = {};  // of a model with latents: what this client keeps of it
};

struct ParticipantOptions {
  std::string version;
  std::string name;         // used if no certificate gives the name
  std::string fingerprint;  // the SHA-256 of its certificate in 64 digits; empty without one
  // Either `data`, the client's own file, or `config` and `part`: that part of the configuration's split.
  std::string data;
  std::optional<Config> config;
  std::int64_t part = -1;
  std::string state;         // folder; if empty, nothing outlives the process
  std::string model_file;    // this site's copy of the model's file, for studies that need one
  bool shared_seed = false;  // for tests: also, data files are not bound to runs
  // What the site has agreed to: the text of contract.toml, or its SHA-256. Without either the first study is pinned.
  std::string contract, contract_hash;
  bool new_run = false;           // whether one further run may begin over data that were in one
  Policy policy = open_policy();  // what this site allows; `pollen join` begins with the defaults of Policy instead
  bool curvature = true;          // whether it answers questions about its whole Hessian
  std::string ledger = {};        // folder of the site's ledger; empty: none is kept
  // Receives the shared draws (--share-draws), checked and in order. If empty, they are not accepted.
  std::function<void(const wire::Draws&)> draws = {};
  std::function<void(const SiteScores&)> scored = {};  // receives the scores of its own test rows, for its own files
  Tell tell = [](const Notice&) {};
};

// Returns the contract of such a client for a study with so many clients, `pollen join --dry-run`'s and the one that a
// Participant holds its server to. Reads the client's own file, without sending anything, and holds the study against
// the policy. Throws StudyRefused if the policy does not allow it, and ConfigError or IoError.
Contract contract_for(const ParticipantOptions& options, const Config& study, Index clients);
// Returns how a contract differs from the one that the site has agreed to, or an empty text.
std::string other_than_agreed(const ParticipantOptions& options, const Contract& contract);

// A client of a federation. It takes frames in and hands frames out.
class Participant {
 public:
  explicit Participant(ParticipantOptions options);  // throws ConfigError or IoError
  ~Participant();
  Participant(const Participant&) = delete;
  Participant& operator=(const Participant&) = delete;

  Bytes hello() const;  // the first frame of every connection
  using Send = std::function<void(const Bytes&)>;
  // Handles one frame. Throws WireError if a server must not send this frame now, StudyRefused if the policy does not
  // allow the study, and ConfigError or NumericError if this client cannot continue.
  void handle(ByteView frame, const Send& send);

  struct Ended {
    bool complete = false;
    bool again = false;  // true for a refusal that may be temporary
    std::string why;
  };
  const std::optional<Ended>& ended() const;
  void forget_ending();        // call it before another attempt
  void rest();                 // call it before an orderly end: gives back what was reserved on the disk
  std::int64_t turns() const;  // turns answered by this process
  Index clients() const;       // of the whole federation
  const std::string& name() const;
  std::uint32_t index() const;              // its number in the federation
  std::vector<std::string> labels() const;  // of a draw's coordinates; after this client has its seat
  std::size_t most_bytes() const;           // size limit of an incoming frame
  const Recipe* recipe() const;             // null before this client has its seat
  const StatisticalProblem* problem() const;
  const Config* config() const;  // the server's configuration, or with `part` the client's own

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace pollen
