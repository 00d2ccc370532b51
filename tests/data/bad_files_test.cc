// Wrong files, each with the exact message a user sees.
#include <ostream>

#include "files.h"

namespace pollen {
namespace {

using testing::big_endian;
using testing::complaint;
using testing::Folder;
using testing::gzipped;
using testing::idx_bytes;
using testing::plain;
using testing::replaced;

struct BadFile {
  std::string name;
  std::string bytes;
  TargetKind target;
  std::string says;  // the first line of the message after the file's path
};

void PrintTo(const BadFile& bad, std::ostream* out) { *out << bad.name << " → " << bad.says; }

class BadFiles : public ::testing::TestWithParam<BadFile> {};

TEST_P(BadFiles, SayFileRowFoundAndAccepted) {
  const Folder folder;
  const std::string path = folder.write(GetParam().name, GetParam().bytes);
  DataSpec spec = plain(path);
  if (GetParam().name.find("images-idx3") != std::string::npos)
    folder.write(replaced(GetParam().name, "images-idx3", "labels-idx1"), idx_bytes(8, {2}, std::string("\0\1", 2)));
  const std::string says = complaint([&] { load_federation(spec, GetParam().target, 1, "e.toml"); });
  EXPECT_EQ(says.substr(0, says.find('\n')), path + ": " + GetParam().says);
}

constexpr auto kReal = TargetKind::real;
constexpr auto kBinary = TargetKind::binary;

BadFile csv(const std::string& bytes, const std::string& says) { return {"a.csv", bytes, kReal, says}; }
BadFile svm(const std::string& bytes, const std::string& says) { return {"a.svm", bytes, kReal, says}; }
BadFile idx(const std::string& bytes, const std::string& says) { return {"a-images-idx3", bytes, kBinary, says}; }

INSTANTIATE_TEST_SUITE_P(
    Csv, BadFiles,
    ::testing::Values(
        csv("", "found an empty file, accepted: a file with rows"),
        csv("\n\n", "found an empty file, accepted: a file with rows"),
        csv("x,y\n", "found a header and no rows, accepted: at least one row"),
        csv("x,y\n1,2\n1,2,3\n", "row 3: found 3 fields, accepted: 2"),
        csv("x,y\n1\n", "row 2: found 1 fields, accepted: 2"),
        csv("x,,z\n1,2,3\n",
            "row 1: found no name for column 2, accepted: a name for each column, or data.exclude = [\"\"] to leave it "
            "out, if it has the row names of R or the index of pandas"),
        csv("x,x,z\n1,2,3\n", "row 1: found the column \"x\" twice, accepted: different names"),
        csv("1,2\n3,4\n",
            "row 1: found numbers where the column names should be, accepted: a header row, or data.header = false"),
        csv("x,y\n1,2\n\"3,4\n",
            "row 3: found a quote that is opened and never closed, accepted: quotes around the whole field"),
        csv("x,y\n\"1\"b,2\n",
            "row 2: found \"b\" after a closing quote, accepted: a separator or the end of the line"),
        csv("x,y\n5\" pipe,2\n",
            "row 2: found a quote inside a field, accepted: quotes around the whole field, doubled inside"),
        csv(std::string("x,y\n1,\0\n", 8), "found binary data (a zero byte), accepted: csv text"),
        csv("\xFF\xFEx,y\n", "found UTF-16 text, accepted: UTF-8"),
        csv("x,y\n1,2\nabc,2\n",
            "row 3, column x: found \"abc\", accepted: a number, or the column in data.categorical if it is text, or "
            "in data.exclude"),
        csv("x,y\na,2\nb,2\n7.50,1\n",
            "row 4, column x: found the number 7.5 in a column of text, accepted: text, or the column in "
            "data.categorical"),
        csv("x,y\n1,2\ninf,2\n", "row 3, column x: found \"inf\", accepted: a finite number"),
        csv("x,y\n1,2\n1e999,2\n", "row 3, column x: found \"1e999\", accepted: a finite number"),
        csv("x,y\n1,2\n,2\n?,3\n",
            "row 3, column x: found no value (2 such cells), accepted: a value, or data.missing = \"drop\" or "
            "\"mean\""),
        csv("x,y\n1,NA\n1,2\n",
            "row 2, column y: found no value, accepted: a value, or data.missing = \"drop\" or \"mean\""),
        csv("x,y\n1,yes\n2,no\n", "row 2, column y: found \"yes\" in the target, accepted: a number"),
        BadFile{"a.csv", "x,y\n1,2\n2,-1\n", TargetKind::count,
                "row 3, column y: found the count -1, accepted: 0, 1, 2, ..."},
        BadFile{"a.csv", "x,y\n1,2.5\n2,1\n", TargetKind::count,
                "row 2, column y: found the count 2.5, accepted: 0, 1, 2, ..."},
        BadFile{"a.csv", "x,y\n1,0\n2,0.5\n", TargetKind::classes,
                "row 3, column y: found the label 0.5, accepted: whole numbers or text"},
        BadFile{"a.csv", "x,y\n1,a\n2,b\n3,c\n", kBinary,
                "column y: found 3 labels (a, b, c), accepted: exactly 2 for this model, or data.positive with those "
                "that count as 1"},
        BadFile{"a.csv", "x,y\n1,a\n2,a\n", TargetKind::classes, "column y: found one label (a), accepted: at least 2"},
        csv("y\n1\n2\n", "found no features, accepted: at least one column besides the target"),
        BadFile{"a.csv.gz", gzipped("x,y\n1,2\n1\n"), kReal, "row 3: found 1 fields, accepted: 2"},
        BadFile{"a.csv.gz", gzipped("x,y\n1,2\n").substr(0, 12), kReal,
                "found gzip data that end too early, accepted: a whole gzip file"}));

INSTANTIATE_TEST_SUITE_P(
    Libsvm, BadFiles,
    ::testing::Values(svm("1 1:1\nx 1:1\n", "row 2: found the label \"x\", accepted: a number"),
                      svm("1,2 1:1\n", "row 1: found the label \"1,2\", accepted: a number"),
                      svm("1 1\n", "row 1: found \"1\", accepted: position:value, such as 3:0.5"),
                      svm("1 0:1\n", "row 1: found the position \"0\", accepted: a whole number from 1 to 1000000"),
                      svm("1 99999999999999:1\n",
                          "row 1: found the position \"99999999999999\", accepted: a whole number from 1 to 1000000"),
                      svm("1 -3:1\n", "row 1: found the position \"-3\", accepted: a whole number from 1 to 1000000"),
                      svm("1 3:1 2:1\n", "row 1: found position 2 after 3, accepted: positions that rise"),
                      svm("1 3:nan\n", "row 1: found the value \"nan\" at position 3, accepted: a finite number"),
                      svm("# nothing\n", "found no rows, accepted: at least one row"),
                      svm(std::string("1 1:1\0", 6), "found binary data (a zero byte), accepted: libsvm text")));

INSTANTIATE_TEST_SUITE_P(
    Binary, BadFiles,
    ::testing::Values(
        idx("PK", "found no idx magic, accepted: two zero bytes, a type and the number of dimensions"),
        idx(idx_bytes(13, {2, 1}, "abcd"), "found idx type 0x0d, accepted: 0x08 (bytes) or 0x0c (32-bit integers)"),
        idx(idx_bytes(8, {}, ""),
            "found 0 dimensions in a file of 4 bytes, accepted: at least one, each with its size"),
        idx(std::string("\0\0\x08\xFFzz", 6),
            "found 255 dimensions in a file of 6 bytes, accepted: at least one, each with its size"),
        idx(idx_bytes(8, {2, 2}, "abc"), "found sizes 2x2 in a file of 15 bytes, accepted: sizes that fill the file"),
        idx(idx_bytes(8, {2, 1}, "abc"), "found sizes 2x1 in a file of 15 bytes, accepted: sizes that fill the file"),
        idx(idx_bytes(8, {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}, "abc"),
            "found sizes 4294967295x4294967295x4294967295 in a file of 19 bytes, accepted: sizes that fill the file"),
        idx(idx_bytes(8, {0, 5}, ""), "found sizes 0x5 in a file of 12 bytes, accepted: sizes that fill the file"),
        BadFile{"a.bin", std::string(3000, '\0'), kBinary,
                "found 3000 bytes, accepted: whole records of 3073 bytes (a label and 3072 pixels)"},
        BadFile{"a.bin", std::string(3073, '\x0C'), kBinary, "row 1: found the label 12, accepted: 0 to 9"}));

TEST(BadIdxLabels, MustMatchTheImages) {
  const Folder folder;
  const std::string images = folder.write("a-images-idx3-ubyte", idx_bytes(8, {3, 1}, "abc"));
  const std::string labels = folder.write("a-labels-idx1-ubyte", idx_bytes(8, {2}, "ab"));
  EXPECT_EQ(complaint([&] { load_federation(plain(images), kBinary, 1, ""); }),
            labels + ": found 2 labels, accepted: one for each of the 3 rows of " + images);
  folder.write("a-labels-idx1-ubyte", idx_bytes(8, {3, 1, 1}, "abc"));
  EXPECT_EQ(complaint([&] { load_federation(plain(images), kBinary, 1, ""); }),
            labels + ": found 3 dimensions, accepted: labels of one or two dimensions");
  std::filesystem::remove(labels);
  EXPECT_EQ(complaint([&] { load_federation(plain(images), kBinary, 1, ""); }),
            labels + ": cannot be read: No such file or directory");
}

TEST(BadPaths, DirectoryAndMissingFile) {
  const Folder folder;
  std::filesystem::create_directory(folder.path("d.csv"));
  EXPECT_EQ(complaint([&] { load_federation(plain(folder.path("d.csv")), kReal, 1, ""); }),
            folder.path("d.csv") + ": found a directory, accepted: a file");
  EXPECT_EQ(complaint([&] { load_federation(plain("/dev/zero"), kReal, 1, ""); }),
            "data.format: found none, and the name /dev/zero does not tell, accepted: csv, libsvm, idx, cifar, pollen");
  DataSpec spec = plain("/dev/zero");
  spec.format = "csv";
  EXPECT_EQ(complaint([&] { load_federation(spec, kReal, 1, ""); }),
            "/dev/zero: found no regular file, accepted: a regular file");
  EXPECT_EQ(complaint([&] { load_federation(plain("titanik"), kReal, 1, ""); }),
            "titanik: found no such file and no built-in data set, built-in: titanic, synthetic-gaussian, "
            "synthetic-logistic, synthetic-mixed; did you mean \"titanic\"?");
}

}  // namespace
}  // namespace pollen
