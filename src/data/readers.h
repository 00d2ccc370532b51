// Readers of file formats (docs/data.md): they turn the bytes of a file into a RawTable. Each takes the bytes and the
// file's name for messages, and throws ConfigError for anything that violates the format. Memory is bounded by a small
// multiple of the bytes. All but read_file are pure and thread-safe.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "data/registries.h"
#include "raw_table.h"

namespace pollen::data {

// Returns the contents of a regular file, inflated if it begins with gzip's magic bytes. Throws ConfigError naming the
// file if that fails.
std::string read_file(const std::string& path);

constexpr std::size_t kMostBytes = std::size_t{1} << 32;

// Maps a regular file read-only for as long as the object lives. The kernel may drop the pages and read them again, so
// they do not count as used memory.
class MappedFile {
 public:
  explicit MappedFile(const std::string& file);  // throws ConfigError if the file is empty or cannot be mapped
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ByteView bytes() const { return {static_cast<const std::uint8_t*>(data_), size_}; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

// Holds the text of a file. A large plain file is mapped instead of read; then at most `most` bytes are allowed.
class FileText {
 public:
  FileText(const std::string& path, std::size_t most);
  std::string_view text() const { return text_; }

 private:
  std::string own_;
  std::optional<MappedFile> mapped_;
  std::string_view text_;
};

// Inflates all members of a gzip stream; more than `most` bytes are an error. Bytes that are not gzip are returned
// unchanged.
std::string gunzip(std::string bytes, const std::string& file, std::size_t most = kMostBytes);

// The file with the labels of an idx file of images, going by the images' file name. Nothing if the name does not tell.
std::optional<std::string> label_file_of(const std::string& images);

struct CsvOptions {
  bool header = true;                  // if true, the first row names the columns; otherwise they are c1, c2, ...
  std::set<std::string> categorical;   // columns read as text, whatever they hold
  Index limit = 0;                     // reads only so many rows; 0 means all
  std::set<std::string> exclude = {};  // columns whose cells are not read
};

RawTable parse_csv(std::string_view text, const CsvOptions& options, const std::string& file);

// Visits every record of a csv file, a header included, with the line on which it begins.
using VisitCells = std::function<void(std::size_t line, const std::vector<std::string_view>& cells)>;
void each_csv_row(std::string_view text, const std::string& file, const VisitCells& visit);

// Reads lines `label position:value ...` with rising positions counted from 1. The column is "label", features are x1,
// x2, ...
RawTable parse_libsvm(std::string_view text, Index limit, const std::string& file);

// Reads the IDX arrays of MNIST: features from `images` (bytes are divided by 255), labels from `labels`. A label file
// with one dimension becomes the column "label"; one with rows × k becomes the columns label1 .. labelk.
struct IdxFile {
  std::string bytes;
  std::string file;
};
RawTable parse_idx(IdxFile images, const IdxFile& labels, Index limit);
RawTable parse_idx_images(IdxFile images, Index limit);  // the table has no columns

// Adds the column kWriter to images that were read from idx files. `writers` has a row for each image of the file (with
// a limit, at least for those read). A row is the writer, or QMNIST's columns (class, series, writer, ...), of which
// the third is used.
void add_writers(const IdxFile& writers, Index limit, RawTable& images);

// Reads CIFAR-10's binary records: one label byte and 3072 bytes, which are divided by 255. The column is "label".
RawTable parse_cifar(std::string bytes, Index limit, const std::string& file);

}  // namespace pollen::data
