// Wrong keys of [data], each with the exact message a user sees.
#include "files.h"

namespace pollen {
namespace {

using testing::complaint;
using testing::Folder;
using testing::plain;

std::string says(const DataSpec& spec, TargetKind target = TargetKind::binary) {
  return complaint([&] { load_federation(spec, target, 1, "e.toml"); });
}

DataSpec titanic() {
  DataSpec spec;
  spec.sources = {"titanic"};
  return spec;
}

TEST(BadKeys, SeveralAreToldTogether) {
  DataSpec spec = titanic();
  spec.partition = "dirichlt";
  spec.missing = "median";
  spec.test_fraction = 1.0;
  spec.limit = -1;
  EXPECT_EQ(says(spec),
            "e.toml: data.partition: found \"dirichlt\", accepted: iid, dirichlet, label-shards, dominant-label, "
            "label-pairs, classes-per-client, by-column, by-writer, given; did you mean \"dirichlet\"?\n"
            "e.toml: data.missing: found \"median\", accepted: error, drop, mean; did you mean \"mean\"?\n"
            "e.toml: data.test_fraction: found 1, accepted: 0 or above and below 1\n"
            "e.toml: data.limit: found -1, accepted: a number of rows, or 0 for all");
}

TEST(BadKeys, NamesOfColumns) {
  DataSpec spec = titanic();
  spec.target = "sruvived";
  spec.features = {"clas", "sex"};
  spec.categorical = {"height"};
  spec.levels = {{"agee", {"child"}}};
  EXPECT_EQ(says(spec),
            "e.toml: data.target: found \"sruvived\", accepted: class, sex, age, survived; did you mean \"survived\"?\n"
            "e.toml: data.categorical: found \"height\", accepted: class, sex, age, survived\n"
            "e.toml: data.levels: found \"agee\", accepted: class, sex, age, survived; did you mean \"age\"?\n"
            "e.toml: data.features: found \"clas\", accepted: class, sex, age, survived; did you mean \"class\"?");
}

TEST(BadKeys, ColumnsWithTwoRoles) {
  DataSpec spec = titanic();
  spec.partition = "by-column";
  EXPECT_EQ(says(spec), "e.toml: data.column: found none, accepted: the column whose values are the clients");
  spec.column = "survived";
  EXPECT_EQ(says(spec), "e.toml: data.column: found the target \"survived\", accepted: another column");
  spec.column = "class";
  spec.features = {"class", "sex", "sex", "survived"};
  EXPECT_EQ(says(spec),
            "e.toml: data.features: found \"class\", which is the clients' column, accepted: other columns\n"
            "e.toml: data.features: found \"sex\" twice, accepted: once\n"
            "e.toml: data.features: found \"survived\", which is the target, accepted: other columns");
}

TEST(BadKeys, LevelsThatAreNotGiven) {
  DataSpec spec = titanic();
  spec.levels = {{"class", {"1st", "2nd", "3rd"}}};
  EXPECT_EQ(says(spec), "titanic: row 1317, column class: found \"crew\", accepted: 1st, 2nd, 3rd");
  spec.levels = {{"class", {}}};
  EXPECT_EQ(says(spec), "e.toml: data.levels.class: found none, accepted: at least one level");
}

TEST(BadKeys, CountsOfClients) {
  DataSpec spec = titanic();
  spec.clients = 0;
  EXPECT_EQ(says(spec), "e.toml: data.clients: found 0, accepted: 1 to 100000000");
  spec.clients = 2202;
  EXPECT_EQ(says(spec), "e.toml: data.clients: found 2202, accepted: at most the 2201 rows");
  spec.partition = "label-shards";
  spec.clients = 1000;
  spec.shards = 3;
  EXPECT_EQ(says(spec),
            "e.toml: data.shards: found 3 shards for each of 1000 clients, accepted: at most the 2201 rows in all");
  spec.partition = "dirichlet";
  spec.dirichlet_alpha = 0.0;
  EXPECT_EQ(says(spec), "e.toml: data.dirichlet_alpha: found 0, accepted: a number above 0");
}

TEST(BadKeys, PartitionsThatNeedLabels) {
  const Folder folder;
  DataSpec spec = plain(folder.write("a.csv", "x,y\n1,2.5\n2,3.5\n"));
  spec.partition = "dirichlet";
  spec.clients = 2;
  EXPECT_EQ(says(spec, TargetKind::real),
            "e.toml: data.partition: found \"dirichlet\", which needs class labels, and the target has none, accepted: "
            "iid, by-column, by-writer, given");
}

TEST(BadKeys, SourcesAndFormats) {
  DataSpec spec = titanic();
  spec.sources = {};
  EXPECT_EQ(says(spec),
            "e.toml: data.source: found none, accepted: a file, or one of titanic, synthetic-gaussian, "
            "synthetic-logistic, synthetic-mixed");
  spec.sources = {"a.csv", "b.csv"};
  spec.format = "xlsx";
  EXPECT_EQ(says(spec),
            "e.toml: data.source: found 2 files, accepted: one, or data.partition = \"given\" for one file per client\n"
            "e.toml: data.format: found \"xlsx\", accepted: csv, libsvm, idx, cifar");
  const Folder folder;
  const std::string path = folder.write("a9a", "1 1:1\n");
  EXPECT_EQ(says(plain(path)), "e.toml: data.format: found none, and the name " + path +
                                   " does not tell, accepted: csv, libsvm, idx, cifar, pollen");
}

TEST(BadKeys, SyntheticSets) {
  DataSpec spec;
  spec.sources = {"synthetic-gaussian"};
  EXPECT_EQ(says(spec),
            "e.toml: data.source: found \"synthetic-gaussian\", which has no target, accepted: with model.kind = "
            "\"gaussian\"");
  spec.min_size = 5;
  spec.max_size = 4;
  spec.dimension = 0;
  EXPECT_EQ(says(spec, TargetKind::none),
            "e.toml: data.dimension: found 0, accepted: 1 to 1000000\n"
            "e.toml: data.max_size: found 4, accepted: min_size to 1000000000");
  DataSpec large;
  large.sources = {"synthetic-gaussian"};
  large.clients = 100'000'000;
  large.max_size = 1'000'000'000;
  EXPECT_NE(says(large, TargetKind::none).find("accepted: at most 1073741824 numbers"), std::string::npos);
}

}  // namespace
}  // namespace pollen
