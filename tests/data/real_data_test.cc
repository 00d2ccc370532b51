// Tests with real data sets, if POLLEN_DATA names their folder.
#include <gmock/gmock.h>

#include <cstdlib>
#include <map>
#include <numeric>

#include "data/builtin.h"
#include "data/readers.h"
#include "files.h"
#include "math/math.h"

namespace pollen {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

class RealData : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("POLLEN_DATA");
    if (folder == nullptr || *folder == '\0') GTEST_SKIP() << "POLLEN_DATA is not set: no real data";
    folder_ = folder;
  }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  std::vector<std::string> hospitals() const {
    std::vector<std::string> files;
    for (const char* name : {"cleveland", "hungarian", "switzerland", "va"})
      files.push_back(path(std::string("heart-disease/processed.") + name + ".data"));
    return files;
  }

 private:
  std::string folder_;
};

using Person = std::map<std::string, std::string>;

std::map<Person, int> people(const data::RawTable& table) {
  std::map<Person, int> counts;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    Person person;
    for (const data::Column& column : table.columns) {
      const bool number = column.code[r] == data::Column::kNumber;
      const std::string text =
          number ? (column.number[r] > 0 ? "yes" : "no") : column.texts[static_cast<std::size_t>(column.code[r])];
      person[column.name] = text;
    }
    ++counts[person];
  }
  return counts;
}

TEST_F(RealData, TitanicCountsAreTheFilesCounts) {
  const std::string file = path("titanic/titanic_decoded.csv");
  EXPECT_EQ(people(data::titanic()), people(data::parse_csv(data::read_file(file), {}, file)));
}

TEST_F(RealData, FourHospitalsWithRowsDropped) {
  DataSpec spec;
  spec.sources = hospitals();
  spec.partition = "given";
  spec.header = false;
  spec.missing = "drop";
  spec.features = {"c1", "c2", "c3", "c4", "c7", "c8", "c9", "c10"};
  spec.categorical = {"c3"};
  const Federation federation = load_federation(spec, TargetKind::classes, 1, "");
  EXPECT_THAT(federation.client_names.list(),
              ElementsAre("processed.cleveland", "processed.hungarian", "processed.switzerland", "processed.va"));
  EXPECT_THAT(federation.class_names, ElementsAre("0", "1", "2", "3", "4"));
  EXPECT_THAT(federation.feature_names,
              ElementsAre("intercept", "c1", "c2", "c3=2", "c3=3", "c3=4", "c4", "c7", "c8", "c9", "c10"));
  EXPECT_EQ(federation.train_rows(0) + federation.test_begin[1], 303);
  EXPECT_THAT(federation.notes, SizeIs(3));  // Cleveland's rows have no missing cell in these eight columns
}

TEST_F(RealData, FourHospitalsWithMeans) {
  DataSpec spec;
  spec.sources = hospitals();
  spec.partition = "given";
  spec.header = false;
  spec.missing = "mean";
  const Federation federation = load_federation(spec, TargetKind::classes, 1, "");
  EXPECT_EQ(federation.train.rows + federation.test.rows, 303 + 294 + 123 + 200);
  EXPECT_EQ(federation.train.columns, 14);
  EXPECT_TRUE(math::all_finite(federation.train.x));
  EXPECT_TRUE(math::all_finite(federation.test.x));
  spec.missing = "error";
  EXPECT_NE(testing::complaint([&] {
              load_federation(spec, TargetKind::classes, 1, "");
            }).find("processed.hungarian.data: row 1, column c11: found no value"),
            std::string::npos);
}

TEST_F(RealData, Libsvm) {
  DataSpec spec;
  spec.sources = {path("libsvm/a9a")};
  spec.format = "libsvm";
  const Federation federation = load_federation(spec, TargetKind::binary, 1, "");
  EXPECT_EQ(federation.train.rows + federation.test.rows, 32561);
  EXPECT_EQ(federation.train.columns, 124);
  EXPECT_THAT(federation.class_names, ElementsAre("-1", "1"));
  spec.sources = {path("libsvm/mushrooms")};
  EXPECT_EQ(load_federation(spec, TargetKind::binary, 1, "").train.columns, 112);  // one of 112 features is always 1
}

TEST_F(RealData, Mnist) {
  DataSpec spec;
  spec.sources = {path("mnist/train-images-idx3-ubyte.gz")};
  spec.partition = "label-shards";
  spec.clients = 100;
  const Federation federation = load_federation(spec, TargetKind::classes, 1, "");
  EXPECT_EQ(federation.train.rows, 48000);
  EXPECT_EQ(federation.train.columns, 785);
  EXPECT_THAT(federation.class_names, SizeIs(10));
}

TEST_F(RealData, MnistByWriter) {
  DataSpec spec;
  spec.sources = {path("mnist/train-images-idx3-ubyte.gz")};
  spec.labels = path("mnist/qmnist-train-labels-idx2-int.gz");
  spec.partition = "by-column";
  spec.column = "label3";
  spec.standardize = false;
  const Federation federation = load_federation(spec, TargetKind::classes, 1, "");
  EXPECT_EQ(federation.clients(), 539);
  EXPECT_THAT(federation.class_names, SizeIs(10));
}

TEST_F(RealData, MnistByWriterFile) {
  DataSpec spec = testing::plain(path("mnist/train-images-idx3-ubyte.gz"));
  spec.partition = "by-writer";
  spec.writers = path("mnist/qmnist-train-labels-idx2-int.gz");
  const Federation federation = load_federation(spec, TargetKind::classes, 1, "");
  ASSERT_EQ(federation.clients(), 539);
  Index least = 60000, most = 0;
  for (Index i = 0; i < 539; ++i) {
    least = std::min(least, federation.train_rows(i));
    most = std::max(most, federation.train_rows(i));
  }
  EXPECT_EQ(least, 19);
  EXPECT_EQ(most, 131);
  EXPECT_EQ(federation.train.rows, 60000);
  EXPECT_TRUE(federation.client_names[0].starts_with("writer "));
}

TEST_F(RealData, MnistOfQlsdWithItsOwnTestImagesAndClothes) {
  DataSpec spec;
  spec.sources = {path("mnist/train-images-idx3-ubyte.gz")};
  spec.partition = "dominant-label";
  spec.test_source = path("mnist/t10k-images-idx3-ubyte.gz");
  spec.ood_source = path("fashion-mnist/t10k-images-idx3-ubyte.gz");
  const Federation federation = load_federation(spec, TargetKind::classes, 1, "");
  EXPECT_EQ(federation.clients(), 20);
  EXPECT_NEAR(static_cast<double>(federation.train.rows), 0.98 * 60000, 10);
  EXPECT_NEAR(static_cast<double>(federation.train_rows(0)), 0.4 * 5923 + 0.01 * (60000 - 5923), 10);
  EXPECT_EQ(federation.test.rows, 10000);
  EXPECT_EQ(federation.ood.rows, 10000);
  EXPECT_TRUE(math::all_finite(federation.ood.x));
}

TEST_F(RealData, Cifar) {
  DataSpec spec;
  spec.sources = {path("cifar10/data_batch_1.bin.gz")};
  spec.limit = 2000;
  const Federation federation = load_federation(spec, TargetKind::classes, 1, "");
  EXPECT_EQ(federation.train.rows + federation.test.rows, 2000);
  EXPECT_EQ(federation.train.columns, 3073);
}

TEST_F(RealData, Covtype) {
  DataSpec spec;
  spec.sources = {path("covtype/covtype_sub92962.data.gz")};
  spec.header = false;
  spec.partition = "dirichlet";
  const Federation federation = load_federation(spec, TargetKind::classes, 1, "");
  EXPECT_EQ(federation.train.rows + federation.test.rows, 92962);
  EXPECT_EQ(federation.train.columns, 54);  // one kind of soil is in no training row
  EXPECT_THAT(federation.class_names, ElementsAre("1", "2", "3", "4", "5", "6", "7"));
}

}  // namespace
}  // namespace pollen
