// Processes are killed and frozen at random moments, connections are cut, delayed and throttled, and the draws stay the
// same.
#include <fmt/format.h>
#include <signal.h>

#include <iostream>
#include <random>

#include "federation.h"
#include "relay.h"

namespace pollen {
namespace {

struct Case {
  const char* name;
  Words keys;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class Faults : public FederationTest, public testing::WithParamInterface<Case> {
 protected:
  static constexpr int kFaults = 80;  // faults that the test causes; the relay's own cuts come on top
  static constexpr int kClients = 5;
  static constexpr double kMost = 120;  // limit in seconds

  Faults() : relay_({.cut = 2, .delay = 50, .most_milliseconds = 15, .bytes_per_look = 512}, seed()) {
    for (const std::string& key : GetParam().keys) keys_.insert(keys_.end(), {"--set", key});
    keys_.insert(keys_.end(), {"--set", "run.iterations=600"});
  }

  // Every case has its own seed. POLLEN_FAULT_SEED shifts them all, for long searches.
  static unsigned seed() {
    const char* given = std::getenv("POLLEN_FAULT_SEED");
    return static_cast<unsigned>(GetParam().name[0]) +
           (given == nullptr ? 0 : 1000 * static_cast<unsigned>(std::atoi(given)));
  }
  void start_server() {
    server_.emplace(serve(keys_));
    relay_.aim(port_of(*server_));
    ++servers_;
  }
  void start_client(int i) { clients_[static_cast<std::size_t>(i)] = join(i, relay_.port(), keys_); }
  int any(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }

  // Waits before the next fault. One time in three this is a short moment, whatever happens then; otherwise it lasts
  // until the chain has advanced by a few rounds, so that most faults meet a federation at work.
  void let_pass() {
    const bool blind = any(3) == 0;
    const auto enough = spool_bytes() + any(4) * 80;
    await(blind ? 0.001 * any(100) : 10, [&] { return (!blind && spool_bytes() > enough) || !server_->running(); });
  }

  void kill_server() {
    server_->kill();
    start_server();
  }
  void kill_client(int i) {
    clients_[static_cast<std::size_t>(i)].kill();
    start_client(i);
  }
  void freeze(Child& child) {
    child.send(SIGSTOP);
    await(0.001 * (1 + any(60)), [] { return false; });
    child.send(SIGCONT);
  }
  void strike() {
    Child& client = clients_[static_cast<std::size_t>(any(kClients))];
    const int fault = any(20);
    if (fault < 7) return kill_client(any(kClients));
    if (fault < 9) return kill_server();
    if (fault < 10) {
      const int i = any(kClients);
      clients_[static_cast<std::size_t>(i)].kill();
      kill_server();
      return start_client(i);
    }
    if (fault < 13) return freeze(client);
    if (fault < 14) return freeze(*server_);
    relay_.cut(fault >= 18);
  }

  Relay relay_;
  std::mt19937 random_{seed()};
  Words keys_;
  std::optional<Child> server_;
  std::vector<Child> clients_;
  int servers_ = 0;
};

TEST_P(Faults, DoNotMatter) {
  simulate(keys_);
  start_server();
  clients_ = join_all(relay_.port(), kClients, keys_);
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  int faults = 0, moved = 0;
  std::int64_t last = 0;
  for (; faults < kFaults && seconds() < kMost && server_->running() && !HasFailure(); ++faults) {
    let_pass();
    if (!server_->running()) break;
    if (spool_bytes() != last) ++moved;
    last = spool_bytes();
    strike();
    for (Child& client : clients_)
      if (!client.running()) FAIL() << "a client left: " << client.err() << "\nserver: " << server_->err();
  }
  relay_.calm();
  expect_done(*server_, clients_);
  expect_same_draws();
  std::cout << fmt::format("{} faults ({} after progress), {} cuts in all, {} delays, {} servers, {:.1f} s\n", faults,
                           moved, relay_.cuts(), relay_.delays(), servers_, seconds());
  EXPECT_GE(moved, kFaults / 2) << "most faults met a federation that did not sample";
  EXPECT_GE(faults, kFaults) << "the run was over too early";
}

INSTANTIATE_TEST_SUITE_P(
    Samplers, Faults,
    testing::Values(Case{"memory", {"sampler.name=qlsd++"}}, Case{"b_elf", {"sampler.name=b-elf", "sampler.k=2"}},
                    Case{"coded_anchors",
                         {"sampler.name=clsd++", "participation.policy=bernoulli", "participation.probability=0.5"}},
                    Case{"absent",
                         {"sampler.name=b-elf", "sampler.k=2", "participation.policy=bernoulli",
                          "participation.probability=0.5"}},
                    Case{"every", {"sampler.name=fald", "sampler.communicate=0.5", "sampler.emit=every"}},
                    Case{"fald", {"sampler.name=fald", "sampler.communicate=0.5"}}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace pollen
