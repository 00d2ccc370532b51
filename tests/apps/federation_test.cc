// Tests pollen serve and pollen join as processes: logs, metrics, health, the summary and shared draws.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "child.h"
#include "program.h"
#include "support/source_dir.h"

namespace pollen {
namespace {

using Json = nlohmann::json;

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

// Returns a port that nobody uses at the moment.
int free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  ::bind(socket, reinterpret_cast<sockaddr*>(&address), size);
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  ::close(socket);
  return ntohs(address.sin_port);
}

// Returns the whole answer, head and body, or an empty text if nobody listens.
std::string get(int port, const std::string& path, const std::string& host = "127.0.0.1") {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in address = loopback(port);
  std::string answer;
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    const std::string request = "GET " + path + " HTTP/1.0\r\nHost: " + host + "\r\n\r\n";
    if (::write(socket, request.data(), request.size()) > 0) {
      char part[4096];
      for (ssize_t n; (n = ::read(socket, part, sizeof part)) > 0;) answer.append(part, static_cast<std::size_t>(n));
    }
  }
  ::close(socket);
  return answer;
}

Json body(const std::string& answer) {
  const std::size_t head = answer.find("\r\n\r\n");
  return head == std::string::npos ? Json() : Json::parse(answer.substr(head + 4), nullptr, false);
}

std::vector<Json> lines(const std::string& text) {
  std::vector<Json> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) all.push_back(Json::parse(line, nullptr, false));
  return all;
}

class Federation : public ProgramTest {
 protected:
  Federation() {
    put("two.toml", std::string(kTinyGaussian) + "\n[federation]\nexpect = [\"a\", \"b\"]\n");
    put("policy.toml", "trust_server = true\nmin_clients = 2\nmin_rows = 1\nmin_cell = 0\n");
  }
  std::string at(int port) const { return "127.0.0.1:" + std::to_string(port); }
  Outcome join(const std::string& name, int client, Words more = {}) const {
    Words words = {"join",    "--server",      at(port_),    "--insecure", "--name",
                   name,      "--config",      "two.toml",   "--client",   std::to_string(client),
                   "--state", "state-" + name, "--give-up",  "60",         "--log-format",
                   "json",    "--policy",      "policy.toml"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  Outcome serve(Words more = {}) const {
    Words words = {"serve", "two.toml", "--listen", at(port_), "--insecure", "--out", "run", "--log-format", "json"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }

  int port_ = free_port(), metrics_ = free_port();
};

#ifdef POLLEN_HTTP
constexpr bool kHttp = true;
#else
constexpr bool kHttp = false;
#endif

TEST_F(Federation, ShowsItselfAndSharesItsDraws) {
  if (!kHttp) GTEST_SKIP() << "this build has no --metrics";
  Outcome server, a, b;
  std::thread serving([&] { server = serve({"--share-draws", "--metrics", at(metrics_)}); });
  std::thread first([&] { a = join("a", 0, {"--out", "mine"}); });
  Json health;
  const bool waits = await(30, [&] {
    health = body(get(metrics_, "/healthz"));
    return health.is_object() && health["here"] == 1;
  });
  const std::string metrics = get(metrics_, "/metrics");
  const std::string nothing = get(metrics_, "/other");
  const std::string rebound = get(metrics_, "/metrics", "evil.example");
  std::thread second([&] { b = join("b", 1); });
  for (std::thread* thread : {&serving, &first, &second}) thread->join();

  EXPECT_TRUE(waits) << server.err;
  EXPECT_EQ(health["status"], "waiting");
  EXPECT_EQ(health["missing"], Json({"b"}));
  EXPECT_NE(metrics.find("\npollen_clients_here 1\n"), std::string::npos) << metrics;
  EXPECT_NE(metrics.find("pollen_reply_seconds{quantile=\"0.99\"}"), std::string::npos) << metrics;
  EXPECT_NE(metrics.find("\npollen_waiting_seconds_total 0\n"), std::string::npos) << metrics;
  EXPECT_EQ(nothing.substr(0, 12), "HTTP/1.1 404") << nothing;
  EXPECT_EQ(rebound.substr(0, 12), "HTTP/1.1 403") << rebound;
  EXPECT_EQ(server.code, 0) << server.err;
  EXPECT_EQ(a.code, 0) << a.err;
  EXPECT_EQ(b.code, 0) << b.err;

  const Json federation = Json::parse(slurp("run/summary.json"))["federation"];
  EXPECT_EQ(federation["clients"][1]["name"], "b");
  EXPECT_GT(federation["bytes_in"], 0);
  EXPECT_GT(federation["bytes_out"], 0);
  EXPECT_NE(server.out.find("federation: a ("), std::string::npos) << server.out;

  const auto numbers = [](const std::string& csv) { return csv.substr(csv.find("\nlp__")); };
  EXPECT_EQ(numbers(slurp("mine/draws-1.csv")), numbers(slurp("run/draws-1.csv")));
  EXPECT_EQ(run({"summary", "mine"}).code, 0);
}

TEST_F(Federation, EveryLineOfAJsonLogIsAnObject) {
  Outcome server, a, b;
  std::thread serving([&] { server = serve(); });
  std::thread first([&] { a = join("a", 0, {"--out", "mine"}); });
  std::thread second([&] { b = join("b", 1); });
  for (std::thread* thread : {&serving, &first, &second}) thread->join();
  EXPECT_EQ(server.code, 0) << server.err;
  for (const Outcome* side : {&server, &a, &b})
    for (const Json& line : lines(side->err)) {
      ASSERT_TRUE(line.is_object()) << side->err;
      EXPECT_EQ(line["time"].get<std::string>().size(), std::string("2026-11-15T15:42:51.302Z").size());
      EXPECT_TRUE(line["level"] == "info" || line["level"] == "warning") << line;
      EXPECT_TRUE(line.contains("event") && line.contains("message")) << line;
    }
  const auto here = [&](const Json& line) { return line["event"] == "here" && line["client"] == "a"; };
  const auto all = lines(server.err);
  EXPECT_EQ(std::count_if(all.begin(), all.end(), here), 1) << server.err;
  EXPECT_NE(a.err.find("has shared no draws"), std::string::npos) << a.err;
  EXPECT_FALSE(exists("mine"));
}

TEST_F(Federation, AClientThatWasAwayAtTheEndIsTold) {
  Outcome server, a, b;
  std::thread serving([&] { server = serve({"--state", "state"}); });
  std::thread first([&] { a = join("a", 0); });
  b = join("b", 1);
  first.join();
  serving.join();
  ASSERT_EQ(server.code, 0) << server.err;
  std::thread again([&] { server = serve({"--state", "state", "--resume"}); });
  a = join("a", 0);
  b = join("b", 1);
  again.join();
  EXPECT_EQ(server.code, 0) << server.err;
  for (const Outcome* side : {&a, &b}) {
    EXPECT_EQ(side->code, 0) << side->err;
    EXPECT_NE(side->err.find("the run is complete (0 rounds answered)"), std::string::npos) << side->err;
  }
}

TEST_F(Federation, AnAddressForMetricsThatIsTakenIsSaid) {
  if (!kHttp) GTEST_SKIP() << "this build has no --metrics";
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = loopback(metrics_);
  ASSERT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(socket, 1), 0);
  const Outcome outcome = serve({"--metrics", at(metrics_)});
  ::close(socket);
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_NE(outcome.err.find("--metrics: cannot listen"), std::string::npos) << outcome.err;
  EXPECT_EQ(serve({"--metrics", "here"}).code, 2);
}

// An error may quote a cell, so the server hears only that there was an error. If there are too few rows, it does not
// hear how many there are.
TEST_F(Federation, ARefusalSaysNothingOfTheRows) {
  put("own.toml",
      "[model]\nkind = \"logistic\"\n[data]\nformat = \"csv\"\ntarget = \"y\"\ntest_fraction = 0.0\nmin_cell = "
      "0\n[sampler]\nstep = "
      "0.01\n"
      "[run]\niterations = 10\n[federation]\nexpect = [\"a\", \"b\"]\n");
  put("bad.csv", "x,y\n1,yes\nsecret-cell,no\n3,yes\n");
  put("few.csv", "x,y\n1,yes\n2,no\n3,yes\n4,no\n");
  put("many.csv", "x,y\n1,yes\n2,no\n3,yes\n4,no\n5,no\n6,yes\n");
  Outcome server;
  const auto own = [&](const char* name, const char* data, const Words& more = {}) {
    Words words = {"join",     "--server",    at(port_),   "--insecure",
                   "--name",   name,          "--data",    data,
                   "--state",  name,          "--give-up", "60",
                   "--policy", "policy.toml", "--ledger",  std::string("ledger-") + name};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  };
  std::thread serving([&] {
    server = run({"serve", "own.toml", "--listen", at(port_), "--insecure", "--out", "run"});
  });
  const Outcome bad = own("a", "bad.csv");
  Outcome stays;
  std::thread other([&] { stays = own("b", "many.csv"); });
  const Outcome few = own("a", "few.csv", {"--min-rows", "5"});
  const Outcome enough = own("a", "many.csv", {"--min-rows", "5"});  // its seat is free again
  other.join();
  serving.join();
  EXPECT_EQ(enough.code, 0) << enough.err;
  EXPECT_EQ(stays.code, 0) << stays.err;
  EXPECT_EQ(server.code, 0) << server.err;
  EXPECT_EQ(bad.code, 2) << bad.err;
  EXPECT_NE(bad.err.find("secret-cell"), std::string::npos) << bad.err;
  EXPECT_EQ(few.code, 2) << few.err;
  EXPECT_NE(few.err.find("policy.toml: min_rows: found 4 training rows, accepted: at least 5"), std::string::npos)
      << few.err;
  EXPECT_EQ(server.err.find("secret-cell"), std::string::npos) << server.err;
  EXPECT_NE(server.err.find("its own log says why"), std::string::npos) << server.err;
  EXPECT_NE(server.err.find("does not allow this study (min_rows); its own log says why\n"), std::string::npos)
      << server.err;
}

// Runs the walkthrough of docs/federation.md: three hospitals and a hub, each in a network namespace of its own, with a
// cut line and crashes.
TEST_F(Federation, TheWalkthroughWorks) {
  if (!kHttp) GTEST_SKIP() << "this build has no --metrics";
  const Outcome outcome = run_program("env", {"POLLEN=" + pollen_program(), "CUT=3",
                                              pollen::source_dir() + "/examples/federation/walkthrough", path("walk")});
  if (outcome.code == 77) GTEST_SKIP() << outcome.err;
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_NE(outcome.out.find("the same draws as at the hub"), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace pollen
