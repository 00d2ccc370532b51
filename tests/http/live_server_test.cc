// Tests the dashboard's server: its page, its stream, who may read them, and how it shuts down.
#include "http/live_server.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "browser.h"
#include "pollen/errors.h"

namespace pollen::http {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kPage =
    "<html><meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
    "'sha256-x'\">hello</html>";
constexpr auto kPatience = std::chrono::seconds(30);

LiveOptions anywhere() {
  LiveOptions options;
  options.page = kPage;
  return options;
}

TEST(LiveServer, ServesThePageWithThePolicyItAsksFor) {
  const LiveServer live(anywhere());
  EXPECT_EQ(live.url(), fmt::format("http://127.0.0.1:{}/", live.port()));
  const std::string page = answer(live.port(), "/");
  EXPECT_EQ(status(page), 200);
  EXPECT_THAT(page, HasSubstr("hello"));
  EXPECT_THAT(
      page,
      HasSubstr("Content-Security-Policy: default-src 'none'; script-src 'sha256-x'; frame-ancestors 'none'\r\n"));
  EXPECT_THAT(page, HasSubstr("X-Content-Type-Options: nosniff\r\n"));
  EXPECT_THAT(page, HasSubstr("Cache-Control: no-store\r\n"));
  EXPECT_THAT(page, HasSubstr("Referrer-Policy: no-referrer\r\n"));
  EXPECT_EQ(status(answer(live.port(), "/favicon.ico")), 204);
  EXPECT_EQ(status(answer(live.port(), "/other")), 404);
}

TEST(LiveServer, IsNotReachedUnderAForeignName) {
  LiveServer live(anywhere());
  live.publish("{}");
  for (const char* path : {"/", "/events", "/favicon.ico", "/other"}) {
    EXPECT_EQ(status(answer(live.port(), path, "evil.example")), 403) << path;
    EXPECT_EQ(status(answer(live.port(), path, "")), 403) << path;
  }
  EXPECT_EQ(status(answer(live.port(), "/events", "127.0.0.1", "Sec-Fetch-Site: cross-site\r\n")), 403);
  // A link from another site may open the page.
  EXPECT_EQ(status(answer(live.port(), "/", "127.0.0.1", "Sec-Fetch-Site: cross-site\r\n")), 200);
}

TEST(LiveServer, WantsATokenWhereOthersReachIt) {
  LiveOptions options = anywhere();
  options.address = "0.0.0.0";
  LiveServer live(options), other(options);
  live.publish("{}");
  const std::string url = live.url();
  const std::string token = url.substr(url.find("?token=") + 7);
  ASSERT_EQ(token.size(), 32u) << url;
  EXPECT_NE(other.url().substr(other.url().find('?')), url.substr(url.find('?')));
  std::string wrong = token;
  wrong.back() = wrong.back() == '0' ? '1' : '0';
  for (const std::string& query : {std::string(), std::string("?token="), "?token=" + wrong, "?token=" + token + "0"}) {
    EXPECT_EQ(status(answer(live.port(), "/" + query, "hub.example")), 403) << query;
    const std::string events = answer(live.port(), "/events" + query, "hub.example");
    EXPECT_EQ(status(events), 403) << query;
    EXPECT_THAT(events, Not(HasSubstr("data:")));
    EXPECT_THAT(events, Not(HasSubstr(token)));
  }
  EXPECT_EQ(status(answer(live.port(), "/?token=" + token, "hub.example")), 200);
  Browser reader(live.port());
  reader.get("/events?token=" + token, "hub.example");
  EXPECT_THAT(reader.read_until("data: {}"), HasSubstr("event: state"));
}

TEST(LiveServer, SaysWhichOptionCannotHaveItsPort) {
  const LiveServer live(anywhere());
  LiveOptions options = anywhere();
  options.port = live.port();
  try {
    const LiveServer second(options);
    FAIL() << "two servers at one port";
  } catch (const IoError& error) {
    EXPECT_THAT(error.what(), HasSubstr(fmt::format("--dashboard: cannot listen at 127.0.0.1:{}: ", live.port())));
  }
}

TEST(LiveServer, ReadersGetTheLatestAndThenWhatComes) {
  LiveServer live(anywhere());
  live.publish("\"first\"");
  live.publish("\"second\"");
  Browser reader(live.port());
  reader.get("/events");
  const std::string begin = reader.read_until("second");
  EXPECT_THAT(begin, HasSubstr("Content-Type: text/event-stream"));
  EXPECT_THAT(begin, Not(HasSubstr("first")));
  live.publish("\"third\"");
  EXPECT_THAT(reader.read_until("third"), HasSubstr("event: state\nid: 3\ndata: \"third\"\n\n"));
}

// A browser may ask for compression, but a compressor would hold events back.
TEST(LiveServer, StreamsWithoutCompression) {
  LiveServer live(anywhere());
  Browser reader(live.port());
  reader.get("/events", "localhost", "Accept-Encoding: gzip, br\r\n");
  live.publish("\"here\"");
  EXPECT_THAT(reader.read_until("here"), HasSubstr("data: \"here\""));
}

TEST(LiveServer, TheLastEventEndsTheStream) {
  LiveServer live(anywhere());
  Browser reader(live.port()), other(live.port());
  reader.get("/events");
  other.get("/events");
  live.publish("\"going on\"");
  reader.read_until("going on");
  other.read_until("going on");
  EXPECT_EQ(live.readers(), 2u);
  live.finish("\"over\"", kPatience);
  EXPECT_EQ(live.readers(), 0u);
  EXPECT_THAT(reader.read_all(), HasSubstr("event: end\nid: 2\ndata: \"over\"\n\n"));
  EXPECT_TRUE(other.read_all().find("event: end") != std::string::npos && other.hung_up());
  live.publish("\"too late\"");
  EXPECT_THAT(answer(live.port(), "/events"), testing::AllOf(HasSubstr("over"), Not(HasSubstr("too late"))));
}

TEST(LiveServer, ASlowReaderHoldsNobodyUpAndSkipsWhatItMissed) {
  LiveOptions options = anywhere();
  options.patience = std::chrono::minutes(10);
  LiveServer live(options);
  Browser slow(live.port()), quick(live.port());
  slow.get("/events");
  quick.get("/events");
  live.publish("\"begin\"");
  slow.read_until("begin");  // then it reads nothing for a while
  quick.read_until("begin");
  const std::string much(8 << 20, 'x');  // more than any socket buffer holds
  constexpr int kEvents = 7;
  for (int i = 2; i <= kEvents; ++i) {
    live.publish(fmt::format("\"{} {}\"", i, much));
    quick.read_until(fmt::format("id: {}\n", i));
  }
  live.publish("\"last of all\"");
  quick.read_until("last of all");
  const std::string& seen = slow.read_until("last of all");
  ASSERT_THAT(seen.substr(seen.size() - std::min<std::size_t>(seen.size(), 1000)), HasSubstr("last of all"));
  std::set<int> got;
  for (int i = 1; i <= kEvents; ++i)
    if (seen.find(fmt::format("id: {}\n", i)) != std::string::npos) got.insert(i);
  EXPECT_LE(got.size(), 3u);  // the first one, one that was on its way, and perhaps the next
}

TEST(LiveServer, AReaderThatTakesNothingIsDropped) {
  LiveOptions options = anywhere();
  options.patience = std::chrono::milliseconds(20);
  LiveServer live(options);
  Browser dead(live.port());
  dead.get("/events");
  live.publish("\"begin\"");
  dead.read_until("begin");
  EXPECT_EQ(live.readers(), 1u);
  const std::string much(16 << 20, 'x');
  live.publish('"' + much + '"');
  while (live.readers() > 0) std::this_thread::yield();  // would hang here if it failed
  EXPECT_LT(dead.read_all().size(), much.size());
}

TEST(LiveServer, GoesAwayWhateverIsStillOpen) {
  std::string seen;
  {
    LiveServer live(anywhere());
    Browser silent(live.port()), half(live.port());
    half.say("GET / HTTP/1.1\r\nHost: 127");
    Browser reader(live.port());
    reader.get("/events");
    live.publish("\"here\"");
    seen = reader.read_until("here");
  }  // would hang here if it failed
  EXPECT_THAT(seen, HasSubstr("here"));
}

}  // namespace
}  // namespace pollen::http
