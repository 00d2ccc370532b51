// Test rows and out-of-distribution rows from their own files are encoded and scaled like the training rows and belong
// to no client.
#include <gmock/gmock.h>

#include <cmath>

#include "files.h"

namespace pollen {
namespace {

using testing::cell;
using testing::complaint;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::idx_bytes;

class GivenRows : public ::testing::Test {
 protected:
  GivenRows() {
    spec_.sources = {folder_.write("a.csv", "x,c,y\n1,u,no\n2,v,yes\n3,w,no\n6,u,yes\n")};
    spec_.clients = 2;
  }
  Federation load(TargetKind target = TargetKind::binary) const { return load_federation(spec_, target, 1, "e.toml"); }
  std::string says() const {
    return complaint([&] { load(); });
  }
  void test_file(const std::string& text) { spec_.test_source = folder_.write("t.csv", text); }
  testing::Folder folder_;
  DataSpec spec_;
};

TEST_F(GivenRows, AreEncodedAndScaledAsTheTrainingRows) {
  test_file("y,other,c,x\nyes,7,w,2\nno,8,u,3\nyes,9,w,30\n");
  const Federation federation = load();
  EXPECT_EQ(federation.train.rows, 4);  // nothing is held out
  EXPECT_THAT(federation.test_begin, ElementsAre(0, 0, 0));
  ASSERT_EQ(federation.test.rows, 3);
  EXPECT_THAT(federation.test.y, ElementsAre(1, 0, 1));
  EXPECT_THAT(federation.feature_names, ElementsAre("intercept", "x", "c=v", "c=w"));
  EXPECT_EQ(cell(federation.test, 0, 0), 1.0);
  EXPECT_NEAR(cell(federation.test, 1, 1), 0.0, 1e-12);  // the training rows have mean 3 and variance 3.5
  EXPECT_NEAR(cell(federation.test, 2, 1), 27.0 / std::sqrt(3.5), 1e-12);
  EXPECT_NEAR(cell(federation.test, 0, 3), 0.75 / std::sqrt(3.0 / 16), 1e-12);
  EXPECT_EQ(federation.ood.rows, 0);
}

TEST_F(GivenRows, FromElsewhereNeedNoTarget) {
  spec_.ood_source = folder_.write("o.csv", "c,x\nv,3\nu,1\n");
  const Federation federation = load();
  EXPECT_EQ(federation.train.rows + federation.test.rows, 4);
  ASSERT_EQ(federation.ood.rows, 2);
  EXPECT_EQ(federation.ood.columns, federation.train.columns);
  EXPECT_EQ(federation.ood.stride, federation.train.stride);
  EXPECT_TRUE(federation.ood.y.empty());
  EXPECT_NEAR(cell(federation.ood, 0, 1), 0.0, 0.9);
  EXPECT_EQ(cell(federation.ood, 0, 0), 1.0);
  EXPECT_THAT(describe(federation, TargetKind::classes), HasSubstr("2 rows from elsewhere (data.ood_source)"));
}

TEST_F(GivenRows, ColumnsThatAreNotThereAreNamed) {
  test_file("x,d,y\n1,u,no\n");
  EXPECT_THAT(says(), HasSubstr(spec_.test_source + ": found no column \"c\", which " + spec_.sources[0] + " has"));
  EXPECT_THAT(says(), HasSubstr("accepted: the columns x, c, y; the file's others are d"));
  test_file("x,c\n1,u\n");
  EXPECT_THAT(says(), HasSubstr("found no column \"y\""));
}

TEST_F(GivenRows, UnknownLabelsAndLevelsAreNamed) {
  test_file("x,c,y\n1,u,no\n2,u,yess\n");
  EXPECT_EQ(says(), spec_.test_source + ": row 3, column y: found \"yess\", accepted: no, yes; did you mean \"yes\"?");
  test_file("x,c,y\n1,z,no\n");
  EXPECT_EQ(says(), spec_.test_source + ": row 2, column c: found \"z\", accepted: u, v, w");
  test_file("x,c,y\nfar,u,no\n");
  EXPECT_EQ(says(), spec_.test_source + ": row 2, column x: found \"far\", accepted: a number, as " + spec_.sources[0] +
                        " has");
}

TEST_F(GivenRows, MissingNumbersTakeTheTrainingMean) {
  test_file("x,c,y\n,u,no\n");
  EXPECT_THAT(says(), HasSubstr("t.csv: row 2, column x: found no value"));
  spec_.missing = "mean";
  EXPECT_NEAR(cell(load().test, 0, 1), 0.0, 1e-12);
}

TEST_F(GivenRows, MergedLabelsAreMergedAgain) {
  spec_.sources = {folder_.write("b.csv", "x,y\n1,0\n2,1\n3,2\n4,0\n")};
  spec_.positive = {"1", "2"};
  test_file("x,y\n1,2\n2,0\n");
  EXPECT_THAT(load().test.y, ElementsAre(1, 0));
}

TEST_F(GivenRows, NumbersAreTargetsToo) {
  test_file("x,c,y\n1,u,2.5\n");
  spec_.sources = {folder_.write("b.csv", "x,c,y\n1,u,0.5\n2,v,1\n")};
  EXPECT_THAT(load(TargetKind::real).test.y, ElementsAre(2.5));
}

TEST_F(GivenRows, OfImages) {
  spec_ = testing::plain(folder_.write("t-images-idx3-ubyte", idx_bytes(8, {4, 1, 2}, "abcdefgh")));
  spec_.labels = folder_.write("l2", idx_bytes(8, {4, 3}, {0, 5, 5, 1, 5, 5, 0, 5, 6, 1, 5, 6}));
  spec_.partition = "by-column";
  spec_.column = "label3";
  spec_.test_source = folder_.write("v-images-idx3-ubyte", idx_bytes(8, {2, 1, 2}, "xyzz"));
  spec_.test_labels = folder_.write("vl", idx_bytes(8, {2}, {1, 0}));
  spec_.ood_source = folder_.write("clothes", idx_bytes(8, {1, 2, 1}, "AB"));
  spec_.format = "idx";
  const Federation federation = load();
  EXPECT_THAT(federation.test.y, ElementsAre(1, 0));
  EXPECT_EQ(cell(federation.test, 0, 1), 'y' / 255.0);
  EXPECT_EQ(cell(federation.ood, 0, 0), 'A' / 255.0);
  EXPECT_THAT(describe(federation, TargetKind::classes),
              HasSubstr("2 test rows belong to no client (data.test_source)"));
  spec_.ood_source = folder_.write("wide", idx_bytes(8, {1, 3, 1}, "ABC"));
  EXPECT_EQ(says(), spec_.ood_source + ": found 3 numbers per row, accepted: 2, as " + spec_.sources[0] + " has");
  spec_.ood_source.clear();
  folder_.write("vl", idx_bytes(8, {2}, {1, 3}));
  EXPECT_THAT(says(), HasSubstr("row 2, column label1: found \"3\", accepted: 0, 1"));
}

TEST_F(GivenRows, SparseRowsNeedNotReachTheLastColumn) {
  spec_ = testing::plain(folder_.write("a.svm", "0 1:1 3:2\n1 2:5\n"));
  spec_.test_source = folder_.write("b.svm", "1 2:4\n");
  EXPECT_EQ(cell(load().test, 0, 1), 4.0);
  EXPECT_EQ(load().test.columns, 3);
  spec_.test_source = folder_.write("c.svm", "1 4:4\n");
  EXPECT_THAT(says(), HasSubstr("c.svm: found 4 numbers per row, accepted: 3, as"));
}

TEST_F(GivenRows, KeysThatDoNotFitAreErrors) {
  spec_.test_labels = "somewhere";
  EXPECT_EQ(says(), "e.toml: data.test_labels: found without data.test_source, accepted: the labels of its images");
  spec_.test_labels.clear();
  spec_.ood_source = "o.csv";
  EXPECT_EQ(complaint([&] { load(TargetKind::real); }),
            "e.toml: data.ood_source: found with a model that has no classes, accepted: with logistic or softmax");
  spec_.ood_source = folder_.write("o.svm", "1 1:4\n");
  EXPECT_EQ(says(), spec_.ood_source + ": found rows without named columns, accepted: columns, as " + spec_.sources[0] +
                        " has");
}

}  // namespace
}  // namespace pollen
