// Tests how a policy is read: defaults, every key, and what is said about mistakes.
#include "site/policy.h"

#include <gtest/gtest.h>

namespace pollen {
namespace {

// Returns what is said about a text, one line per problem.
std::vector<std::string> said(const std::string& text) {
  try {
    read_policy(text, "p.toml");
  } catch (const ConfigError& error) {
    std::vector<std::string> lines;
    for (const Problem& problem : error.problems()) lines.push_back(problem.where + ": " + problem.what);
    return lines;
  }
  return {};
}

TEST(PolicyFile, AnEmptyOneIsTheDefaults) {
  const Policy policy = read_policy("", "p.toml");
  EXPECT_EQ(policy.where, "p.toml");
  EXPECT_EQ(policy.min_rows, 20);
  EXPECT_EQ(policy.min_cell, 5);
  EXPECT_EQ(policy.max_levels, 40);
  EXPECT_EQ(policy.min_batch, 10);
  EXPECT_EQ(policy.min_test_rows, 10);
  EXPECT_EQ(policy.min_clients, 3);
  EXPECT_EQ(policy.runs_per_data, 1);
  EXPECT_EQ(policy.min_row_difference, 10);
  EXPECT_FALSE(policy.trust_server);
  EXPECT_EQ(policy.secure_sums, "allowed");
  EXPECT_FALSE(policy.max_rounds || policy.max_epsilon || policy.max_delta || policy.columns || policy.samplers ||
               policy.peers);
  EXPECT_TRUE(policy.plugins.empty());
  EXPECT_EQ(policy.deny_columns.size(), 10U);
}

TEST(PolicyFile, EveryKeyIsRead) {
  const std::string digest(64, 'a');
  const Policy policy = read_policy(
      "min_rows = 1\nmin_cell = 0\nmax_levels = 2\nmin_batch = 3\nmin_test_rows = 0\nmin_clients = 4\n"
      "runs_per_data = 5\nmin_row_difference = 6\ntrust_server = true\nsecure_sums = \"required\"\nmax_rounds = 7\n"
      "max_epsilon = 8\nmax_delta = 1e-9\ncolumns = [\"a\", \"b\"]\nsamplers = [\"fa-ld\"]\npeers = [\"" +
          digest + "\"]\nplugins = []\ndeny_columns = []\n",
      "p.toml");
  EXPECT_EQ(policy.min_rows, 1);
  EXPECT_EQ(policy.min_cell, 0);
  EXPECT_EQ(policy.max_levels, 2);
  EXPECT_EQ(policy.min_batch, 3);
  EXPECT_EQ(policy.min_test_rows, 0);
  EXPECT_EQ(policy.min_clients, 4);
  EXPECT_EQ(policy.runs_per_data, 5);
  EXPECT_EQ(policy.min_row_difference, 6);
  EXPECT_TRUE(policy.trust_server);
  EXPECT_EQ(policy.secure_sums, "required");
  EXPECT_EQ(policy.max_rounds, 7);
  EXPECT_EQ(policy.max_epsilon, 8);
  EXPECT_EQ(policy.max_delta, 1e-9);
  EXPECT_EQ(policy.columns, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(policy.samplers, std::vector<std::string>{"fa-ld"});
  EXPECT_EQ(policy.peers, std::vector<std::string>{digest});
  EXPECT_TRUE(policy.deny_columns.empty());
  EXPECT_GE(policy_keys().size(), 18U) << "a key is not read above";
}

TEST(PolicyFile, MistakesAreNamedTogether) {
  const auto lines = said(
      "min_rowz = 3\nmin_cell = -1\nmax_epsilon = 0\nmax_delta = 1\ntrust_server = \"yes\"\nsecure_sums = \"no\"\n"
      "samplers = [\"qlsd+\"]\npeers = [\"ab\"]\ndeny_columns = [\"--\"]\n[columns]\n");
  ASSERT_EQ(lines.size(), 10U);
  const auto has = [&](const std::string& line) { EXPECT_EQ(std::ranges::count(lines, line), 1) << line; };
  has("p.toml:2: min_cell: found -1, accepted: an integer from 0");
  has("p.toml:3: max_epsilon: found 0, accepted: a number above 0");
  has("p.toml:4: max_delta: found 1, accepted: a number above 0 and below 1");
  has("p.toml:5: trust_server: found \"yes\", accepted: true or false");
  has("p.toml:10: columns: found a table, accepted: a list of names");
  EXPECT_TRUE(std::ranges::any_of(lines, [](const std::string& line) {
    return line.starts_with("p.toml:1: min_rowz: found an unknown key") && line.ends_with("did you mean min_rows?");
  }));
}

TEST(PolicyFile, WhatIsNotTomlOrNoFileIsSaid) {
  EXPECT_EQ(said("min_rows = ").size(), 1U);
  EXPECT_THROW(read_policy_file("/nonexistent/p.toml"), ConfigError);
}

}  // namespace
}  // namespace pollen
