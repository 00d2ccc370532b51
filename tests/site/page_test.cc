// Tests that the page for data stewards has every key with its value, and that its example is a policy.
#include <gtest/gtest.h>

#include "base/file.h"
#include "site/policy.h"
#include "support/source_dir.h"

namespace pollen {
namespace {

TEST(PolicyPage, HasEveryKeyAsTheProgramHasIt) {
  const std::string page = read_text(source_dir() + "/docs/policy.md");
  for (const PolicyKey& key : policy_keys()) {
    const std::string value = key.value_without_file.empty() ? "none" : "`" + key.value_without_file + "`";
    const std::string row = "| `" + key.name + "` | " + key.accepted + " | " + value + " | " + key.help + " |";
    EXPECT_NE(page.find(row), std::string::npos) << row << "\nis not in docs/policy.md";
  }
}

TEST(PolicyPage, ItsExampleIsAPolicy) {
  const Policy policy = read_policy_file(source_dir() + "/examples/federation/policy.toml");
  EXPECT_TRUE(policy.trust_server);
  EXPECT_EQ(policy.min_rows, 50);
}

}  // namespace
}  // namespace pollen
