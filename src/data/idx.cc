// Reads IDX files: two zero bytes, a type code, the number of dimensions, each dimension as a big-endian 32-bit word,
// then the values.
#include <fmt/format.h>

#include <algorithm>

#include "data/phrases.h"
#include "pollen/errors.h"
#include "readers.h"

namespace pollen::data {

namespace {

constexpr int kBytes = 0x08;
constexpr int kInts = 0x0C;

struct IdxHeader {
  int type = 0;
  std::vector<std::size_t> sizes;
  std::size_t first = 0;   // offset of the first value
  std::size_t record = 1;  // values per row
};

std::uint32_t word_at(std::string_view bytes, std::size_t at) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < 4; ++i) word = word << 8 | static_cast<unsigned char>(bytes[at + i]);
  return word;
}

IdxHeader read_header(std::string_view bytes, const std::string& file) {
  const auto fault = [&](const std::string& what) { throw ConfigError(file, what); };
  if (bytes.size() < 4 || bytes[0] != 0 || bytes[1] != 0)
    fault("found no idx magic, accepted: two zero bytes, a type and the number of dimensions");
  IdxHeader header;
  header.type = static_cast<unsigned char>(bytes[2]);
  if (header.type != kBytes && header.type != kInts)
    fault(fmt::format("found idx type {:#04x}, accepted: 0x08 (bytes) or 0x0c (32-bit integers)", header.type));
  const auto dimensions = static_cast<std::size_t>(static_cast<unsigned char>(bytes[3]));
  header.first = 4 + 4 * dimensions;
  if (dimensions == 0 || bytes.size() < header.first)
    fault(fmt::format("found {} dimensions in a file of {} bytes, accepted: at least one, each with its size",
                      dimensions, bytes.size()));
  const std::size_t values = (bytes.size() - header.first) / (header.type == kBytes ? 1 : 4);
  std::size_t product = 1;
  bool fits = true;
  for (std::size_t k = 0; k < dimensions; ++k) {
    header.sizes.push_back(word_at(bytes, 4 + 4 * k));
    fits = fits && header.sizes[k] > 0 && header.sizes[k] <= values / product;
    if (fits) product *= header.sizes[k];
  }
  const std::size_t expected = header.first + product * (header.type == kBytes ? 1 : 4);
  if (!fits || expected != bytes.size())
    fault(fmt::format("found sizes {} in a file of {} bytes, accepted: sizes that fill the file",
                      fmt::join(header.sizes, "x"), bytes.size()));
  header.record = product / header.sizes[0];
  return header;
}

double value_at(std::string_view bytes, const IdxHeader& header, std::size_t n) {
  if (header.type == kBytes) return static_cast<double>(static_cast<unsigned char>(bytes[header.first + n]));
  return static_cast<double>(static_cast<std::int32_t>(word_at(bytes, header.first + 4 * n)));
}

void add_features(IdxFile&& images, const IdxHeader& header, std::size_t rows, RawTable& table) {
  const auto width = static_cast<Index>(header.record);
  if (header.type == kBytes) {
    table.add_block(width, ByteRows{std::move(images.bytes), header.first, header.record, 255.0});
    return;
  }
  DenseRows dense;
  dense.values.resize(rows * header.record);
  for (std::size_t n = 0; n < dense.values.size(); ++n) dense.values[n] = value_at(images.bytes, header, n);
  table.add_block(width, std::move(dense));
}

std::vector<Column> label_columns(const IdxFile& labels, const IdxHeader& header, std::size_t rows) {
  std::vector<Column> columns(header.record);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    columns[c].name = header.sizes.size() == 1 ? "label" : fmt::format("label{}", c + 1);
    for (std::size_t r = 0; r < rows; ++r)
      columns[c].add_number(value_at(labels.bytes, header, r * columns.size() + c));
  }
  return columns;
}

}  // namespace

RawTable parse_idx_images(IdxFile images, Index limit) {
  const IdxHeader head = read_header(images.bytes, images.file);
  std::size_t rows = head.sizes[0];
  if (limit > 0) rows = std::min(rows, static_cast<std::size_t>(limit));
  RawTable table;
  table.files = {images.file};
  table.prefix = "pixel";
  for (std::uint32_t r = 0; r < rows; ++r) table.rows.push_back({0, r, r + 1});
  add_features(std::move(images), head, rows, table);
  return table;
}

RawTable parse_idx(IdxFile images, const IdxFile& labels, Index limit) {
  const IdxHeader head = read_header(images.bytes, images.file);
  const IdxHeader label_head = read_header(labels.bytes, labels.file);
  if (label_head.sizes.size() > 2)
    throw ConfigError(labels.file, fmt::format("found {} dimensions, accepted: labels of one or two dimensions",
                                               label_head.sizes.size()));
  if (label_head.sizes[0] != head.sizes[0])
    throw ConfigError(labels.file, fmt::format("found {} labels, accepted: one for each of the {} rows of {}",
                                               label_head.sizes[0], head.sizes[0], images.file));
  RawTable table = parse_idx_images(std::move(images), limit);
  table.columns = label_columns(labels, label_head, table.rows.size());
  return table;
}

void add_writers(const IdxFile& writers, Index limit, RawTable& images) {
  constexpr std::size_t kQmnist = 2;  // QMNIST's column that holds the writer
  const IdxHeader head = read_header(writers.bytes, writers.file);
  const auto fault = [&](const std::string& what) { throw ConfigError(writers.file, what); };
  if (head.sizes.size() > 2 || (head.sizes.size() == 2 && head.record <= kQmnist))
    fault(fmt::format(
        "found sizes {}, accepted: one writer per row, or QMNIST's columns, the third of which is the writer",
        fmt::join(head.sizes, "x")));
  const std::size_t rows = images.rows.size();
  if (head.sizes[0] < rows || (head.sizes[0] > rows && limit == 0))
    fault(fmt::format("found {} writers, accepted: one for each of the {} rows of {}", head.sizes[0], rows,
                      images.files.front()));
  Column& column = images.columns.emplace_back();
  column.name = kWriter;
  const std::size_t at = head.sizes.size() == 2 ? kQmnist : 0;
  for (std::size_t r = 0; r < rows; ++r) column.add_number(value_at(writers.bytes, head, r * head.record + at));
}

std::optional<std::string> label_file_of(const std::string& images) {
  constexpr std::string_view kImages = "images-idx3";
  const std::size_t at = images.rfind(kImages);
  if (at == std::string::npos) return std::nullopt;
  return std::string(images).replace(at, kImages.size(), "labels-idx1");
}

namespace {

std::string labels_of(const DataSpec& spec, const std::string& path, const std::string& where) {
  if (!spec.labels.empty()) return spec.labels;
  if (auto labels = label_file_of(path)) return *labels;
  throw ConfigError(key(where, "labels"),
                    fmt::format("found none, and the name {} does not tell, accepted: the file of the labels", path));
}

RawTable read_idx(const DataFile& file) {
  const DataSpec& spec = file.spec;
  if (!file.labelled) return parse_idx_images({read_file(file.path), file.path}, spec.limit);
  const std::string labels = labels_of(spec, file.path, file.where);
  RawTable table = parse_idx({read_file(file.path), file.path}, {read_file(labels), labels}, spec.limit);
  if (spec.partition == "by-writer") add_writers({read_file(spec.writers), spec.writers}, spec.limit, table);
  return table;
}

}  // namespace

DataFormat idx_format() {
  return {"idx", "the arrays of MNIST: images in one file, labels in another", "labels test_labels writers",
          [](const std::string& name) { return name.find("-idx") != std::string::npos || name.ends_with(".idx"); },
          read_idx};
}

}  // namespace pollen::data
