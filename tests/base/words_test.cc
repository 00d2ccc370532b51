#include "base/words.h"

#include <gtest/gtest.h>

#include "pollen/errors.h"

namespace pollen {
namespace {

TEST(Words, AreWhole) {
  EXPECT_TRUE(has_word("step local_steps", "step"));
  EXPECT_TRUE(has_word("step local_steps", "local_steps"));
  EXPECT_FALSE(has_word("step local_steps", "steps"));
  EXPECT_FALSE(has_word("step local_steps", "local"));
  EXPECT_FALSE(has_word("", "step"));
}

std::string refusal(const std::string& found) {
  try {
    refuse_name("sampler.name", found, {"fedrep", "ditto"});
  } catch (const ConfigError& error) {
    return error.what();
  }
}

TEST(Words, ANameIsRefusedWithTheNearest) {
  EXPECT_EQ(refusal("fedrip"), "sampler.name: found \"fedrip\", accepted: fedrep, ditto; did you mean fedrep?");
  EXPECT_EQ(refusal("nuts"), "sampler.name: found \"nuts\", accepted: fedrep, ditto");
}

}  // namespace
}  // namespace pollen
