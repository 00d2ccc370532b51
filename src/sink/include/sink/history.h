// Rows of numbers over time in memory that does not grow: when it is full, every second row goes, and from then on half
// as many are taken. What is there is always evenly spaced: rows number 0, every(), 2 every(), ... of those offered.
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

  // Where to write the row that is offered now; empty where it is not taken.
  std::span<double> offer() {
    if (offered_++ % every_ != 0 || width_ == 0) return {};
    if (rows_ == most_) thin();  // an even number of rows: this one is among those that go on to be taken
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
