// What the fuzz targets share: hostile bytes taken one after another, and a check that is a crash when it fails.
//
// A target throws away the exception its decoder documents; every other one, and every failed check, ends the process.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "pollen/types.h"

namespace pollen::fuzz {

[[noreturn]] inline void failed(const char* what, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
  std::abort();
}

#define HOLDS(condition) ((condition) ? void() : ::pollen::fuzz::failed(#condition, __FILE__, __LINE__))

// Options are taken from the front, zero where the input has ended; the rest is what the decoder gets.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : left_(data, size) {}

  std::uint8_t byte() {
    if (left_.empty()) return 0;
    const std::uint8_t value = left_.front();
    left_ = left_.subspan(1);
    return value;
  }
  unsigned word() {
    const unsigned low = byte();
    return low | static_cast<unsigned>(byte()) << 8;
  }
  // Copies of exactly their size, so that the address sanitizer sees a read past the end.
  Bytes bytes(std::size_t most = SIZE_MAX) {
    const ByteView taken = left_.first(most < left_.size() ? most : left_.size());
    left_ = left_.subspan(taken.size());
    return Bytes(taken.begin(), taken.end());
  }
  std::string text(std::size_t most = SIZE_MAX) {
    const Bytes taken = bytes(most);
    return std::string(taken.begin(), taken.end());
  }

 private:
  ByteView left_;
};

// The same number, two NaNs and two zeros included.
inline bool same(double a, double b) { return a == b || (a != a && b != b); }

}  // namespace pollen::fuzz
