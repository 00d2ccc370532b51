// What is stopped and started again continues; a client that comes back with another identity does not.
#include <fmt/format.h>
#include <signal.h>

#include "federation.h"

namespace pollen {
namespace {

class Restart : public FederationTest {
 protected:
  Words keys(const std::string& sampler, int iterations = 3000) const {
    return {"--set", fmt::format("sampler.name={}", sampler), "--set", fmt::format("run.iterations={}", iterations)};
  }
  void await_rounds(Child& server) const {
    EXPECT_TRUE(await(kPatience, [&] { return spool_bytes() > 2000 || !server.running(); }));
    EXPECT_TRUE(server.running()) << "the run was over too early";
  }
  // Kills a client in the middle of the run and starts it with other arguments.
  Child replace(std::vector<Child>& clients, int port, const Words& more, const std::string& log) const {
    clients[0].kill();
    Words words = {"join", "--server",     fmt::format("127.0.0.1:{}", port), "--insecure", "--name",
                   "c0",   "--shared-seed"};
    words.insert(words.end(), more.begin(), more.end());
    return start(words, log);
  }
};

TEST_F(Restart, AServerStoppedByHandGoesOn) {
  bool said = false;
  const Words k = keys("qlsd++", 1500);
  simulate(k);
  Child server = serve(k);
  const int port = port_of(server);
  std::vector<Child> clients = join_all(port, 5, k);
  await_rounds(server);
  server.send(SIGINT);
  EXPECT_EQ(server.wait(kPatience), 130) << server.err();
  expect_has(server.err(), "start the same command again to go on");
  EXPECT_TRUE(await(kPatience, [&] { return clients[0].err().find("trying again") != std::string::npos; }));
  for (const char* words : {"the connection was lost", "the server hung up"})
    if (clients[0].err().find(words) != std::string::npos) said = true;
  EXPECT_TRUE(said) << clients[0].err();
  Child again = serve(k, fmt::format("127.0.0.1:{}", port));
  expect_done(again, clients);
  expect_has(again.err(), "going on after");
  expect_same_draws();
}

TEST_F(Restart, AServerWhoseStateIsInItsRunFolder) {
  const Words k = keys("qlsd++", 1500);
  simulate(k);
  const auto words = [&](const std::string& listen, const Words& more) {
    Words all = {"serve", "a.toml", "--listen", listen, "--out", "together", "--shared-seed", "--insecure"};
    all.insert(all.end(), k.begin(), k.end());
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  Child server = start(words("127.0.0.1:0", {}), "server");
  ASSERT_TRUE(await(kPatience, [&] { return port_of(server) > 0; })) << server.err();
  const int port = port_of(server);
  std::vector<Child> clients = join_all(port, 5, k);
  await_rounds(server);
  server.send(SIGINT);
  EXPECT_EQ(server.wait(kPatience), 130) << server.err();
  expect_has(server.err(), "add --resume");
  const std::int64_t stopped_at = spool_bytes();
  Child again = start(words(fmt::format("127.0.0.1:{}", port), {"--resume"}), "again");
  EXPECT_TRUE(await(kPatience, [&] { return spool_bytes() > stopped_at || !again.running(); })) << again.err();
  again.kill();
  Child last = start(words(fmt::format("127.0.0.1:{}", port), {"--resume"}), "last");
  expect_done(last, clients);
  expect_same_draws();
}

TEST_F(Restart, AClientStoppedByHandGoesOn) {
  const Words k = keys("qlsd++", 1500);
  simulate(k);
  Child server = serve(k);
  std::vector<Child> clients = join_all(port_of(server), 5, k);
  await_rounds(server);
  clients[2].send(SIGTERM);
  EXPECT_EQ(clients[2].wait(kPatience), 130) << clients[2].err();
  expect_has(clients[2].err(), "stopped; its state is in s2");
  clients[2] = join(2, port_of(server), k);
  expect_done(server, clients);
  expect_same_draws();
}

TEST_F(Restart, AServerBeforeItsClients) {
  Child server = serve(keys("qlsd++"));
  server.send(SIGINT);
  EXPECT_EQ(server.wait(kPatience), 130) << server.err();
  expect_has(server.err(), "stopped before the first round");
}

// A client that was away when the run ended hears of it from a server that is started again.
TEST_F(Restart, AClientThatMissedTheEnd) {
  const Words k = keys("qlsd++", 40);
  Child server = serve(k);
  std::vector<Child> clients = join_all(port_of(server), 5, k);
  expect_done(server, clients);
  Child again = serve(k);
  Child late = join(3, port_of(again), k);
  EXPECT_EQ(late.wait(kPatience), 0) << late.err();
  again.send(SIGINT);
  EXPECT_EQ(again.wait(kPatience), 0) << again.err();
}

TEST_F(Restart, WithoutItsStateRefusedWhereItIsNeeded) {
  const Words k = keys("qlsd++", 20000);
  Child server = serve(k);
  std::vector<Child> clients = join_all(port_of(server), 5, k);
  await_rounds(server);
  Words words = {"--config", "a.toml", "--client", "0", "--state", "elsewhere"};
  words.insert(words.end(), k.begin(), k.end());
  Child stranger = replace(clients, port_of(server), words, "stranger");
  EXPECT_EQ(stranger.wait(kPatience), 1) << stranger.err();
  expect_has(stranger.err(), "comes without its state of this run");
  EXPECT_TRUE(server.running());
}

TEST_F(Restart, WithoutItsStateWelcomeWhereNothingIsKept) {
  const Words k = keys("qlsd");
  simulate(k);
  Child server = serve(k);
  std::vector<Child> clients = join_all(port_of(server), 5, k);
  // The draws reach the disk with the checkpoints every ten seconds, which is too long to wait for.
  EXPECT_TRUE(await(kPatience, [&] { return server.err().find("5 of 5 are ready") != std::string::npos; }));
  Words words = {"--config", "a.toml", "--client", "0", "--state", "elsewhere"};
  words.insert(words.end(), k.begin(), k.end());
  clients[0] = replace(clients, port_of(server), words, "stranger");
  expect_done(server, clients);
  expect_same_draws();
}

const char* const kOwn = R"(seed = 11
[model]
kind = "linear"
noise_sd = 1.0
[data]
target = "y"
[run]
iterations = 20000
chains = 2
[sampler]
name = "qlsd++"
step = 0.0001
[federation]
expect = ["c0", "c1"]
)";

std::string rows(int count, int shift) {
  std::string text = "x,y\n";
  for (int i = 0; i < count; ++i) text += fmt::format("{},{}\n", i % 7, (i * 3 + shift) % 5);
  return text;
}

TEST_F(Restart, WithOtherRowsRefused) {
  put("a.toml", kOwn);
  for (int i = 0; i < 2; ++i) put(fmt::format("d{}.csv", i), rows(30 + i, i));
  put("more.csv", rows(40, 0));
  put("other.csv", rows(30, 2));  // as many rows as before
  Child server = serve();
  std::vector<Child> clients;
  for (int i = 0; i < 2; ++i) clients.push_back(join(i, port_of(server), {"--data", fmt::format("d{}.csv", i)}));
  await_rounds(server);
  for (const char* file : {"more.csv", "other.csv"}) {
    Child changed = replace(clients, port_of(server), {"--data", file, "--state", "s0"}, file);
    const auto code = changed.wait(kPatience);
    EXPECT_TRUE(code == 1 || code == 2) << changed.err();
    expect_has(changed.err(), "not those");
  }
  EXPECT_TRUE(server.running());
  // With its own file the client is accepted again.
  const std::int64_t before = spool_bytes();
  Child back = join(0, port_of(server), {"--data", "d0.csv"});
  EXPECT_TRUE(await(kPatience, [&] { return spool_bytes() > before + 1000; })) << back.err() << server.err();
}

// Two servers with one state would tell clients different things.
TEST_F(Restart, AStateThatIsInUse) {
  Child server = serve();
  const Outcome second = run(serve_words());
  EXPECT_EQ(second.code, 2);
  expect_has(second.err, "--state: found \"hub\", which another server is using");
  EXPECT_TRUE(server.running());
  Child client = join(0, port_of(server));
  EXPECT_TRUE(await(kPatience, [&] { return server.err().find("c0 is here") != std::string::npos; }));
  const Outcome same = run(join_words(0, port_of(server)));
  EXPECT_EQ(same.code, 2);
  expect_has(same.err, "--state: found \"s0\", which another client is using");
}

}  // namespace
}  // namespace pollen
