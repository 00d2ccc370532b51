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

void Archive::flush() {
  hand_on_(output_);
  output_.clear();
}

}  // namespace pollen
