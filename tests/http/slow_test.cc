// Slow, silent, endless and greedy peers: each loses its own connection and costs nobody else theirs.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "browser.h"
#include "http/listener.h"

namespace pollen::http {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kForever = std::chrono::minutes(10);

// A server of a small page and a large one.
class Pages {
 public:
  Pages(std::size_t connections, milliseconds request_time, milliseconds write_time)
      : listener_({.connections = connections, .request_time = request_time, .write_time = write_time}) {
    listener_.Get(
        "/", [](const httplib::Request&, httplib::Response& response) { response.set_content("page", "text/plain"); });
    listener_.Get("/much", [](const httplib::Request&, httplib::Response& response) {
      response.set_content(std::string(std::size_t{32} << 20, 'x'), "text/plain");
    });
    listener_.start("--test", "127.0.0.1", 0);
  }
  int port() const { return listener_.port(); }

 private:
  Listener listener_;
};

TEST(Slow, AByteNowAndThenDoesNotKeepARequestGoing) {
  const Pages pages(1, milliseconds(100), kForever);
  const Browser slow(pages.port());
  slow.say("GET / HTTP/1.1\r\nX-Slow: ");
  int said = 0;
  while (said < 15'000 && slow.say("a")) {
    ++said;
    std::this_thread::sleep_for(milliseconds(1));  // this is how slow it is
  }
  EXPECT_LT(said, 15'000);  // cut by the time, not by the length
  EXPECT_EQ(status(answer(pages.port(), "/")), 200);
}

TEST(Slow, ASlowRequestHoldsNobodyElseUp) {
  const Pages pages(2, kForever, kForever);
  const Browser slow(pages.port());
  slow.say("GET / HTTP/1.1\r\nX-Slow: ");
  EXPECT_EQ(status(answer(pages.port(), "/")), 200);
  EXPECT_TRUE(slow.say("a"));
}

TEST(Slow, ASlowRequestThatComesInTimeIsAnswered) {
  const Pages pages(1, kForever, kForever);
  Browser slow(pages.port());
  for (const char c : std::string("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")) {
    slow.say({c});
    std::this_thread::sleep_for(milliseconds(1));
  }
  EXPECT_EQ(status(slow.read_all()), 200);
}

TEST(Slow, AHeaderWithoutEndIsCut) {
  const Pages pages(1, kForever, kForever);
  const Browser endless(pages.port());
  endless.say("GET / HTTP/1.1\r\nX-Endless: ");
  int said = 0;
  while (said < 100'000 && endless.say(std::string(1000, 'a'))) ++said;
  EXPECT_LT(said, 100'000);
  EXPECT_EQ(status(answer(pages.port(), "/")), 200);
}

// There is one connection, so the second is answered only once the first is cut.
TEST(Slow, AnAnswerThatNobodyReadsIsGivenUp) {
  const Pages pages(1, kForever, milliseconds(100));
  Browser dead(pages.port());
  dead.get("/much");
  EXPECT_EQ(status(answer(pages.port(), "/")), 200);
  EXPECT_LT(dead.read_all().size(), std::size_t{32} << 20);
}

TEST(Slow, ManySilentConnectionsAreWorkedOff) {
  const Pages pages(2, milliseconds(20), kForever);
  std::vector<std::unique_ptr<Browser>> silent;
  for (int i = 0; i < 50; ++i) silent.push_back(std::make_unique<Browser>(pages.port()));
  EXPECT_EQ(status(answer(pages.port(), "/")), 200);
  for (const auto& one : silent) EXPECT_EQ(one->read_all(), "");
}

TEST(Slow, SilentConnectionsKeepNobodyWaiting) {
  const Pages pages(2, kForever, kForever);
  std::vector<std::unique_ptr<Browser>> silent;
  for (int i = 0; i < 200; ++i) silent.push_back(std::make_unique<Browser>(pages.port()));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(status(answer(pages.port(), "/")), 200);
}

TEST(Slow, AStopCutsWhoeverIsReadingOrTalking) {
  auto pages = std::make_unique<Pages>(3, kForever, kForever);
  Browser reader(pages->port()), silent(pages->port());
  const Browser talker(pages->port());
  talker.say("GET / HT");
  reader.get("/much");
  reader.read_until("xxx");
  pages.reset();  // would hang here
  EXPECT_LT(reader.read_all().size(), std::size_t{32} << 20);
  EXPECT_EQ(silent.read_all(), "");
}

}  // namespace
}  // namespace pollen::http
