// Keeps rows of numbers over time in constant memory. When it is full, every second row is dropped and from then on
// half as many are accepted. The rows kept are always evenly spaced: numbers 0, every(), 2 every(), ... of those
// offered. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace pollen::sink {

class History {
 public:
  History() = default;
  History(std::size_t width, std::size_t most_rows)
      : width_(width), most_((std::max<std::size_t>(most_rows, 2) + 1) / 2 * 2), numbers_(width_ * most_) {}

  // Returns where to write the row offered now, or an empty span if it is not accepted.
  std::span<double> offer() {
    if (offered_++ % every_ != 0 || width_ == 0) return {};
    if (rows_ == most_) thin();  // the number of rows is even, so this row is among those that are kept
    return {numbers_.data() + width_ * rows_++, width_};
  }

  std::size_t width() const { return width_; }
  std::size_t rows() const { return rows_; }
  std::span<const double> row(std::size_t i) const { return {numbers_.data() + width_ * i, width_}; }
  std::int64_t every() const { return every_; }
  std::int64_t offered() const { return offered_; }

 private:
  void thin() {
    for (std::size_t i = 1; 2 * i < rows_; ++i)
      std::copy_n(numbers_.begin() + static_cast<std::ptrdiff_t>(2 * i * width_), width_,
                  numbers_.begin() + static_cast<std::ptrdiff_t>(i * width_));
    rows_ /= 2;
    every_ *= 2;
  }

  std::size_t width_ = 0, most_ = 0, rows_ = 0;
  std::int64_t every_ = 1, offered_ = 0;
  std::vector<double> numbers_;
};

}  // namespace pollen::sink
