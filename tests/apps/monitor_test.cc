// Tests what /healthz says.
#include "pollen/monitor.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace pollen::app {
namespace {

TEST(Health, IsLostWhenAllClientsAreGoneForAMinute) {
  const auto now = View::Clock::now();
  View view;
  EXPECT_TRUE(is_healthy(view, now));
  view.gone_since = now - std::chrono::seconds(59);
  EXPECT_TRUE(is_healthy(view, now));
  EXPECT_FALSE(is_healthy(view, now + std::chrono::seconds(2)));
}

TEST(Health, IsJsonWhateverTheClientsAreCalled) {
  View view;
  view.status = "sampling";
  view.round = 7;
  view.here = 1;
  view.expected = 3;
  view.missing = {"a\"b", "\xff\n"};
  const auto json = nlohmann::json::parse(health_text(view, false));
  EXPECT_EQ(json["status"], "sampling");
  EXPECT_EQ(json["healthy"], false);
  EXPECT_EQ(json["round"], 7);
  EXPECT_EQ(json["here"], 1);
  EXPECT_EQ(json["missing"].size(), 2u);
  EXPECT_EQ(json["missing"][0], "a\"b");
}

}  // namespace
}  // namespace pollen::app
