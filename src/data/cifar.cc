#include <fmt/format.h>

#include <algorithm>

#include "pollen/errors.h"
#include "readers.h"

namespace pollen::data {

RawTable parse_cifar(std::string bytes, Index limit, const std::string& file) {
  constexpr std::size_t kRecord = 1 + 3 * 32 * 32;
  constexpr int kClasses = 10;
  if (bytes.empty() || bytes.size() % kRecord != 0)
    throw ConfigError(file, fmt::format("found {} bytes, accepted: whole records of {} bytes (a label and 3072 pixels)",
                                        bytes.size(), kRecord));
  std::size_t rows = bytes.size() / kRecord;
  if (limit > 0) rows = std::min(rows, static_cast<std::size_t>(limit));
  RawTable table;
  table.files = {file};
  table.prefix = "pixel";
  Column& label = table.columns.emplace_back();
  label.name = "label";
  Problems problems;
  for (std::uint32_t r = 0; r < rows && !problems.full(); ++r) {
    const int value = static_cast<unsigned char>(bytes[r * kRecord]);
    if (value >= kClasses)
      problems.add(fmt::format("{}: row {}", file, r + 1), fmt::format("found the label {}, accepted: 0 to 9", value));
    label.add_number(value);
    table.rows.push_back({0, r, r + 1});
  }
  problems.raise();
  table.add_block(static_cast<Index>(kRecord) - 1, ByteRows{std::move(bytes), 1, kRecord, 255.0});
  return table;
}

DataFormat cifar_format() {
  return {"cifar", "the binary records of CIFAR-10: a label and 3072 pixels", "",
          [](const std::string& name) { return name.ends_with(".bin"); },
          [](const DataFile& file) { return parse_cifar(read_file(file.path), file.spec.limit, file.path); }};
}

}  // namespace pollen::data
