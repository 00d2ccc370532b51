// Wrong files, each with the exact message a user sees. FILE stands for the file's path.
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
  std::string says;  // the first line of the message
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
  EXPECT_EQ(replaced(says.substr(0, says.find('\n')), path, "FILE"), GetParam().says);
}

constexpr auto kReal = TargetKind::real;
constexpr auto kBinary = TargetKind::binary;

INSTANTIATE_TEST_SUITE_P(
    Csv, BadFiles,
    ::testing::Values(
        BadFile{"a.csv", "", kReal, "FILE: the file is empty"},  //
        BadFile{"a.csv", "\n\n", kReal, "FILE: the file is empty"},
        BadFile{"a.csv", "x,y\n", kReal, "FILE: found a header and no rows, accepted: at least one row"},
        BadFile{"a.csv", "x,y\n1,2\n1,2,3\n", kReal, "FILE: row 3: found 3 fields, accepted: 2"},
        BadFile{"a.csv", "x,y\n1\n", kReal, "FILE: row 2: found 1 fields, accepted: 2"},
        BadFile{"a.csv", "x,,z\n1,2,3\n", kReal, "FILE: row 1: column 2 has no name, accepted: a name for each column"},
        BadFile{"a.csv", "x,x,z\n1,2,3\n", kReal,
                "FILE: row 1: found the column \"x\" twice, accepted: different names"},
        BadFile{"a.csv", "1,2\n3,4\n", kReal,
                "FILE: row 1: found numbers where the column names should be, accepted: a header row, or data.header = "
                "false"},
        BadFile{"a.csv", "x,y\n1,2\n\"3,4\n", kReal, "FILE: row 3: a quote is opened and never closed"},
        BadFile{"a.csv", "x,y\n\"1\"b,2\n", kReal,
                "FILE: row 2: found \"b\" after a closing quote, accepted: a separator or the end of the line"},
        BadFile{"a.csv", "x,y\n5\" pipe,2\n", kReal,
                "FILE: row 2: found a quote inside a field, accepted: quotes around the whole field, doubled inside"},
        BadFile{"a.csv", std::string("x,y\n1,\0\n", 8), kReal,
                "FILE: found binary data (a zero byte), accepted: csv text"},
        BadFile{"a.csv", "\xFF\xFEx,y\n", kReal, "FILE: found UTF-16 text, accepted: UTF-8"},
        BadFile{"a.csv", "x,y\n1,2\nabc,2\n", kReal,
                "FILE: row 3, column x: found \"abc\", accepted: a number, or the column in data.categorical"},
        BadFile{"a.csv", "x,y\na,2\nb,2\n7.50,1\n", kReal,
                "FILE: row 4, column x: found the number 7.5 in a column of text, accepted: text, or the column in "
                "data.categorical"},
        BadFile{"a.csv", "x,y\n1,2\ninf,2\n", kReal, "FILE: row 3, column x: found \"inf\", accepted: a finite number"},
        BadFile{"a.csv", "x,y\n1,2\n1e999,2\n", kReal,
                "FILE: row 3, column x: found \"1e999\", accepted: a finite number"},
        BadFile{
            "a.csv", "x,y\n1,2\n,2\n?,3\n", kReal,
            "FILE: row 3, column x: found no value (2 such cells), accepted: a value, or data.missing = \"drop\" or "
            "\"mean\""},
        BadFile{"a.csv", "x,y\n1,NA\n1,2\n", kReal,
                "FILE: row 2, column y: found no value, accepted: a value, or data.missing = \"drop\" or \"mean\""},
        BadFile{"a.csv", "x,y\n1,yes\n2,no\n", kReal,
                "FILE: row 2, column y: found \"yes\" in the target, accepted: a number"},
        BadFile{"a.csv", "x,y\n1,2\n2,-1\n", TargetKind::count,
                "FILE: row 3, column y: found the count -1, accepted: 0, 1, 2, ..."},
        BadFile{"a.csv", "x,y\n1,2.5\n2,1\n", TargetKind::count,
                "FILE: row 2, column y: found the count 2.5, accepted: 0, 1, 2, ..."},
        BadFile{"a.csv", "x,y\n1,0\n2,0.5\n", TargetKind::classes,
                "FILE: row 3, column y: found the label 0.5, accepted: whole numbers or text"},
        BadFile{"a.csv", "x,y\n1,a\n2,b\n3,c\n", kBinary,
                "FILE: column y: found 3 labels (a, b, c), accepted: exactly 2 for this model, or data.positive with "
                "those that count as 1"},
        BadFile{"a.csv", "x,y\n1,a\n2,a\n", TargetKind::classes,
                "FILE: column y: found one label (a), accepted: at least 2"},
        BadFile{"a.csv", "y\n1\n2\n", kReal,
                "FILE: found no features, accepted: at least one column besides the target"},
        BadFile{"a.csv.gz", gzipped("x,y\n1,2\n1\n"), kReal, "FILE: row 3: found 1 fields, accepted: 2"},
        BadFile{"a.csv.gz", gzipped("x,y\n1,2\n").substr(0, 12), kReal, "FILE: the gzip data end too early"}));

INSTANTIATE_TEST_SUITE_P(
    Libsvm, BadFiles,
    ::testing::Values(
        BadFile{"a.svm", "1 1:1\nx 1:1\n", kReal, "FILE: row 2: found the label \"x\", accepted: a number"},
        BadFile{"a.svm", "1,2 1:1\n", kReal, "FILE: row 1: found the label \"1,2\", accepted: a number"},
        BadFile{"a.svm", "1 1\n", kReal, "FILE: row 1: found \"1\", accepted: position:value, such as 3:0.5"},
        BadFile{"a.svm", "1 0:1\n", kReal,
                "FILE: row 1: found the position \"0\", accepted: a whole number from 1 to 1000000"},
        BadFile{"a.svm", "1 99999999999999:1\n", kReal,
                "FILE: row 1: found the position \"99999999999999\", accepted: a whole number from 1 to 1000000"},
        BadFile{"a.svm", "1 -3:1\n", kReal,
                "FILE: row 1: found the position \"-3\", accepted: a whole number from 1 to 1000000"},
        BadFile{"a.svm", "1 3:1 2:1\n", kReal, "FILE: row 1: found position 2 after 3, accepted: positions that rise"},
        BadFile{"a.svm", "1 3:nan\n", kReal,
                "FILE: row 1: found the value \"nan\" at position 3, accepted: a finite number"},
        BadFile{"a.svm", "# nothing\n", kReal, "FILE: found no rows, accepted: at least one row"},
        BadFile{"a.svm", std::string("1 1:1\0", 6), kReal,
                "FILE: found binary data (a zero byte), accepted: libsvm text"}));

INSTANTIATE_TEST_SUITE_P(
    Binary, BadFiles,
    ::testing::Values(
        BadFile{"a-images-idx3", "PK", kBinary,
                "FILE: found no idx magic, accepted: two zero bytes, a type and the number of dimensions"},
        BadFile{"a-images-idx3", idx_bytes(13, {2, 1}, "abcd"), kBinary,
                "FILE: found idx type 0x0d, accepted: 0x08 (bytes) or 0x0c (32-bit integers)"},
        BadFile{"a-images-idx3", idx_bytes(8, {}, ""), kBinary,
                "FILE: found 0 dimensions in a file of 4 bytes, accepted: at least one, each with its size"},
        BadFile{"a-images-idx3", std::string("\0\0\x08\xFFzz", 6), kBinary,
                "FILE: found 255 dimensions in a file of 6 bytes, accepted: at least one, each with its size"},
        BadFile{"a-images-idx3", idx_bytes(8, {2, 2}, "abc"), kBinary,
                "FILE: the sizes 2x2 do not fit the file's 15 bytes"},
        BadFile{"a-images-idx3", idx_bytes(8, {2, 1}, "abc"), kBinary,
                "FILE: the sizes 2x1 do not fit the file's 15 bytes"},
        BadFile{"a-images-idx3", idx_bytes(8, {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}, "abc"), kBinary,
                "FILE: the sizes 4294967295x4294967295x4294967295 do not fit the file's 19 bytes"},
        BadFile{"a-images-idx3", idx_bytes(8, {0, 5}, ""), kBinary,
                "FILE: the sizes 0x5 do not fit the file's 12 bytes"},
        BadFile{"a.bin", std::string(3000, '\0'), kBinary,
                "FILE: found 3000 bytes, accepted: whole records of 3073 bytes (a label and 3072 pixels)"},
        BadFile{"a.bin", std::string(3073, '\x0C'), kBinary, "FILE: row 1: found the label 12, accepted: 0 to 9"}));

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
