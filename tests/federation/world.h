// A federation in one thread: connections are queues, and whatever can go wrong between and in processes can be made
// to.
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

// How often, in thousandths of the moments at which it could happen.
struct Faults {
  int cut = 0;           // a connection, with what is on its way
  int kill_client = 0;   // before it hears, or between its disk and its answer
  int kill_server = 0;   // while it waits
  int kill_between = 0;  // the server, between two rounds: before its checkpoint, or after
  int repeat = 0;        // a client's frame, later again
  bool shuffle = true;   // whose frame comes next
  unsigned seed = 1;
};

struct Killed {};

// Clients that live on while servers come and go.
class World final : public Links {
 public:
  // Clients are parts of the configuration's own split, or have a file each; their states are under `folder`.
  World(const std::string& config, const Overrides& overrides, const Faults& faults, const std::string& folder,
        const std::vector<std::string>& files = {});
  World(Config config, std::vector<ParticipantOptions> clients, const Faults& faults);

  std::optional<LinkEvent> next(Deadline until) override;
  void send(std::uint64_t link, Frame frame) override;
  void close(std::uint64_t link) override;
  void limit_frames(std::size_t) override {}

  void server_died();  // all connections with it
  bool strikes(int thousandths);
  const Config& config() const { return config_; }
  int kill_between() const { return faults_.kill_between; }

  int faults = 0;                                                  // so far
  std::vector<std::string> ended;                                  // what clients were told or died of, but for "again"
  std::function<void(std::uint32_t client, Bytes& frame)> tamper;  // with what a client sends
  std::function<std::vector<Bytes>(std::uint32_t client, const Bytes& frame)> also;  // what it sends after that
  std::function<void(std::uint32_t client, const Bytes& frame)> overhear;            // what the server sends
  std::function<bool(std::uint32_t client)> silent;     // it neither hears nor speaks, and its connection stays
  std::function<bool(std::uint32_t client)> away;       // it is not connected
  bool stubborn = false;                                // a client that is sent away or fails is started again
  bool real_time = false;                               // waits as long as it is asked to where nothing happens
  std::function<void(ConnectionRegistry&)> before_end;  // the server, once it has all draws
  std::function<void(std::size_t client, const wire::Draws&)> shared;  // draws that a client has taken

 private:
  struct Site {
    ParticipantOptions options;
    std::unique_ptr<Participant> participant;
    std::uint64_t link = 0;
    std::deque<Frame> inbox;
    std::deque<Bytes> outbox;
    Bytes last;  // sent, to be repeated
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
  int silent_ = 0;  // looks in a row at which nothing had happened
  std::mt19937 random_;
};

struct FederationOutcome {
  std::vector<std::vector<double>> draws;  // one a chain
  Counters counters;
  int faults = 0, servers = 0;
  RoundStatistics statistics;
  double simulated = 0;  // seconds after the set-up, where [network] is set
};

// A whole run: servers are started until one gets to the end, each from what the one before had on its disk.
FederationOutcome run_federation(World& world, RegistryOptions options = {.shared_seed = true});

// A folder that is gone with the test, in memory where there is such a place.
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

// Configuration texts for `clients` gaussian or logistic clients.
inline Config federated_config(const std::string& text, Overrides overrides) {
  overrides.emplace_back("run.coupled=true");
  overrides.emplace_back("output.lp=false");
  return read_config_text(text, "test.toml", overrides);
}

}  // namespace pollen::testing
