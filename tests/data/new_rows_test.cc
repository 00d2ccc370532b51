// Rows that arrive after training are encoded like the training rows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "files.h"

namespace pollen {
namespace {

using testing::Folder;
using ::testing::HasSubstr;

TEST(NewRows, AreEncodedAsTheTrainingRows) {
  const Folder folder;
  DataSpec spec;
  spec.sources = {folder.write("train.csv", "size,kind,value\n1,b,0.5\n2,a,1.5\n4,c,2.5\n9,a,3.5\n")};
  spec.target = "value";
  spec.clients = 2;
  spec.test_fraction = 0;
  const Federation trained = load_federation(spec, TargetKind::real, 1, "t.toml");
  // The new file has the same rows with columns in another order, without the target and with one more column.
  const std::string again = folder.write("new.csv", "extra,kind,size\n7,b,1\n7,a,2\n7,c,4\n7,a,9\n");
  const Table rows = load_rows(again, spec, trained, TargetKind::none);
  ASSERT_EQ(rows.rows, 4);
  ASSERT_EQ(rows.columns, trained.train.columns);
  for (Index r = 0; r < 4; ++r) {
    bool found = false;
    for (Index t = 0; t < 4; ++t) {
      bool same = true;
      for (Index j = 0; j < rows.columns; ++j)
        same = same && std::abs(rows.view().row(r)[j] - trained.train.view().row(t)[j]) < 1e-12;
      found = found || same;
    }
    EXPECT_TRUE(found) << r;
  }
  const Table with = load_rows(folder.write("y.csv", "value,kind,size\n9.5,b,1\n"), spec, trained, TargetKind::real);
  ASSERT_EQ(with.y.size(), 1U);
  EXPECT_EQ(with.y[0], 9.5);
}

TEST(NewRows, OneLabelAloneIsStillAClass) {
  const Folder folder;
  DataSpec spec;
  spec.sources = {folder.write("train.csv", "x,label\n1,no\n2,yes\n3,no\n4,yes\n")};
  spec.clients = 1;
  spec.test_fraction = 0;
  const Federation trained = load_federation(spec, TargetKind::binary, 1, "t.toml");
  const Table rows = load_rows(folder.write("new.csv", "x,label\n3,yes\n"), spec, trained, TargetKind::binary);
  ASSERT_EQ(rows.y.size(), 1U);
  EXPECT_EQ(rows.y[0], 1);
}

TEST(NewRows, UnknownLevelsAndColumnsAreNamed) {
  const Folder folder;
  DataSpec spec;
  spec.sources = {folder.write("train.csv", "x,kind,y\n1,a,1\n2,b,2\n")};
  spec.clients = 1;
  spec.test_fraction = 0;
  const Federation trained = load_federation(spec, TargetKind::real, 1, "t.toml");
  const auto refusal = [&](const std::string& text) {
    try {
      load_rows(folder.write("new.csv", text), spec, trained, TargetKind::none);
    } catch (const ConfigError& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(refusal("x,kind\n1,c\n"), HasSubstr("\"c\""));
  EXPECT_THAT(refusal("x\n1\n"), HasSubstr("\"kind\""));
  EXPECT_THAT(refusal("x,kind\noops,a\n1,b\n"), HasSubstr("oops"));
}

}  // namespace
}  // namespace pollen
