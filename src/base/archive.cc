#include "pollen/archive.h"

#include <fmt/format.h>

namespace pollen {

void Archive::refuse(std::uint64_t found, const char* what, std::uint64_t accepted) {
  throw WireError(fmt::format("fields: found {} {}, accepted: {}", found, what, accepted));
}

void Archive::expect(std::uint64_t n, std::size_t bytes) const {
  if (n > left() / bytes)
    throw WireError(fmt::format("fields: found {} bytes left, accepted: {} items of {} bytes", left(), n, bytes));
}

void Archive::raw(void* data, std::size_t bytes) {
  if (bytes == 0) return;
  if (reading_) {
    expect(bytes, 1);
    std::memcpy(data, input_.data(), bytes);
    input_ = input_.subspan(bytes);
    return;
  }
  const auto* from = static_cast<const std::uint8_t*>(data);
  output_.insert(output_.end(), from, from + bytes);
  if (hand_on_ && output_.size() >= kAtOnce) flush();
}

void Archive::short_number(std::uint64_t& value) {
  constexpr unsigned kGroup = 7;
  std::uint64_t left = value;
  value = reading_ ? 0 : value;
  for (unsigned shift = 0;; shift += kGroup, left >>= kGroup) {
    auto byte = static_cast<std::uint8_t>((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
    field(byte);
    const std::uint64_t group = byte & 0x7f;
    if (reading_) value |= group << shift;
    if (reading_ && ((shift > 0 && byte == 0) || (shift == 63 && byte > 1)))
      throw WireError(fmt::format("fields: found {} as the last byte of a short number, accepted: 1 to {}", byte,
                                  shift == 63 ? 1 : 0x7f));
    if ((byte & 0x80) == 0) return;
  }
}

void Archive::texts(std::vector<std::string>& values) {
  std::uint64_t n = values.size();
  field(n);
  if (reading_) {
    expect(n, sizeof n);
    values.resize(n);
  }
  for (std::string& value : values) text(value);
}

void Archive::text(std::string& value) {
  std::uint64_t n = value.size();
  field(n);
  if (reading_) {
    expect(n, 1);
    value.resize(n);
  }
  raw(value.data(), value.size());
}

void Archive::flag(bool& value) {
  std::uint8_t byte = value ? 1 : 0;
  field(byte);
  if (byte > 1) throw WireError(fmt::format("fields: found {} as yes or no, accepted: 0 or 1", byte));
  value = byte != 0;
}

void Archive::panel(Panel& values, bool single) {
  auto rows = static_cast<std::uint64_t>(values.rows()), columns = static_cast<std::uint64_t>(values.columns());
  field(rows);
  field(columns);
  if (reading_) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 32;
    const std::size_t each = single ? sizeof(float) : sizeof(double);
    if (rows > kMost || columns > kMost || (rows > 0 && columns > left() / each / rows))
      throw WireError(fmt::format("fields: found a panel of {} x {} numbers, accepted: one that the {} bytes left hold",
                                  rows, columns, left()));
    values = Panel(static_cast<Index>(rows), rows == 0 ? 0 : static_cast<Index>(columns));
  }
  for (Index c = 0; c < values.columns(); ++c) {
    if (!single) {
      numbers(values.column(c));
      continue;
    }
    for (double& value : values.column(c)) {
      auto number = static_cast<float>(value);
      field(number);
      if (reading_) value = number;
    }
  }
}

void Archive::finish() {
  if (reading_ && !input_.empty()) refuse(left(), "bytes after the last field", 0);
  if (hand_on_) flush();
}

void Archive::flush() {
  hand_on_(output_);
  output_.clear();
}

}  // namespace pollen
