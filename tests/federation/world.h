// Simulates a federation in one thread. Connections are queues, and every fault between and within processes can be
// injected.
#pragma once

#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "federation/federation.h"
#include "support/problems.h"

namespace pollen::testing {

// How often faults happen, in thousandths of the moments at which they could.
struct Faults {
  int cut = 0;           // a connection is cut, with everything on its way
  int kill_client = 0;   // a client is killed before it hears, or between its disk and its answer
  int kill_server = 0;   // the server is killed while it waits
  int kill_between = 0;  // the server is killed between two rounds, before or after its checkpoint
  int repeat = 0;        // a client's frame arrives again later
  bool shuffle = true;   // the next frame comes from a random client
  unsigned seed = 1;
};

// A logistic problem of a few rows. Its last section is [sampler].
struct SmallProblem {
  int clients = 3, largest = 30, iterations = 6, chains = 2, refresh = 1;
};
std::string small_problem(const SmallProblem& p);

struct Killed {};

// Clients that live on while servers come and go.
class World final : public Links {
 public:
  // The clients are the parts of the configuration's own split, or have one file each. Their states are under `folder`.
  World(const std::string& config, const Overrides& overrides, const Faults& faults, const std::string& folder,
        const std::vector<std::string>& files = {});
  World(Config config, std::vector<ParticipantOptions> clients, const Faults& faults);

  Deadline now() const override { return now_; }
  std::optional<LinkEvent> next(Deadline until) override;
  void send(std::uint64_t link, Frame frame) override;
  void close(std::uint64_t link) override;
  void limit_frames(std::size_t) override {}

  void restart(std::size_t client) { start(client); }  // as a new process over what is on its disk
  void server_died();                                  // ends all connections with it
  bool strikes(int thousandths);
  const Config& config() const { return config_; }
  int kill_between() const { return faults_.kill_between; }

  int faults = 0;                  // number of faults so far
  std::vector<std::string> ended;  // why clients ended, except for "again"
  // Changes what a client sends.
  std::function<void(std::uint32_t client, Bytes& frame)> tamper;
  // Returns what a client sends in addition.
  std::function<std::vector<Bytes>(std::uint32_t client, const Bytes& frame)> also;
  // Sees what the server sends.
  std::function<void(std::uint32_t client, const Bytes& frame)> overhear;
  std::function<bool(std::uint32_t client)> silent;     // the client neither hears nor speaks, but stays connected
  std::function<bool(std::uint32_t client)> away;       // the client is not connected
  bool goes_on = false;                                 // a server that pauses is started again
  bool stubborn = false;                                // a client that is sent away or fails is started again
  std::vector<std::uint32_t> believed;                  // clients whose replies may be absurdly large
  bool may_wait = false;                                // it is no error if nothing happens for long
  int looks = 0;                                        // how often the server looked for events
  std::function<void(ConnectionRegistry&)> before_end;  // called once the server has all draws
  std::function<void(std::size_t client, const wire::Draws&)> shared;  // receives the draws that a client has accepted

 private:
  struct Site {
    ParticipantOptions options;
    std::unique_ptr<Participant> participant;
    std::uint64_t link = 0;
    std::deque<Frame> inbox;
    std::deque<Bytes> outbox;
    Bytes last;  // the last frame sent, to be repeated
    bool closing = false, over = false;
  };
  void start(std::size_t i);
  void connect(std::size_t i);
  void hear(std::size_t i);
  void lose(std::size_t i);
  void speak(std::size_t i);
  void finished(std::size_t i, const std::string& why);
  void gather_events();
  std::vector<std::size_t> order();

  Config config_;
  Faults faults_;
  std::vector<Site> sites_;
  std::deque<LinkEvent> events_;
  std::uint64_t last_link_ = 0;
  Deadline now_ = Deadline() + std::chrono::hours(1);  // moves while nothing happens
  int silent_ = 0;                                     // looks in a row at which nothing had happened
  std::mt19937 random_;
};

struct FederationOutcome {
  std::vector<std::vector<double>> draws;  // one per chain
  Counters counters;
  int faults = 0, servers = 0;
  RoundStatistics statistics;
  double simulated = 0;  // seconds after the set-up, if [network] is set
};

// Runs to the end. Servers are started until one finishes, each from what the one before had on its disk.
FederationOutcome run_federation(World& world, RegistryOptions options = {.shared_seed = true});

// A folder that disappears with the test; it is in memory if the machine has such a place.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Makes a configuration for `clients` gaussian or logistic clients.
inline Config federated_config(const std::string& text, Overrides overrides) {
  overrides.emplace_back("run.coupled=true");
  overrides.emplace_back("output.lp=false");
  return read_config_text(text, "test.toml", overrides);
}

}  // namespace pollen::testing
