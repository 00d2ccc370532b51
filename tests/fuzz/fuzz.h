// Parts shared by the fuzz targets: hostile bytes that are consumed one after another, and a check that crashes if it
// fails. A target catches the exception that its decoder documents; any other exception and any failed check ends the
// process.
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

// Takes options from the front of the input (zero after its end); the decoder gets the rest.
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
  // Returns copies of exactly the right size, so that the address sanitizer notices a read past the end.
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

// Returns whether two numbers are the same; two NaNs are, and two zeros are.
inline bool same(double a, double b) { return a == b || (a != a && b != b); }

}  // namespace pollen::fuzz
