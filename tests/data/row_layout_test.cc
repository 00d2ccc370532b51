// Converts a run's layout to JSON and back. Later rows are encoded like the training rows, or refused with a clear
// message.
#include "data/row_layout.h"

#include <gmock/gmock.h>

#include <cmath>

#include "data/store.h"
#include "files.h"

namespace pollen {
namespace {

using testing::big_endian;
using testing::complaint;
using testing::Folder;
using ::testing::HasSubstr;
using testing::idx_bytes;
using testing::replaced;

constexpr const char* kPeople =
    "age,town,smokes,ill\n40,rome,yes,no\n50,oslo,no,yes\n60,rome,no,no\n30,paris,yes,yes\n20,oslo,no,no\n70,paris,no,"
    "yes\n";

struct Trained {
  DataSpec spec;
  Federation data;
  RowLayout layout;
};

Trained train(DataSpec spec, TargetKind kind) {
  spec.test_fraction = 0;
  spec.clients = 1;
  Federation data = load_federation(spec, kind, 1, "t.toml");
  RowLayout layout = layout_of(data, spec, kind);
  return {spec, std::move(data), std::move(layout)};
}

DataSpec source(const std::string& file, const std::string& target = "") {
  DataSpec spec;
  spec.sources = {file};
  spec.target = target;
  return spec;
}

// Checks that every row of `rows` is a training row with its target, and that all of them are there.
void expect_same_rows(const Table& rows, const Table& train) {
  ASSERT_EQ(rows.rows, train.rows);
  ASSERT_EQ(rows.columns, train.columns);
  ASSERT_EQ(rows.y.size(), train.y.size());
  std::vector<bool> taken(static_cast<std::size_t>(train.rows));
  for (Index r = 0; r < rows.rows; ++r) {
    bool found = false;
    for (Index t = 0; t < train.rows && !found; ++t) {
      if (taken[static_cast<std::size_t>(t)] ||
          rows.y[static_cast<std::size_t>(r)] != train.y[static_cast<std::size_t>(t)])
        continue;
      double apart = 0;
      for (Index j = 0; j < rows.columns; ++j)
        apart = std::max(apart, std::abs(rows.view().row(r)[j] - train.view().row(t)[j]));
      found = apart < 1e-12;
      if (found) taken[static_cast<std::size_t>(t)] = true;
    }
    EXPECT_TRUE(found) << "row " << r;
  }
}

TEST(RowLayout, OfACsvFileComesBackFromJson) {
  const Folder folder;
  const Trained t = train(source(folder.write("a.csv", kPeople), "ill"), TargetKind::binary);
  EXPECT_EQ(t.layout.features(), t.data.train.columns);
  EXPECT_EQ(t.layout.feature_names(), t.data.feature_names);
  EXPECT_EQ(t.layout.classes, (std::vector<std::string>{"no", "yes"}));
  EXPECT_EQ(parse_layout(to_json(t.layout), "encoder.json"), t.layout);
  expect_same_rows(load_rows(t.spec.sources[0], parse_layout(to_json(t.layout), ""), {true}), t.data.train);
}

TEST(RowLayout, KeepsTheOrderOfGivenLevels) {
  const Folder folder;
  DataSpec spec = source(folder.write("a.csv", kPeople), "ill");
  spec.levels = {{"town", {"rome", "paris", "oslo"}}, {"ill", {"yes", "no"}}};
  const Trained t = train(spec, TargetKind::binary);
  const RowLayout layout = parse_layout(to_json(t.layout), "");
  EXPECT_EQ(layout, t.layout);
  EXPECT_EQ(layout.feature_names(), t.data.feature_names);
  EXPECT_EQ(layout.classes, (std::vector<std::string>{"yes", "no"}));
  expect_same_rows(load_rows(t.spec.sources[0], layout, {true}), t.data.train);
}

TEST(RowLayout, NamesThatAreNoUtf8ComeBackByteForByte) {
  RowLayout layout;
  layout.columns = {{"gr\xf6\xdf\x65", {"b", "a\xff"}}, {"\xc3\xbc"}, {"\xed\xa0\x80"}};
  layout.target = "y";
  layout.kind = TargetKind::real;
  EXPECT_EQ(parse_layout(to_json(layout), ""), layout);
}

TEST(RowLayout, ColumnsComeInAnyOrderWithOthersBetweenAndNoTarget) {
  const Folder folder;
  const Trained t = train(source(folder.write("a.csv", kPeople), "ill"), TargetKind::binary);
  const Table rows = load_rows(folder.write("b.csv", "note,town,smokes,age\nhello,oslo,no,50\n"), t.layout, {});
  const Table with = load_rows(folder.write("c.csv", "age,town,smokes,ill\n50,oslo,no,yes\n"), t.layout, {true});
  EXPECT_TRUE(rows.y.empty());
  EXPECT_EQ(with.y[0], 1);
  EXPECT_TRUE(std::ranges::equal(rows.x, with.x));
}

// A federation that is still in memory stands for its layout. One label alone is still a class.
TEST(RowLayout, OfAFederationInMemory) {
  const Folder folder;
  const Trained t = train(source(folder.write("a.csv", kPeople), "ill"), TargetKind::binary);
  expect_same_rows(load_rows(t.spec.sources[0], t.spec, t.data, TargetKind::binary), t.data.train);
  const std::string one = folder.write("b.csv", "extra,town,smokes,age,ill\nhello,oslo,no,50,yes\n");
  EXPECT_EQ(load_rows(one, t.spec, t.data, TargetKind::binary).y[0], 1);
  EXPECT_TRUE(load_rows(one, t.spec, t.data, TargetKind::none).y.empty());
}

TEST(RowLayout, MissingNumbersBecomeTheTrainingMeanWhereTheyDidInTraining) {
  const Folder folder;
  DataSpec spec = source(folder.write("a.csv", "x,z,y\n1,5,1\n,5,2\n4,5,3\n7,5,4\n"), "y");
  spec.missing = "mean";
  spec.constant = "keep";
  for (const bool standardize : {true, false}) {
    spec.standardize = standardize;
    const Trained t = train(spec, TargetKind::real);
    ASSERT_EQ(t.layout.fill.size(), 2U);
    const Table rows = load_rows(folder.write("b.csv", "x,z\nNA,\n4,5\n"), t.layout, {});
    EXPECT_NEAR(rows.view().row(0)[1], rows.view().row(1)[1], 1e-12);  // the mean of 1, 4, 7 is 4
    EXPECT_NEAR(rows.view().row(0)[2], rows.view().row(1)[2], 1e-12);  // a constant column stays constant
  }
  spec.sources = {folder.write("c.csv", "x,y\n1,1\n2,2\n")};
  spec.missing = "error";
  EXPECT_THAT(
      complaint([&] { load_rows(folder.write("d.csv", "x\n1\nNA\n"), train(spec, TargetKind::real).layout, {}); }),
      HasSubstr("row 3, column x: found no value"));
}

TEST(RowLayout, MergedLabelsStayMerged) {
  const Folder folder;
  DataSpec spec = source(folder.write("a.csv", "x,grade\n1,0\n2,1\n3,2\n4,10\n5,0\n6,2\n"), "grade");
  spec.positive = {"2", "10"};
  const Trained t = train(spec, TargetKind::binary);
  EXPECT_EQ(t.layout.classes, (std::vector<std::string>{"0|1", "2|10"}));
  const RowLayout layout = parse_layout(to_json(t.layout), "");
  const Table rows = load_rows(folder.write("b.csv", "x,grade\n1,10\n2,1\n"), layout, {true});
  EXPECT_EQ(rows.y[0], 1);
  EXPECT_EQ(rows.y[1], 0);
  EXPECT_THAT(complaint([&] { load_rows(folder.write("c.csv", "x,grade\n1,7\n"), layout, {true}); }),
              HasSubstr("found \"7\", accepted: 0, 1, 2, 10"));
}

TEST(RowLayout, OfImagesSparseRowsAndCifar) {
  const Folder folder;
  const std::string images = folder.write("train-images-idx3-ubyte", idx_bytes(8, {3, 1, 2}, "abcdef"));
  folder.write("train-labels-idx1-ubyte", idx_bytes(8, {3}, std::string{3, 7, 3}));
  const Trained idx = train(source(images), TargetKind::classes);
  EXPECT_EQ(idx.layout.format, "idx");
  EXPECT_EQ(idx.layout.width, 2);
  EXPECT_EQ(parse_layout(to_json(idx.layout), ""), idx.layout);
  expect_same_rows(load_rows(images, idx.layout, {true}), idx.data.train);
  EXPECT_TRUE(load_rows(folder.write("new-idx3", idx_bytes(8, {1, 1, 2}, "xy")), idx.layout, {}).y.empty());
  EXPECT_THAT(complaint([&] {
                load_rows(folder.write("wide-idx3", idx_bytes(8, {1, 1, 3}, "xyz")), idx.layout, {});
              }),
              HasSubstr("found 3 numbers per row, accepted: 2"));
  // A label file whose column has another name is encoded by the labels of the run.
  LaterRows other{true, folder.write("qmnist-labels", idx_bytes(8, {1, 2}, std::string{7, 0}))};
  EXPECT_EQ(load_rows(folder.write("one-idx3", idx_bytes(8, {1, 1, 2}, "xy")), idx.layout, other).y[0], 1);
  // The same numbers are given by name.
  const Table named = load_rows(folder.write("new.csv", "pixel2,pixel1\n0.4,0.38\n"), idx.layout, {});
  EXPECT_EQ(named.columns, idx.data.train.columns);

  const std::string sparse = folder.write("a.libsvm", "1 1:0.5 4:2\n-1 2:1\n1 1:3 2:4\n");
  const Trained libsvm = train(source(sparse), TargetKind::binary);
  EXPECT_EQ(libsvm.layout.width, 4);
  EXPECT_EQ(libsvm.layout.dropped, std::vector<std::int64_t>{2});  // no row has x3
  expect_same_rows(load_rows(sparse, parse_layout(to_json(libsvm.layout), ""), {true}), libsvm.data.train);
  EXPECT_EQ(load_rows(folder.write("short.libsvm", "1 1:0.5\n"), libsvm.layout, {}).columns, libsvm.data.train.columns);
}

TEST(RowLayout, OfAStoreIsThatOfItsRows) {
  const Folder folder;
  DataSpec spec = source(folder.write("a.csv", kPeople), "ill");
  spec.clients = 1;
  spec.test_fraction = 0;
  convert_to_store({spec, TargetKind::binary, 1, "", "[data]\n"}, folder.path("a.pollen"));
  const DataSpec stored = source(folder.path("a.pollen"));
  const RowLayout layout = layout_of(load_federation(stored, TargetKind::binary, 1, ""), stored, TargetKind::binary);
  EXPECT_EQ(layout, train(spec, TargetKind::binary).layout);
}

TEST(RowLayout, OfClientsWithFilesOfTheirOwn) {
  const Folder folder;
  DataSpec spec = source(folder.write("a.csv", kPeople), "ill");
  const ColumnFacts facts = column_facts(spec.sources[0], spec, TargetKind::binary);
  const Trained t = train(spec, TargetKind::binary);
  const ColumnScaling& scaling = t.data.scaling;
  EXPECT_EQ(layout_of(facts, scaling, spec, TargetKind::binary), t.layout);
}

class WrongRows : public ::testing::Test {
 protected:
  std::string wrong(const std::string& text, bool with_target = false) const {
    return complaint([&] { load_rows(folder_.write("new.csv", text), trained_.layout, {with_target}); });
  }
  Folder folder_;
  Trained trained_ = train(source(folder_.write("a.csv", kPeople), "ill"), TargetKind::binary);
};

TEST_F(WrongRows, ColumnsMissingAndUnknownAreNamedWithTheNearest) {
  const std::string text = wrong("age,twon,smoker,id\n1,rome,yes,7\n");
  EXPECT_THAT(text,
              HasSubstr("new.csv: found no column \"town\", which the run was trained with; the file's \"twon\""));
  EXPECT_THAT(text, HasSubstr("found no column \"smokes\""));
  EXPECT_THAT(text, HasSubstr("accepted: the columns age, town, smokes; the file's others are twon, smoker, id"));
  EXPECT_THAT(wrong("age,town,smokes\n1,rome,yes\n", true), HasSubstr("found no column \"ill\""));
}

TEST_F(WrongRows, LevelsAndLabelsThatAreNew) {
  EXPECT_THAT(
      wrong("age,town,smokes\n1,rome,yes\n2,romee,no\n"),
      HasSubstr("new.csv: row 3, column town: found \"romee\", accepted: oslo, paris, rome; did you mean \"rome\""));
  EXPECT_THAT(wrong("age,town,smokes,ill\n1,rome,yes,perhaps\n", true),
              HasSubstr("row 2, column ill: found \"perhaps\", accepted: no, yes"));
}

TEST_F(WrongRows, CellsAndFiles) {
  EXPECT_THAT(wrong("age,town,smokes\n1,rome,yes\nold,rome,no\n"),
              HasSubstr("row 3, column age: found \"old\", accepted: a number"));
  EXPECT_THAT(wrong("age,town,smokes\n1,,yes\n"), HasSubstr("row 2, column town: found no value"));
  EXPECT_THAT(wrong("age,town,smokes\n1,rome\n"), HasSubstr("row 2: found 2 fields, accepted: 3"));
  EXPECT_THAT(wrong(""), HasSubstr("new.csv: found an empty file"));
  EXPECT_THAT(wrong("age,town,smokes\n"), HasSubstr("found a header and no rows"));
  EXPECT_THAT(complaint([&] { load_rows(folder_.path("none.csv"), trained_.layout, {}); }),
              HasSubstr("none.csv: found no such file"));
}

TEST(HostileLayout, EveryCutAndEveryWrongFieldIsRefused) {
  const Folder folder;
  const std::string json = to_json(train(source(folder.write("a.csv", kPeople), "ill"), TargetKind::binary).layout);
  const std::string whole = json.substr(0, json.find_last_of('}') + 1);
  for (std::size_t n = 0; n < whole.size(); ++n)
    EXPECT_NE(complaint([&] { parse_layout(whole.substr(0, n), "e.json"); }), "") << n;
  const auto refused = [&](const std::string& from, const std::string& to) {
    const std::string bad = replaced(whole, from, to);
    EXPECT_NE(bad, whole) << from;
    EXPECT_THAT(complaint([&] { parse_layout(bad, "e.json"); }), HasSubstr("e.json")) << to;
  };
  refused("\"version\": 2", "\"version\": 3");
  refused("\"version\": 2", "\"version\": \"1\"");
  refused("\"format\": \"csv\"", "\"format\": \"xls\"");
  refused("\"header\": true", "\"header\": 1");
  refused("\"kind\": \"binary\"", "\"kind\": \"real\"");
  refused("\"name\": \"ill\"", "\"name\": \"age\"");
  refused("\"name\": \"town\"", "\"name\": \"age\"");
  refused("\"kind\": \"number\"", "\"kind\": \"text\"");
  refused("\"oslo\"", "\"rome\"");
  refused("\"oslo\"", "3");
  refused("\"oslo\"", "{\"hex\": \"0g\"}");
  refused("\"dropped\": []", "\"dropped\": [4]");
  refused("\"dropped\": []", "\"dropped\": [-1]");
  refused("\"dropped\": []", "\"dropped\": [1, 1]");
  refused("\"dropped\": []", "\"dropped\": [\"x\"]");
  refused("\"width\": 0", "\"width\": 3");
  refused("\"width\": 0", "\"width\": -1");
  refused("\"width\": 0", "\"width\": 1e300");
  refused("\"mean\": [", "\"mean\": [1,");
  refused("\"sd\": [", "\"sd\": [null,");
  refused("\"sd\"", "\"sc\"");
}

TEST(HostileLayout, AScaleOfZeroIsRefused) {
  RowLayout layout;
  layout.columns = {{"x"}};
  layout.mean = {0};
  layout.sd = {0};
  EXPECT_THAT(complaint([&] { parse_layout(to_json(layout), "e.json"); }), HasSubstr("e.json: sd"));
}

}  // namespace
}  // namespace pollen
