// Tests pollen run --dashboard as a process: what it refuses, and that it does not change the run.
// tests/live/browser_test.mjs looks at the page itself.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "program.h"

namespace pollen {
namespace {

#ifdef POLLEN_DASHBOARD
constexpr bool kDashboard = true;
#else
constexpr bool kDashboard = false;
#endif

class Dashboard : public ProgramTest {
 protected:
  Dashboard() { put("a.toml", kTinyLogistic); }
  void SetUp() override {
    if (!kDashboard) GTEST_SKIP() << "this build has no HTTP server or no web pages";
  }
  Outcome sample(const std::string& out, const Words& more = {}) const {
    Words words = {"run", "a.toml", "--quiet", "--out", out};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
};

// A socket that listens at a free port.
class Listening {
 public:
  Listening() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ::bind(socket_, reinterpret_cast<sockaddr*>(&address), size);
    ::listen(socket_, 1);
    ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = std::to_string(ntohs(address.sin_port));
  }
  ~Listening() { ::close(socket_); }
  const std::string& port() const { return port_; }

 private:
  int socket_;
  std::string port_;
};

TEST_F(Dashboard, ATakenPortIsToldBeforeAnythingIsDone) {
  const Listening other;
  const Outcome outcome = sample("out", {"--dashboard=" + other.port()});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("--dashboard: cannot listen at 127.0.0.1:" + other.port()), std::string::npos)
      << outcome.err;
  EXPECT_FALSE(exists("out"));
}

TEST_F(Dashboard, WrongWordsAreRefused) {
  for (const char* wrong : {"--dashboard=70000", "--dashboard=x", "--dashboard=-1"}) {
    const Outcome outcome = sample("out", {wrong});
    EXPECT_EQ(outcome.code, 2) << wrong;
    EXPECT_NE(outcome.err.find("--dashboard: found \""), std::string::npos) << outcome.err;
  }
  const Outcome alone = sample("out", {"--dashboard-address", "0.0.0.0"});
  EXPECT_EQ(alone.code, 2);
  EXPECT_NE(alone.err.find("--dashboard-address: found without --dashboard"), std::string::npos) << alone.err;
  EXPECT_FALSE(exists("out"));
}

// --dashboard must not take the next argument as its port.
TEST_F(Dashboard, TakesNoWordThatIsNotItsOwn) {
  const Outcome outcome = run({"run", "--dashboard=0", "a.toml", "--quiet", "--out", "out"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("dashboard at http://127.0.0.1:"), std::string::npos) << outcome.err;
  EXPECT_TRUE(exists("out/summary.json"));
}

TEST_F(Dashboard, TheDrawsAreThoseWithoutIt) {
  ASSERT_EQ(sample("alone").code, 0);
  const Outcome shown = sample("shown", {"--dashboard=0"});
  ASSERT_EQ(shown.code, 0) << shown.err;
  EXPECT_FALSE(slurp("alone/draws-1.csv").empty());
  EXPECT_EQ(slurp("alone/draws-1.csv"), slurp("shown/draws-1.csv"));
}

TEST_F(Dashboard, PrintsAnAddressWithATokenWhereOthersReachIt) {
  const Outcome outcome = sample("out", {"--dashboard=0", "--dashboard-address", "0.0.0.0"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::size_t at = outcome.err.find("?token=");
  ASSERT_NE(at, std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find_first_not_of("0123456789abcdef", at + 7), at + 7 + 32);
  EXPECT_EQ(outcome.err.find("token", at + 8), std::string::npos) << "printed once";
}

}  // namespace
}  // namespace pollen
