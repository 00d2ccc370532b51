// Good files damaged in many ways: readers return or throw ConfigError, and nothing else happens.
#include "data/readers.h"
#include "files.h"
#include "pollen/random.h"

namespace pollen::data {
namespace {

using testing::big_endian;
using testing::gzipped;
using testing::idx_bytes;

std::string bent(std::string bytes, std::uint64_t seed) {
  static const std::string kTricky("\",\n\r:;#?\0\xFF\x1f\x8b-+e.19 \t", 20);
  Sequence random(make_stream(seed, 0, Purpose::synthetic));
  const std::uint64_t edits = 1 + random.below(6);
  for (std::uint64_t k = 0; k < edits && !bytes.empty(); ++k) {
    const auto at = static_cast<std::size_t>(random.below(bytes.size()));
    switch (random.below(4)) {
      case 0:
        bytes[at] = static_cast<char>(random.below(256));
        break;
      case 1:
        bytes[at] = kTricky[static_cast<std::size_t>(random.below(kTricky.size()))];
        break;
      case 2:
        bytes.erase(at, static_cast<std::size_t>(1 + random.below(8)));
        break;
      default:
        bytes.insert(at, 1, kTricky[static_cast<std::size_t>(random.below(kTricky.size()))]);
    }
  }
  return bytes;
}

template <class Read>
void survive(const std::string& good, const Read& read) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    try {
      read(bent(good, seed));
    } catch (const ConfigError&) {
    }
  }
}

TEST(Hostile, Csv) {
  survive("\xEF\xBB\xBF\"a b\",c,d\r\n1,\"x \"\"y\"\"\",2\n3,z,-4e5\n", [](const std::string& bytes) {
    const RawTable table = parse_csv(bytes, {}, "f");
    for (const Column& column : table.columns) ASSERT_EQ(column.code.size(), table.rows.size());
  });
}

TEST(Hostile, Libsvm) {
  survive("+1 1:0.5 3:-2 # c\n-1\n1 2:1e2 900000:3\n", [](const std::string& bytes) {
    const RawTable table = parse_libsvm(bytes, 0, "f");
    ASSERT_EQ(table.columns[0].code.size(), table.rows.size());
  });
}

TEST(Hostile, Idx) {
  survive(idx_bytes(8, {3, 2, 2}, "abcdefghijkl"), [](const std::string& bytes) {
    parse_idx({bytes, "f"}, {idx_bytes(8, {3}, "abc"), "l"}, 0);
  });
  survive(idx_bytes(12, {2, 2}, big_endian(1) + big_endian(2) + big_endian(3) + big_endian(4)),
          [](const std::string& bytes) {
            parse_idx({idx_bytes(8, {2, 1}, "ab"), "f"}, {bytes, "l"}, 0);
          });
}

TEST(Hostile, Gzip) {
  survive(gzipped("some text, some text, some text") + gzipped("more"),
          [](const std::string& bytes) { gunzip(bytes, "f", 1 << 20); });
}

// The file holds ten megabytes of zeros in ten kilobytes.
TEST(Hostile, GzipBombStopsAtTheBound) {
  const std::string bomb = gzipped(std::string(10'000'000, '\0'));
  EXPECT_LT(bomb.size(), 100'000u);
  EXPECT_THROW(gunzip(bomb, "f", 1'000'000), ConfigError);
}

// The file asks for a table of terabytes in a few bytes.
TEST(Hostile, WideSparseRowsAreRefusedBeforeMemoryIsTaken) {
  const testing::Folder folder;
  std::string text;
  for (int r = 0; r < 2000; ++r) text += r % 2 == 0 ? "1 1000000:1\n" : "0 1:1\n";
  const std::string path = folder.write("a.svm", text);
  EXPECT_EQ(testing::complaint([&] { load_federation(testing::plain(path), TargetKind::binary, 1, ""); }),
            path +
                ": found 2000 rows of 1000000 features, accepted: at most 1073741824 numbers in all (data.limit takes "
                "the first rows only)");
}

}  // namespace
}  // namespace pollen::data
