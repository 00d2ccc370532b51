#include "data/readers.h"

#include <gmock/gmock.h>

#include "files.h"

namespace pollen::data {
namespace {

using testing::big_endian;
using testing::complaint;
using ::testing::ElementsAre;
using testing::gzipped;
using testing::idx_bytes;

std::vector<double> row(const RawTable& table, std::size_t r) {
  std::vector<double> out(static_cast<std::size_t>(table.width));
  table.blocks[table.rows[r].source].write(table.rows[r].local, out.data());
  return out;
}

TEST(Libsvm, LabelsPositionsCommentsAndBlankLines) {
  const RawTable table = parse_libsvm("+1 1:0.5 3:-2 # a comment\n\n-1\n1 2:1e2\r\n", 0, "a.svm");
  EXPECT_EQ(table.width, 3);
  EXPECT_THAT(table.columns[0].number, ElementsAre(1.0, -1.0, 1.0));
  EXPECT_THAT(row(table, 0), ElementsAre(0.5, 0.0, -2.0));
  EXPECT_THAT(row(table, 1), ElementsAre(0.0, 0.0, 0.0));
  EXPECT_THAT(row(table, 2), ElementsAre(0.0, 100.0, 0.0));
  EXPECT_EQ(table.where(2, "label"), "a.svm: row 4, column label");
}

TEST(Libsvm, FilesOfDifferentWidthsJoin) {
  RawTable table = parse_libsvm("1 1:1\n", 0, "a.svm");
  append(table, parse_libsvm("0 3:1\n", 0, "b.svm"));
  EXPECT_EQ(table.width, 3);
  EXPECT_THAT(row(table, 0), ElementsAre(1.0, 0.0, 0.0));
  EXPECT_THAT(row(table, 1), ElementsAre(0.0, 0.0, 1.0));
}

TEST(Idx, ImagesAreScaledAndLabelsAligned) {
  const std::string images = idx_bytes(8, {2, 1, 2}, std::string("\x00\xFF\x33\x66", 4));
  const RawTable table = parse_idx({images, "i"}, {idx_bytes(8, {2}, "\x07\x01"), "l"}, 0);
  EXPECT_EQ(table.width, 2);
  EXPECT_THAT(row(table, 0), ElementsAre(0.0, 1.0));
  EXPECT_THAT(row(table, 1), ElementsAre(0.2, 0.4));
  EXPECT_THAT(table.columns[0].number, ElementsAre(7.0, 1.0));
}

TEST(Idx, TwoDimensionalIntegerLabelsAreSeveralColumns) {
  const std::string labels = idx_bytes(
      12, {2, 3},
      big_endian(5) + big_endian(4) + big_endian(2154) + big_endian(0xFFFFFFFF) + big_endian(0) + big_endian(9));
  const RawTable table = parse_idx({idx_bytes(8, {2, 1}, "ab"), "i"}, {labels, "l"}, 0);
  EXPECT_THAT(table.column_names(), ElementsAre("label1", "label2", "label3"));
  EXPECT_THAT(table.columns[0].number, ElementsAre(5.0, -1.0));
  EXPECT_THAT(table.columns[2].number, ElementsAre(2154.0, 9.0));
}

TEST(Idx, IntegerFeaturesAreNotScaled) {
  const RawTable table = parse_idx({idx_bytes(12, {1, 2}, big_endian(300) + big_endian(0xFFFFFFFE)), "i"},
                                   {idx_bytes(8, {1}, "x"), "l"}, 0);
  EXPECT_THAT(row(table, 0), ElementsAre(300.0, -2.0));
}

TEST(Cifar, RecordsOfALabelAndPixels) {
  std::string bytes(2 * 3073, '\0');
  bytes[0] = 9;
  bytes[1] = '\xFF';
  bytes[3073 + 3072] = '\x33';
  const RawTable table = parse_cifar(bytes, 0, "c.bin");
  EXPECT_EQ(table.width, 3072);
  EXPECT_THAT(table.columns[0].number, ElementsAre(9.0, 0.0));
  EXPECT_EQ(row(table, 0)[0], 1.0);
  EXPECT_EQ(row(table, 1)[3071], 0.2);
  EXPECT_EQ(parse_cifar(bytes, 1, "c.bin").rows.size(), 1u);
}

TEST(Gzip, MembersOneAfterAnotherAndPlainBytes) {
  EXPECT_EQ(gunzip(gzipped("first ") + gzipped("second"), "f"), "first second");
  EXPECT_EQ(gunzip(gzipped("padded") + std::string(512, '\0'), "f"), "padded");
  EXPECT_EQ(gunzip("plain", "f"), "plain");
  EXPECT_EQ(gunzip(gzipped(""), "f"), "");
  const std::string large(3'000'000, 'z');
  EXPECT_EQ(gunzip(gzipped(large), "f"), large);
}

TEST(Gzip, FaultsNameTheFile) {
  const std::string good = gzipped(std::string(100'000, 'q') + "tail");
  EXPECT_EQ(complaint([&] { gunzip(good.substr(0, good.size() / 2), "d.gz"); }),
            "d.gz: found gzip data that end too early, accepted: a whole gzip file");
  EXPECT_EQ(complaint([&] { gunzip(good.substr(0, 5), "d.gz"); }),
            "d.gz: found gzip data that end too early, accepted: a whole gzip file");
  EXPECT_EQ(complaint([&] { gunzip(good + "junk", "d.gz"); }),
            "d.gz: found other bytes after the gzip data, accepted: gzip data alone");
  std::string bent = good;
  bent[bent.size() - 6] = static_cast<char>(bent[bent.size() - 6] ^ 0x55);  // damages the checksum
  EXPECT_EQ(complaint([&] { gunzip(bent, "d.gz"); }),
            "d.gz: found gzip data that are corrupt, accepted: a whole gzip file");
  EXPECT_EQ(complaint([&] { gunzip("\x1f\x8bgarbage, not a header", "d.gz"); }),
            "d.gz: found gzip data that are corrupt, accepted: a whole gzip file");
  EXPECT_EQ(complaint([&] { gunzip(good, "d.gz", 1000); }),
            "d.gz: found more than 1000 bytes when decompressed, accepted: at most so many");
}

}  // namespace
}  // namespace pollen::data
