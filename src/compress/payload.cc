#include "payload.h"

#include <fmt/format.h>

#include <cstring>
#include <string>

#include "math/math.h"
#include "pollen/errors.h"

namespace pollen::compress {

void wire_error(const char* what) { throw WireError(std::string("compressed payload: ") + what); }

void wire_error(std::uint64_t found, const char* what, const char* accepted, std::uint64_t limit) {
  throw WireError(fmt::format("compressed payload: found {} {}, accepted: {} {}", found, what, accepted, limit));
}

void numeric_error(const char* what) { throw NumericError(std::string("compressor: ") + what); }

void put_words(std::span<const double> values, int bits, std::uint8_t* at) {
  if (values.empty()) return;  // memcpy must not see the null pointer of an empty span
  if (bits == 64) {
    std::memcpy(at, values.data(), values.size() * sizeof(double));
    return;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float word = static_cast<float>(values[i]);
    std::memcpy(at + i * sizeof word, &word, sizeof word);
  }
}

void take_words(const std::uint8_t* at, int bits, std::span<double> out) {
  if (out.empty()) return;
  if (bits == 64) {
    std::memcpy(out.data(), at, out.size() * sizeof(double));
  } else {
    for (std::size_t i = 0; i < out.size(); ++i) {
      float word;
      std::memcpy(&word, at + i * sizeof word, sizeof word);
      out[i] = static_cast<double>(word);
    }
  }
  if (!math::all_finite(out)) wire_error("found a value that is not finite, accepted: finite numbers");
}

}  // namespace pollen::compress
