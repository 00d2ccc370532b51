// Connections that say nothing do not end a server, whatever the limit on its open files is.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>

#include "federation.h"
#include "support/source_dir.h"

namespace pollen {
namespace {

// Connections that are kept open and say this much.
class Idle {
 public:
  Idle(int port, int count, const std::string& words = {}) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (int i = 0; i < count; ++i) {
      sockets_.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      EXPECT_EQ(::connect(sockets_.back(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
      if (!words.empty()) ::send(sockets_.back(), words.data(), words.size(), MSG_NOSIGNAL);
    }
  }
  ~Idle() {
    for (const int socket : sockets_) ::close(socket);
  }
  Idle(const Idle&) = delete;
  Idle& operator=(const Idle&) = delete;

 private:
  std::vector<int> sockets_;
};

std::int64_t open_files(const Child& process) {
  const std::filesystem::directory_iterator files(fmt::format("/proc/{}/fd", process.pid()));
  return std::distance(files, std::filesystem::directory_iterator());
}

class Crowd : public FederationTest {
 protected:
  // Starts a server that may have so many open files, 256 unless said.
  Child serve_with_few_files(int files = 256) const {
    std::string words = fmt::format("ulimit -n {}; exec {}", files, pollen_program());
    for (const std::string& word : serve_words(more_)) words += fmt::format(" '{}'", word);
    Child server("/bin/sh", {"-c", words}, folder_, path("server"));
    EXPECT_TRUE(await(kPatience, [&] { return port_of(server) > 0 || !server.running(); }));
    EXPECT_GT(port_of(server), 0) << server.err();
    return server;
  }
  Words more_ = {"--set", "sampler.name=qlsd++", "--set", "data.clients=3"};
};

TEST_F(Crowd, OfIdleConnectionsLeavesFilesAndClientsAlone) {
  simulate(more_);
  Child server = serve_with_few_files();
  const Idle before(port_of(server), 400);
  std::vector<Child> clients = join_all(port_of(server), 2, more_);
  ASSERT_TRUE(await(kPatience, [&] { return server.err().find("missing: 1") != std::string::npos; })) << server.err();
  const Idle during(port_of(server), 400);
  clients.push_back(join(2, port_of(server), more_));
  expect_done(server, clients);
  expect_same_draws();
}

// Whoever has begun a handshake may take its time to finish it, but holds no file that the run needs.
TEST_F(Crowd, OfUnfinishedHandshakesLeavesFilesAlone) {
  more_.insert(more_.end(), {"--set", "run.iterations=2000"});
  simulate(more_);
  Child server = serve_with_few_files();
  std::vector<Child> clients = join_all(port_of(server), 3, more_);
  ASSERT_TRUE(await(kPatience, [&] { return spool_bytes() > 0; })) << server.err();
  const Idle crowd(port_of(server), 400, "PRI");
  EXPECT_TRUE(server.running());
  expect_done(server, clients);
  expect_same_draws();
}

// Where there are descriptors enough, unfinished handshakes could fill the memory instead.
TEST_F(Crowd, OfUnfinishedHandshakesIsBounded) {
  constexpr int kFiles = 8192, kCrowd = 5000, kMost = 2 * 1024 + 1024;  // in handshakes, and before them
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_max < kFiles) GTEST_SKIP() << "this machine allows fewer than " << kFiles << " open files";
  const rlimit raised{kFiles, limit.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &raised);
  simulate(more_);
  Child server = serve_with_few_files(kFiles);
  std::vector<Child> clients = join_all(port_of(server), 2, more_);
  ASSERT_TRUE(await(kPatience, [&] { return server.err().find("missing: 1") != std::string::npos; })) << server.err();
  const std::int64_t before = open_files(server);
  std::int64_t most = 0;
  {
    const Idle crowd(port_of(server), kCrowd, "PRI");
    await(1, [&] { return (most = std::max(most, open_files(server))) > before + kMost; });
  }
  EXPECT_GT(most, before + 1000) << "the crowd has not reached the server";
  EXPECT_LE(most, before + kMost + 10);
  clients.push_back(join(2, port_of(server), more_));
  expect_done(server, clients);
  expect_same_draws();
}

}  // namespace
}  // namespace pollen
