// Errors in files of the other formats: idx, gzip, libsvm, cifar.
#include "case.h"
#include "support/gzip.h"

namespace pollen::bad_input {
namespace {

using testing::gzipped;

std::string big_endian(unsigned value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
          static_cast<char>(value)};
}

const std::string kImages = std::string{0, 0, 8, 3} + big_endian(4) + big_endian(1) + big_endian(2) + "abcdefgh";
const std::string kLabels = std::string{0, 0, 8, 1} + big_endian(4) + std::string{0, 1, 0, 1};

Case idx(const std::string& name, const std::string& images, const std::string& labels, const Words& words) {
  Files files = {{"t-images-idx3-ubyte", images}};
  if (!labels.empty()) files["t-labels-idx1-ubyte"] = labels;
  return {name, {{"data.source", "\"t-images-idx3-ubyte\""}, {"data.target", ""}}, {words}, files};
}

Case libsvm(const std::string& name, const std::string& text, const Words& words) {
  return {name, {{"data.source", "\"d.svm\""}, {"data.target", ""}}, {words}, {{"d.svm", text}}};
}

Case cifar(const std::string& name, const std::string& bytes, const std::vector<Words>& lines) {
  return {name,
          {{"data.source", "\"d.bin\""}, {"data.target", ""}, {"model.kind", "\"softmax\""}},
          lines,
          {{"d.bin", bytes}}};
}

Case gzip(const std::string& name, const std::string& bytes, const Words& words) {
  return {name, {{"data.source", "\"d.csv.gz\""}}, {words}, {{"d.csv.gz", bytes}}};
}

std::string changed(std::string bytes, std::size_t at) {
  bytes[at] = static_cast<char>(bytes[at] ^ 0x55);
  return bytes;
}

const std::vector<Case> kCases = {
    idx("idx_cut", kImages.substr(0, 20), kLabels, {"t-images-idx3-ubyte", "4x1x2", "20 bytes"}),
    idx("idx_too_long", kImages + "i", kLabels, {"t-images-idx3-ubyte", "4x1x2", "25 bytes"}),
    idx("idx_other_magic", 'P' + kImages, kLabels, {"t-images-idx3-ubyte", "no idx magic"}),
    idx("idx_of_floats", std::string{0, 0, 13, 1} + big_endian(0), kLabels, {"t-images-idx3-ubyte", "0x0d", "0x08"}),
    idx("idx_header_alone", std::string{0, 0, 8, 3}, kLabels, {"t-images-idx3-ubyte", "3 dimensions", "4 bytes"}),
    idx("idx_labels_missing", kImages, "", {"t-labels-idx1-ubyte", "No such file"}),
    idx("idx_label_count", kImages, std::string{0, 0, 8, 1} + big_endian(3) + std::string{0, 1, 0},
        {"t-labels-idx1-ubyte", "found 3 labels", "4 rows"}),
    gzip("gzip_cut", gzipped(kRows).substr(0, 30), {"d.csv.gz", "gzip", "too early"}),
    gzip("gzip_changed", changed(gzipped(kRows), 14), {"d.csv.gz", "gzip", "corrupt"}),
    gzip("gzip_checksum", changed(gzipped(kRows), gzipped(kRows).size() - 6), {"d.csv.gz", "gzip", "corrupt"}),
    gzip("gzip_followed_by_text", gzipped(kRows) + "more", {"d.csv.gz", "other bytes"}),
    gzip("gzip_of_nothing", gzipped(""), {"d.csv.gz", "empty"}),
    gzip("gzip_of_a_wrong_csv", gzipped("x,y\n1\n"), {"d.csv.gz: row 2", "found 1"}),
    libsvm("libsvm_position_zero", "1 1:2\n-1 0:3\n", {"d.svm: row 2", "\"0\"", "from 1"}),
    libsvm("libsvm_position_word", "1 1:2\n-1 a:3\n", {"d.svm: row 2", "\"a\"", "whole number"}),
    libsvm("libsvm_positions_fall", "1 1:2\n-1 3:1 2:1\n", {"d.svm: row 2", "position 2 after 3"}),
    libsvm("libsvm_value_word", "1 1:2\n-1 1:x\n", {"d.svm: row 2", "\"x\"", "position 1", "a finite number"}),
    libsvm("libsvm_value_infinite", "1 1:2\n-1 1:inf\n", {"d.svm: row 2", "\"inf\"", "a finite number"}),
    libsvm("libsvm_no_colon", "1 1:2\n-1 7\n", {"d.svm: row 2", "\"7\"", "position:value"}),
    libsvm("libsvm_label_word", "1 1:2\nyes 1:2\n", {"d.svm: row 2", "\"yes\"", "a number"}),
    libsvm("libsvm_comments_alone", "# nothing\n", {"d.svm", "no rows"}),
    cifar("cifar_odd_length", std::string(3072, '\1'), {{"d.bin", "3072 bytes", "3073"}}),
    cifar("cifar_label", std::string(3073, '\0') + '\12' + std::string(3072, '\0'), {{"d.bin: row 2", "10", "0 to 9"}}),
};

POLLEN_BAD_INPUT(DataFiles, kCases);

}  // namespace
}  // namespace pollen::bad_input
