#include <fmt/format.h>
#include <gtest/gtest.h>

#include "files.h"

namespace pollen {
namespace {

using testing::Folder;
using testing::plain;

TEST(Describe, ClientsTimesClasses) {
  const Folder folder;
  DataSpec spec = plain(folder.write("a.csv", "site,x,y\nYork,1,no\nYork,2,yes\nÅbo,3,no\nYork,4,yes\nYork,9,yes\n"));
  spec.partition = "by-column";
  spec.column = "site";
  spec.intercept = true;
  spec.test_fraction = 0.25;
  EXPECT_EQ(describe(load_federation(spec, TargetKind::binary, 2, ""), TargetKind::binary),
            "2 clients, 2 features: intercept, x\n"
            "\n"
            "column      holds          values               missing\n"
            "site        text           2 clients                  0\n"
            "x           whole numbers  1 to 9, 5 different        0\n"
            "y (target)  text           2: no, yes                 0\n"
            "models P(y = yes); data.positive = [\"no\"] models P(y = no)\n"
            "\n"
            "client  train  test  no  yes\n"
            "York        3     1   1    2\n"
            "Åbo         1     0   1    0\n"
            "total       4     1   2    2\n"
            "note: client Åbo has one class of y only: no\n");
}

TEST(Describe, ManyClientsShowBothEnds) {
  DataSpec spec;
  spec.sources = {"synthetic-gaussian"};
  spec.dimension = 2;
  spec.clients = 1000;
  spec.min_size = spec.max_size = 3;
  const std::string text = describe(load_federation(spec, TargetKind::none, 1, ""), TargetKind::none);
  EXPECT_EQ(text.substr(0, text.find("2  ")),
            "1000 clients, 2 features: x1, x2\n\nclient  train  test\n1           3     0\n");
  EXPECT_NE(text.find("\n20          3     0\n...\n996         3     0\n"), std::string::npos);
  EXPECT_EQ(text.substr(text.find("total")), "total    3000     0\n");
}

TEST(Describe, OneClient) {
  const Folder folder;
  const Federation federation = load_federation(plain(folder.write("a.csv", "x,y\n1,2\n")), TargetKind::real, 1, "");
  EXPECT_EQ(describe(federation, TargetKind::real),
            "1 client, 1 feature: x\n\n"
            "column      holds          values                missing\n"
            "x           whole numbers  1 to 1, all the same        0\n"
            "y (target)  whole numbers  2 to 2, all the same        0\n\nclient  train  test\na           1     "
            "0\ntotal       1     0\n");
}

// What a site sees of its file before anything is sent.
TEST(Describe, AFileByItself) {
  const Folder folder;
  const std::string file = folder.write("h.csv", "age,sex,arm,state\n41,m,b,alive\n?,f,a,dead\n52.5,m,c,alive\n");
  DataSpec spec;
  spec.missing = "mean";
  spec.levels = {{"arm", {"c", "a", "b"}}};
  const std::string text = describe_file(file, spec, TargetKind::binary);
  EXPECT_EQ(text.substr(file.size()),
            ": 3 rows\n"
            "column          holds    values                   missing\n"
            "age             numbers  41 to 52.5, 2 different        1\n"
            "sex             text     2: f (reference), m            0\n"
            "arm             text     3: c (reference), a, b         0\n"
            "state (target)  text     2: alive, dead                 0\n"
            "models P(state = dead); data.positive = [\"alive\"] models P(state = alive)\n"
            "The labels of all clients together decide, of which these are one client's.\n");
  spec.positive = {"alive"};
  const std::string other = describe_file(file, spec, TargetKind::binary);
  EXPECT_NE(other.find("models P(state = alive); data.positive with the other labels models P(state = dead)\n"),
            std::string::npos)
      << other;
}

// A file that is refused still shows what it holds.
TEST(Describe, AFileThatCannotBeUsed) {
  const Folder folder;
  std::string csv = "name,seen,age,state\n";
  for (int r = 0; r < 12; ++r)
    csv += fmt::format("Ada {0},2021-03-{1},{2},{3}\n", r, 10 + r % 5, r == 3 ? "N/A" : "40", r % 2 ? "dead" : "alive");
  const std::string file = folder.write("h.csv", csv);
  DataSpec spec;
  spec.target = "state";
  EXPECT_THROW(describe_file(file, spec, TargetKind::binary), ConfigError);
  EXPECT_EQ(describe_unusable(file, spec, TargetKind::binary).substr(file.size()),
            ": 12 rows\n"
            "column          holds          values                  missing\n"
            "name            text           12 different                  0\n"
            "seen            dates          5 different                   0\n"
            "age             whole numbers  40 to 40, all the same        1\n"
            "state (target)  text           2 different                   0\n");
}

}  // namespace
}  // namespace pollen
