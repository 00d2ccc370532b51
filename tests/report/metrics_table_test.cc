#include <fmt/format.h>
#include <gmock/gmock.h>

#include "pollen/errors.h"
#include "report/parts.h"

namespace pollen::report {
namespace {

TEST(MetricsTable, ColumnsAndEmptyCells) {
  const Json table = metrics_table("round,seconds,ece\n1,0.5,\n2,1.5,0.25\n", "metrics.csv");
  EXPECT_EQ(table["columns"], Json({"round", "seconds", "ece"}));
  EXPECT_EQ(table["values"].dump(), "[[1.0,2.0],[0.5,1.5],[null,0.25]]");
  EXPECT_EQ(table["rowsInAll"], 2);
}

TEST(MetricsTable, ManyRowsAreThinnedAndTheLastStays) {
  std::string text = "round,seconds\n";
  for (int i = 1; i <= 12345; ++i) text += fmt::format("{},1\n", i);
  const Json rounds = metrics_table(text, "metrics.csv")["values"][0];
  EXPECT_EQ(rounds.size(), 1000u);
  EXPECT_EQ(rounds.back(), 12345.0);
}

TEST(MetricsTable, ALineThatIsStillBeingWrittenIsLeftOut) {
  EXPECT_EQ(metrics_table("round,seconds\n1,1\n2,", "metrics.csv")["rowsInAll"], 1);
}

void expect_refused(const std::string& text, const std::string& where, const std::string& what) {
  try {
    metrics_table(text, "metrics.csv");
    FAIL() << "accepted: " << text;
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.problems().front().where, where);
    EXPECT_THAT(error.problems().front().what, testing::HasSubstr(what));
  }
}

TEST(MetricsTable, WhatIsWrongIsNamed) {
  expect_refused("", "metrics.csv", "begins with round");
  expect_refused("a,b\n1,2\n", "metrics.csv", "begins with round");
  expect_refused("round,ece\n1,2\n1,2,3\n", "metrics.csv: row 3", "found 3 cells");
  expect_refused("round,ece\n1,x\n", "metrics.csv: row 2", "column ece: found \"x\"");
}

}  // namespace
}  // namespace pollen::report
