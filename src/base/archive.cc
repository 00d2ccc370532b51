#include "pollen/archive.h"

namespace pollen {

void Archive::raw(void* data, std::size_t bytes) {
  if (bytes == 0) return;
  if (reading_) {
    if (bytes > input_.size()) throw WireError("saved state: cut short");
    std::memcpy(data, input_.data(), bytes);
    input_ = input_.subspan(bytes);
    return;
  }
  const auto* from = static_cast<const std::uint8_t*>(data);
  output_.insert(output_.end(), from, from + bytes);
  if (hand_on_ && output_.size() >= kAtOnce) flush();
}

void Archive::panel(Panel& values) {
  auto rows = static_cast<std::uint64_t>(values.rows()), columns = static_cast<std::uint64_t>(values.columns());
  field(rows);
  field(columns);
  if (reading_) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 32;
    if (rows > kMost || columns > kMost || (rows > 0 && columns > left() / sizeof(double) / rows))
      throw WireError("saved state: a panel is larger than what is there");
    values = Panel(static_cast<Index>(rows), rows == 0 ? 0 : static_cast<Index>(columns));
  }
  for (Index c = 0; c < values.columns(); ++c) numbers(values.column(c));
}

void Archive::flush() {
  hand_on_(output_);
  output_.clear();
}

}  // namespace pollen
