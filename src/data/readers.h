// Readers: bytes of a file in memory to a RawTable. Each takes the bytes and the file's name, which messages carry, and
// throws ConfigError for whatever does not follow the format. Memory taken is bounded by a small multiple of the bytes.
// Pure and thread-safe, apart from read_file. Formats: docs/data.md.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "mapped_file.h"
#include "raw_table.h"

namespace pollen::data {

// The whole of a regular file, gunzipped where it begins with gzip's magic. A fault is a ConfigError naming the file.
std::string read_file(const std::string& path);

constexpr std::size_t kMostBytes = std::size_t{1} << 32;

// The text of a file: read, or mapped where it is plain and large, and then at most `most` bytes.
class FileText {
 public:
  FileText(const std::string& path, std::size_t most);
  std::string_view text() const { return text_; }

 private:
  std::string own_;
  std::optional<MappedFile> mapped_;
  std::string_view text_;
};

// The members of a gzip stream, one after another; more than `most` bytes are an error. Anything else is returned as it
// is.
std::string gunzip(std::string bytes, const std::string& file, std::size_t most = kMostBytes);

struct CsvOptions {
  bool header = true;                 // the first row names the columns; else c1, c2, ...
  std::set<std::string> categorical;  // columns read as text whatever they hold
  Index limit = 0;                    // the first rows only; 0 = all
};

RawTable parse_csv(std::string_view text, const CsvOptions& options, const std::string& file);

// `label position:value ...`, positions from 1 and rising. Column "label"; features x1, x2, ...
RawTable parse_libsvm(std::string_view text, Index limit, const std::string& file);

// The IDX arrays of MNIST: features from `images` (bytes are divided by 255), labels from `labels`. A label file of one
// dimension is the column "label"; one of rows × k is the columns label1 .. labelk.
struct IdxFile {
  std::string bytes;
  std::string file;
};
RawTable parse_idx(IdxFile images, const IdxFile& labels, Index limit);
RawTable parse_idx_images(IdxFile images, Index limit);  // no columns

// Adds the column kWriter to images that were read from idx files. `writers` has a row for each image of the file (with
// a limit: at least for those read): its writer, or QMNIST's columns (class, series, writer, ...), of which the third
// is the writer.
void add_writers(const IdxFile& writers, Index limit, RawTable& images);

// CIFAR-10's binary records: a label byte, 3072 bytes (divided by 255). Column "label".
RawTable parse_cifar(std::string bytes, Index limit, const std::string& file);

}  // namespace pollen::data
