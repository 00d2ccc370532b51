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
  EXPECT_EQ(describe(load_federation(spec, TargetKind::binary, 2, "")),
            "2 clients, 2 features: intercept, x\n"
            "\n"
            "client  train  test  no  yes\n"
            "York        3     1   1    2\n"
            "Åbo         1     0   1    0\n"
            "total       4     1   2    2\n");
}

TEST(Describe, ManyClientsShowBothEnds) {
  DataSpec spec;
  spec.sources = {"synthetic-gaussian"};
  spec.dimension = 2;
  spec.clients = 1000;
  spec.min_size = spec.max_size = 3;
  const std::string text = describe(load_federation(spec, TargetKind::none, 1, ""));
  EXPECT_EQ(text.substr(0, text.find("2  ")),
            "1000 clients, 2 features: x1, x2\n\nclient  train  test\n1           3     0\n");
  EXPECT_NE(text.find("\n20          3     0\n...\n996         3     0\n"), std::string::npos);
  EXPECT_EQ(text.substr(text.find("total")), "total    3000     0\n");
}

TEST(Describe, OneClient) {
  const Folder folder;
  const Federation federation = load_federation(plain(folder.write("a.csv", "x,y\n1,2\n")), TargetKind::real, 1, "");
  EXPECT_EQ(describe(federation),
            "1 client, 1 feature: x\n\nclient  train  test\na           1     0\ntotal       1     0\n");
}

}  // namespace
}  // namespace pollen
