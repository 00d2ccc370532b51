// Tests the limits of the server: the number of readers and the number of bytes it accepts.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "browser.h"
#include "http/live_server.h"

namespace pollen::http {
namespace {

LiveOptions for_few() {
  LiveOptions options;
  options.page = "page";
  options.most_readers = 2;
  return options;
}

TEST(Limits, MoreReadersThanMayBeAreTurnedAway) {
  LiveServer live(for_few());
  live.publish("\"here\"");
  auto first = std::make_unique<Browser>(live.port());
  Browser second(live.port());
  first->get("/events");
  second.get("/events");
  first->read_until("here");
  second.read_until("here");
  const std::string third = answer(live.port(), "/events");
  EXPECT_EQ(status(third), 503);
  EXPECT_THAT(third, testing::HasSubstr("Retry-After: "));
  EXPECT_EQ(status(answer(live.port(), "/")), 200);  // the page is still served
  first.reset();
  // There is room once the server has noticed, at the next event at the latest.
  Browser again(live.port());
  for (int i = 0; live.readers() > 1; ++i) live.publish(fmt::format("{}", i));
  again.get("/events");
  EXPECT_THAT(again.read_until("event: state"), testing::HasSubstr("event: state"));
}

TEST(Limits, ManyWhoSayNothingDoNotKeepOthersOut) {
  LiveServer live(for_few());
  std::vector<std::unique_ptr<Browser>> silent;
  for (int i = 0; i < 5; ++i) silent.push_back(std::make_unique<Browser>(live.port()));
  EXPECT_EQ(status(answer(live.port(), "/")), 200);
}

TEST(Limits, EndlessRequestsEnd) {
  LiveServer live(for_few());
  const std::string line = "X-More: " + std::string(1000, 'a') + "\r\n";
  Browser endless(live.port());
  endless.say("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n");
  int said = 0;
  while (said < 100'000 && endless.say(line)) ++said;
  EXPECT_LT(said, 100'000);  // below a hundred megabytes
  EXPECT_NE(status(endless.read_all()), 200);
  EXPECT_EQ(status(answer(live.port(), "/" + std::string(20'000, 'a'))), 0);
  EXPECT_EQ(status(answer(live.port(), "/")), 200);
}

TEST(Limits, BodiesAndOtherMethodsAreNotTaken) {
  LiveServer live(for_few());
  Browser poster(live.port());
  poster.say("POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000000\r\n\r\nhello");
  poster.say_no_more();
  const int code = status(poster.read_all());
  EXPECT_TRUE(code == 0 || (code >= 400 && code < 500)) << code;
  Browser other(live.port());
  other.say(std::string("\0\1\2\r\n\r\n", 7));
  EXPECT_NE(status(other.read_all()), 200);
  EXPECT_EQ(status(answer(live.port(), "/")), 200);
}

}  // namespace
}  // namespace pollen::http
