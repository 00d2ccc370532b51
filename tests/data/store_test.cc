// A store returns what was converted, in place in the file. A conversion that fails leaves nothing.
#include "data/store.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <csignal>

#include "files.h"

namespace pollen {
namespace {

using testing::complaint;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::idx_bytes;

void expect_same(const Table& a, const Table& b) {
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.columns, b.columns);
  EXPECT_EQ(a.stride, b.stride);
  EXPECT_EQ(a.x, b.x);
  EXPECT_EQ(a.y, b.y);
}

void expect_same(const Federation& a, const Federation& b) {
  expect_same(a.train, b.train);
  expect_same(a.test, b.test);
  expect_same(a.ood, b.ood);
  expect_same(a.distill, b.distill);
  EXPECT_EQ(a.train_begin, b.train_begin);
  EXPECT_EQ(a.test_begin, b.test_begin);
  EXPECT_EQ(a.client_names, b.client_names);
  EXPECT_EQ(a.feature_names, b.feature_names);
  EXPECT_EQ(a.intercept, b.intercept);
  EXPECT_EQ(a.class_names, b.class_names);
  EXPECT_EQ(a.setup_bits, b.setup_bits);
  EXPECT_EQ(a.level_bits, b.level_bits);
  EXPECT_EQ(a.notes, b.notes);
  EXPECT_EQ(a.layout.columns, b.layout.columns);
  EXPECT_EQ(a.layout.levels, b.layout.levels);
  EXPECT_EQ(a.layout.target, b.layout.target);
  EXPECT_EQ(a.scaling.mean, b.scaling.mean);
  EXPECT_EQ(a.scaling.sd, b.scaling.sd);
}

class Store : public ::testing::Test {
 protected:
  Store() {
    std::string rows = "site,x,colour,z,y\n";
    for (int r = 0; r < 40; ++r)
      rows += fmt::format("{},{},{},{},{}\n", r % 3 == 0 ? "north" : "south", 0.37 * r * r - 5 * r,
                          r % 4 == 0 ? "red" : "blue", r % 7 == 0 ? "" : fmt::format("{}", 1.0 / (r + 1)),
                          r % 2 == 0 ? "no" : "yes");
    spec_.sources = {folder_.write("a.csv", rows)};
    spec_.missing = "mean";
  }
  std::string convert(TargetKind target, std::uint64_t seed = 3) const {
    const std::string file = folder_.path("a.pollen");
    convert_to_store({spec_, target, seed, "e.toml", "[data]\n"}, file);
    return file;
  }
  DataSpec stored() const {
    DataSpec spec;
    spec.sources = {folder_.path("a.pollen")};
    return spec;
  }
  void round_trip(TargetKind target) const {
    convert(target);
    const Federation mapped = load_federation(stored(), target, 99, "");
    expect_same(load_federation(spec_, target, 3, ""), mapped);
    EXPECT_TRUE(mapped.train.x.is_mapped());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(mapped.train.x.data()) % 64, 0u);
    check_store(stored().sources.front());
  }
  testing::Folder folder_;
  DataSpec spec_;
};

TEST_F(Store, KeepsACsvFileByColumn) {
  spec_.partition = "by-column";
  spec_.column = "site";
  round_trip(TargetKind::binary);
}

TEST_F(Store, KeepsACsvFileDrawn) {
  spec_.clients = 5;
  round_trip(TargetKind::classes);
  spec_.partition = "dirichlet";
  spec_.test_fraction = 0.5;
  round_trip(TargetKind::binary);
}

TEST_F(Store, KeepsNumbersAndCountsAndNoTargetAtAll) {
  spec_.sources = {folder_.write("b.csv", "x,y\n1,3\n2.5,0\n-3,7\n4,1\n8,2\n9,2\n")};
  spec_.clients = 2;
  for (const TargetKind target : {TargetKind::real, TargetKind::count, TargetKind::none}) round_trip(target);
  spec_.standardize = false, spec_.intercept = false, spec_.test_fraction = 0.0;
  round_trip(TargetKind::real);
}

TEST_F(Store, KeepsSyntheticSets) {
  spec_ = {};
  spec_.dimension = 5, spec_.max_size = 30, spec_.clients = 20;
  spec_.sources = {"synthetic-logistic"};
  round_trip(TargetKind::binary);
  EXPECT_EQ(store_facts(stored().sources.front()).clients, 20);
  spec_.sources = {"synthetic-gaussian"};
  round_trip(TargetKind::none);
  spec_.sources = {"synthetic-mixed"};
  round_trip(TargetKind::real);
}

TEST_F(Store, KeepsImagesWithRowsFromOtherFiles) {
  const auto images = [&](const std::string& name, unsigned rows) {
    std::string pixels, labels;
    for (unsigned r = 0; r < rows; ++r)
      (labels += static_cast<char>(r % 3)), pixels += std::string{static_cast<char>(r), static_cast<char>(2 * r), 9, 7};
    folder_.write(name + "-labels-idx1-ubyte", idx_bytes(8, {rows}, labels));
    return folder_.write(name + "-images-idx3-ubyte", idx_bytes(8, {rows, 2, 2}, pixels));
  };
  spec_ = {};
  spec_.clients = 4;
  spec_.sources = {images("train", 60)};
  spec_.test_source = images("t10k", 9);
  spec_.ood_source = images("odd", 5);
  spec_.distill_source = images("more", 7);
  round_trip(TargetKind::classes);
}

TEST_F(Store, SaysWhatItIs) {
  spec_.clients = 5;
  convert(TargetKind::binary, 8);
  const StoreFacts facts = store_facts(stored().sources.front());
  EXPECT_EQ(facts.target, TargetKind::binary);
  EXPECT_EQ(facts.seed, 8u);
  EXPECT_EQ(facts.clients, 5);
  EXPECT_EQ(facts.train_rows + facts.test_rows, 40);
  EXPECT_EQ(facts.keys, "[data]\n");
  EXPECT_EQ(facts.bytes, static_cast<std::int64_t>(std::filesystem::file_size(stored().sources.front())));
}

TEST_F(Store, IsForModelsThatWantItsTarget) {
  convert(TargetKind::classes);
  EXPECT_NO_THROW(load_federation(stored(), TargetKind::binary, 1, ""));  // two labels suit a binary model
  EXPECT_THAT(complaint([&] { load_federation(stored(), TargetKind::real, 1, ""); }),
              HasSubstr("found rows with classes (no, yes), accepted: numbers as target"));
}

TEST_F(Store, OfAnyNameWithTheFormatSaid) {
  const std::string file = convert(TargetKind::binary);
  std::filesystem::rename(file, folder_.path("a.store"));
  DataSpec spec;
  spec.sources = {folder_.path("a.store")};
  EXPECT_THAT(complaint([&] { load_federation(spec, TargetKind::binary, 1, ""); }), HasSubstr("does not tell"));
  spec.format = "pollen";
  EXPECT_EQ(load_federation(spec, TargetKind::binary, 1, "").clients(), 10);
}

TEST_F(Store, ReplacesAStoreAndNothingElse) {
  const std::string file = convert(TargetKind::binary);
  spec_.clients = 3;
  convert(TargetKind::binary);
  EXPECT_EQ(store_facts(file).clients, 3);
  folder_.write("a.pollen", "my notes");
  EXPECT_THAT(complaint([&] { convert(TargetKind::binary); }), HasSubstr("found a file that is not a store"));
}

TEST_F(Store, NothingIsLeftOfAConversionThatFails) {
  spec_.target = "nobody";
  EXPECT_NE(complaint([&] { convert(TargetKind::binary); }), "");
  const auto files = std::filesystem::directory_iterator(folder_.path("."));
  for (const auto& entry : files) EXPECT_EQ(entry.path().filename(), "a.csv");
}

TEST_F(Store, ADiskThatIsFullIsAnErrorAndNoSignal) {
  spec_ = {};
  spec_.sources = {"synthetic-logistic"};
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{100'000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_THROW(convert(TargetKind::binary), IoError);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_FALSE(std::filesystem::exists(folder_.path("a.pollen")));
  EXPECT_FALSE(std::filesystem::exists(folder_.path("a.pollen.tmp")));
}

TEST_F(Store, IsNoFileOfOneClient) {
  convert(TargetKind::binary);
  spec_.test_source = stored().sources.front();
  EXPECT_THAT(complaint([&] { load_federation(spec_, TargetKind::binary, 1, ""); }), HasSubstr("found a store"));
  EXPECT_THAT(complaint([&] {
                convert_to_store({stored(), TargetKind::binary, 1, "", ""}, folder_.path("b.pollen"));
              }),
              HasSubstr("found a store"));
}

}  // namespace
}  // namespace pollen
