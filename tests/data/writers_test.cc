// Tests by-writer: images whose writers are in a separate file, and clients that are too small.
#include <gmock/gmock.h>

#include "files.h"

namespace pollen {
namespace {

using testing::big_endian;
using testing::complaint;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::idx_bytes;

std::string words(const std::vector<std::uint32_t>& values) {
  std::string bytes;
  for (const std::uint32_t value : values) bytes += big_endian(value);
  return bytes;
}

class Writers : public ::testing::Test {
 protected:
  Writers() {
    spec_ = testing::plain(folder_.write("t-images-idx3-ubyte", idx_bytes(8, {6, 1, 2}, "abcdefghijkl")));
    folder_.write("t-labels-idx1-ubyte", idx_bytes(8, {6}, {0, 1, 0, 1, 0, 1}));
    spec_.partition = "by-writer";
    spec_.writers = folder_.write(
        "writers", idx_bytes(12, {6, 3}, words({0, 4, 70, 1, 4, 9, 0, 4, 70, 1, 4, 70, 0, 4, 11, 1, 4, 9})));
  }
  Federation load() const { return load_federation(spec_, TargetKind::binary, 1, "e.toml"); }
  std::string says() const {
    return complaint([&] { load(); });
  }
  testing::Folder folder_;
  DataSpec spec_;
};

TEST_F(Writers, AClientAWriterByNumber) {
  const Federation federation = load();
  EXPECT_THAT(federation.client_names.list(), ElementsAre("writer 9", "writer 11", "writer 70"));
  EXPECT_THAT(federation.train_begin, ElementsAre(0, 2, 3, 6));
  EXPECT_THAT(federation.train.y, ElementsAre(1, 1, 0, 0, 0, 1));
  EXPECT_EQ(federation.feature_names.size(), 2u);
  EXPECT_TRUE(federation.notes.empty());
}

TEST_F(Writers, OneColumnIsTheWriter) {
  spec_.writers = folder_.write("one", idx_bytes(12, {6}, words({5, 5, 5, 8, 8, 8})));
  EXPECT_THAT(load().client_names.list(), ElementsAre("writer 5", "writer 8"));
}

TEST_F(Writers, TheFirstOnesOfThoseWithRowsEnough) {
  spec_.least_rows = 2;
  EXPECT_THAT(load().client_names.list(), ElementsAre("writer 9", "writer 70"));
  EXPECT_THAT(load().notes, ElementsAre("partition: 1 of 6 rows are left out, with their clients"));
  spec_.clients = 1;
  EXPECT_THAT(load().client_names.list(), ElementsAre("writer 9"));
  spec_.clients = 100;
  EXPECT_EQ(load().clients(), 2);
  spec_.least_rows = 4;
  EXPECT_EQ(says(), "e.toml: data.least_rows: found 4, accepted: at most the 3 rows of the largest client");
}

TEST_F(Writers, ALimitTakesTheFirstRowsOfBothFiles) {
  spec_.limit = 2;
  EXPECT_THAT(load().client_names.list(), ElementsAre("writer 9", "writer 70"));
}

TEST_F(Writers, WhatIsWrongIsSaid) {
  const std::string images = spec_.sources[0];
  spec_.writers = folder_.write("few", idx_bytes(12, {2}, words({1, 2})));
  EXPECT_EQ(says(), spec_.writers + ": found 2 writers, accepted: one for each of the 6 rows of " + images);
  spec_.writers = folder_.write("narrow", idx_bytes(12, {6, 2}, words(std::vector<std::uint32_t>(12))));
  EXPECT_THAT(says(), HasSubstr("narrow: found sizes 6x2, accepted: one writer per row, or QMNIST's columns"));
  spec_.writers.clear();
  EXPECT_THAT(says(), HasSubstr("e.toml: data.writers: found none, accepted: the file of the writers"));
  spec_.writers = images;
  spec_.sources = {folder_.write("a.csv", "x,y\n1,0\n2,1\n")};
  EXPECT_EQ(says(), "e.toml: data.partition: found \"by-writer\" for a csv file, accepted: with idx images");
  spec_.sources = {"titanic"};
  EXPECT_EQ(says(), "e.toml: data.partition: found \"by-writer\" for titanic, accepted: with idx images");
}

TEST(LeastRows, LeavesOutClientsOfByColumnToo) {
  const testing::Folder folder;
  DataSpec spec = testing::plain(folder.write("a.csv", "site,x,y\n1,1,0\n2,2,0\n2,3,0\n"));
  spec.partition = "by-column";
  spec.column = "site";
  spec.least_rows = 2;
  EXPECT_THAT(load_federation(spec, TargetKind::real, 1, "").client_names.list(), ElementsAre("2"));
}

}  // namespace
}  // namespace pollen
