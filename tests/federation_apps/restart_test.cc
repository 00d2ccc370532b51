// What is stopped and started again continues; a client that comes back with another identity does not.
#include <fmt/format.h>
#include <signal.h>

#include <filesystem>

#include "federation.h"

namespace pollen {
namespace {

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

// Trajectories that a stop or a kill cuts off are made again: the draws are those of a run that was never stopped.
TEST_F(Restart, ExactSamplersGoOn) {
  Words k = keys("nuts", 9000);
  for (const char* set : {"sampler.batch=1.0", "sampler.step=auto", "run.burn_in=500", "output.lp=true"})
    k.insert(k.end(), {"--set", set});
  simulate(k);
  Child server = serve(k);
  const int port = port_of(server);
  std::vector<Child> clients = join_all(port, 5, k);
  await_rounds(server);
  clients[1].kill();
  clients[1] = join(1, port, k);
  server.send(SIGINT);
  EXPECT_EQ(server.wait(kPatience), 130) << server.err();
  Child again = serve(k, fmt::format("127.0.0.1:{}", port));
  EXPECT_TRUE(await(kPatience, [&] { return again.err().find("5 of 5 here") != std::string::npos; })) << again.err();
  again.kill();
  Child last = serve(k, fmt::format("127.0.0.1:{}", port));
  expect_done(last, clients);
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
  expect_has(server.err(), "start the same command again to go on");
  const std::int64_t stopped_at = spool_bytes();
  Child again = start(words(fmt::format("127.0.0.1:{}", port), {}), "again");
  EXPECT_TRUE(await(kPatience, [&] { return spool_bytes() > stopped_at || !again.running(); })) << again.err();
  again.kill();
  Child last = start(words(fmt::format("127.0.0.1:{}", port), {}), "last");
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

// A lost checkpoint must not make the server begin again as if nothing had been sampled.
TEST_F(Restart, AServerWhoseCheckpointIsGoneSaysSo) {
  const Words k = keys("qlsd++", 100000);
  Child server = serve(k);
  std::vector<Child> clients = join_all(port_of(server), 5, k);
  await_rounds(server);
  server.send(SIGINT);
  EXPECT_EQ(server.wait(kPatience), 130) << server.err();
  const std::string checkpoint = slurp("hub/checkpoint");
  std::filesystem::remove(path("hub/checkpoint"));
  const Outcome lost = run(serve_words(k));
  EXPECT_EQ(lost.code, 2);
  expect_has(lost.err, "hub/checkpoint: found no checkpoint, but the state of a run that has begun");
  // The same with the wrong state folder: the run in --out is not over and stays as it is.
  Words elsewhere = serve_words(k);
  *std::find(elsewhere.begin(), elsewhere.end(), "hub") = "elsewhere";
  const Outcome wrong = run(elsewhere);
  EXPECT_EQ(wrong.code, 2);
  expect_has(wrong.err, "found a run that is not over, but not its state");
  EXPECT_TRUE(exists("together/draws.spool"));
  // Damaged states name a remedy that a server has.
  const std::string state = slurp("hub/federation");
  for (const auto& [file, whole] : {std::pair("hub/checkpoint", checkpoint), std::pair("hub/federation", state)}) {
    std::string bytes = whole;
    bytes.back() = static_cast<char>(bytes.back() ^ 1);
    put("hub/checkpoint", checkpoint);
    put(file, bytes);
    const Outcome damaged = run(serve_words(k));
    EXPECT_EQ(damaged.code, 2);
    expect_has(damaged.err, "damaged bytes (the checksum differs)");
    expect_has(damaged.err, "put it back from a backup, or begin a new run with --force");
    put(file, whole);
  }
  // And with another configuration.
  Words other = keys("qlsd++", 5);
  const Outcome another = run(serve_words(other));
  EXPECT_EQ(another.code, 2);
  expect_has(another.err, "run.iterations is 100000 there and 5 here");
}

// A run that is still in its burn-in has no draws yet, and is not over either.
TEST_F(Restart, AServerWithTheWrongStateInBurnIn) {
  Words k = keys("qlsd++", 1000000);
  k.insert(k.end(), {"--set", "run.burn_in=900000"});
  Child server = serve(k);
  std::vector<Child> clients = join_all(port_of(server), 5, k);
  ASSERT_TRUE(await(kPatience, [&] { return exists("hub/federation"); })) << server.err();
  server.send(SIGINT);
  EXPECT_EQ(server.wait(kPatience), 130) << server.err();
  Words elsewhere = serve_words(k);
  *std::find(elsewhere.begin(), elsewhere.end(), "hub") = "elsewhere";
  const Outcome wrong = run(elsewhere);
  EXPECT_EQ(wrong.code, 2);
  expect_has(wrong.err, "found a run that is not over, but not its state");
  // The right state and another folder for the draws.
  Words other_out = serve_words(k);
  *std::find(other_out.begin(), other_out.end(), "together") = "apart";
  const Outcome apart = run(other_out);
  EXPECT_EQ(apart.code, 2);
  expect_has(apart.err, "--out: found ");
  expect_has(apart.err, "accepted: the folder that this run writes to (" + path("together") + ")");
  EXPECT_FALSE(exists("apart"));
}

// Clients of a run that is not over wait where another one is begun, and go on when the right server is back.
TEST_F(Restart, AServerWithAnotherRunInMind) {
  put("a.toml", kOwn);
  for (int i = 0; i < 2; ++i) put(fmt::format("d{}.csv", i), rows(30 + i, i));
  put("policy.toml", "trust_server = true\nmin_clients = 2\nmin_cell = 0\nmin_test_rows = 0\n");
  const auto words = [&](int i, int port) {
    return Words{"join",
                 "--server",
                 fmt::format("127.0.0.1:{}", port),
                 "--insecure",
                 "--name",
                 fmt::format("c{}", i),
                 "--data",
                 fmt::format("d{}.csv", i),
                 "--policy",
                 "policy.toml",
                 "--state",
                 fmt::format("s{}", i),
                 "--ledger",
                 fmt::format("l{}", i)};
  };
  const auto serve_with = [&](const std::string& state, const std::string& out, const std::string& listen) {
    std::filesystem::remove(path("server.err"));
    Child server =
        start({"serve", "a.toml", "--listen", listen, "--insecure", "--out", out, "--state", state}, "server");
    EXPECT_TRUE(await(kPatience, [&] { return port_of(server) > 0 || !server.running(); })) << server.err();
    return server;
  };
  Child server = serve_with("hub", "together", "127.0.0.1:0");
  const int port = port_of(server);
  std::vector<Child> clients;
  for (int i = 0; i < 2; ++i) clients.push_back(start(words(i, port), fmt::format("c{}", i)));
  await_rounds(server);
  server.send(SIGINT);
  EXPECT_EQ(server.wait(kPatience), 130) << server.err();
  const std::string address = fmt::format("127.0.0.1:{}", port);
  Child wrong = serve_with("elsewhere", "apart", address);
  for (const Child& client : clients)
    EXPECT_TRUE(await(kPatience, [&] {
      return client.err().find("waiting for the server of the run") != std::string::npos;
    })) << client.err();
  wrong.send(SIGINT);
  EXPECT_EQ(wrong.wait(kPatience), 130) << wrong.err();
  const std::int64_t before = spool_bytes();
  Child right = serve_with("hub", "together", address);
  EXPECT_TRUE(await(kPatience, [&] { return spool_bytes() > before + 1000 || !right.running(); })) << right.err();
  for (Child& client : clients) EXPECT_TRUE(client.running()) << client.err();
}

// A client that the operator removes is told, and the run goes on without it where the theory has clients missing.
TEST_F(Restart, AClientThatIsRemoved) {
  Words k = keys("qlsd++", 1500);
  k.insert(k.end(), {"--set", "participation.policy=bernoulli", "--set", "participation.probability=0.9"});
  Child server = serve(k);
  const std::string address = fmt::format("127.0.0.1:{}", port_of(server));
  std::vector<Child> clients = join_all(port_of(server), 5, k);
  await_rounds(server);
  server.send(SIGINT);
  EXPECT_EQ(server.wait(kPatience), 130) << server.err();
  Words without = k;
  without.insert(without.end(), {"--without", "c2"});
  Child again = serve(without, address);
  EXPECT_EQ(again.wait(kPatience), 0) << again.err();
  expect_has(again.err(), "goes on for good without c2");
  for (std::size_t i = 0; i < clients.size(); ++i)
    EXPECT_EQ(clients[i].wait(kPatience), i == 2 ? 1 : 0) << clients[i].err();
  expect_has(clients[2].err(), "it was removed from this run");
}

TEST_F(Restart, AServerRenamesAFinishedRun) {
  const Words k = keys("qlsd", 40);
  for (const char* earlier : {"", "together held an earlier run, which is now together-1"}) {
    Child server = serve(k);
    std::vector<Child> clients = join_all(port_of(server), 5, k);
    expect_done(server, clients);
    expect_has(server.err(), earlier);
  }
  EXPECT_TRUE(slurp("together/draws-1.csv") == slurp("together-1/draws-1.csv"));
}

// A client that was away when the run ended hears of it from a server that is started again with --resume.
TEST_F(Restart, AClientThatMissedTheEnd) {
  const Words k = keys("qlsd++", 40);
  Child server = serve(k);
  std::vector<Child> clients = join_all(port_of(server), 5, k);
  expect_done(server, clients);
  Words resumed = k;
  resumed.emplace_back("--resume");
  Child again = serve(resumed);
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
