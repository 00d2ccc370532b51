// Fuzzes the payloads of every compressor. A payload that is accepted holds what an encoder could have produced, and a
// vector that is encoded is decoded to what the encoder reported.
#include <bit>
#include <cmath>

#include "fuzz.h"
#include "pollen/compress.h"
#include "pollen/errors.h"

namespace pollen::fuzz {
namespace {

struct Options {
  CompressorSpec spec;
  Index d = 1;
  bool encode = false;
};

Options take_options(Input& input) {
  constexpr const char* kKinds[] = {"identity", "qsgd", "top-k", "rand-k", "natural"};
  constexpr std::uint32_t kLevels[] = {1, 2, 5, 16, 255, 5000, 1U << 20, 1U << 24};
  Options options;
  const std::uint8_t flags = input.byte();
  options.spec.kind = kKinds[(flags & 7) % 5];
  options.spec.bits = (flags & 8) != 0 ? 32 : 64;
  options.spec.scaled = (flags & 16) != 0 && options.spec.kind != "top-k";
  options.encode = (flags & 32) != 0;
  options.d = 1 + input.word() % 3000;
  const unsigned parameter = input.word();
  options.spec.k = 1 + parameter % options.d;
  options.spec.levels = (flags & 64) != 0 ? 1 + parameter : kLevels[parameter % 8];
  return options;
}

const Stream kStream{};
Scratch scratch;  // one for all runs, because making it would take most of the time

Bytes encoded(const Compressor& compressor, std::span<const double> v, std::vector<double>& decoded) {
  Bytes payload;
  decoded.assign(v.size(), -1.0);
  const std::int64_t bits = compressor.encode(v, kStream, decoded, &payload, scratch);
  HOLDS(bits == 8 * static_cast<std::int64_t>(payload.size()));
  std::vector<double> again(v.size());
  HOLDS(compressor.encode(v, kStream, again, nullptr, scratch) == bits);
  HOLDS(std::memcmp(again.data(), decoded.data(), again.size() * sizeof(double)) == 0);
  return payload;
}

Index non_zeros(std::span<const double> values) {
  Index count = 0;
  for (const double x : values) count += x != 0 ? 1 : 0;
  return count;
}

// Checks that qsgd's values are within the largest norm and, if the levels are in Elias codes, behind which the norm is
// easily found, whole multiples of the norm over s with levels of at most s.
void check_levels(const Bytes& payload, const Options& options, std::span<const double> values) {
  for (const double x : values) HOLDS(std::abs(x) <= 0x1.FFp127 && (x != 0 || !std::signbit(x)));
  if (payload.empty()) {
    HOLDS(non_zeros(values) == 0);
    return;
  }
  if (payload[0] < 0x80) return;
  const unsigned code = (payload[0] & 0x7FU) << 9 | unsigned{payload[1]} << 1 | payload[2] >> 7;
  const auto s = static_cast<double>(options.spec.levels), unit = double{std::bit_cast<float>(code << 15)} / s;
  for (const double x : values) {
    const double level = std::round(x / unit);
    HOLDS(std::abs(level) <= s && level * unit == x);
  }
}

void check_powers(std::span<const double> values) {
  for (const double x : values) {
    int exponent = 0;
    HOLDS(x == 0 || std::abs(std::frexp(x, &exponent)) == 0.5);
    HOLDS(x == 0 ? !std::signbit(x) : exponent - 1 >= -126 && exponent - 1 <= 128);
  }
}

bool same_bytes_again(const Options& options, std::span<const double> values) {
  if (options.spec.scaled) return false;
  if (options.spec.kind == "identity") return true;
  if (options.spec.kind == "top-k") return non_zeros(values) == options.spec.k;
  if (options.spec.kind != "natural") return false;
  for (const double x : values)
    if (std::abs(x) >= 0x1p128) return false;  // only arises by rounding up
  return true;
}

void decode(const Compressor& compressor, const Options& options, const Bytes& payload) {
  std::vector<double> values(static_cast<std::size_t>(options.d), std::nan(""));
  try {
    compressor.decode(payload, values, scratch);
  } catch (const WireError&) {
    return;
  }
  for (const double x : values) HOLDS(std::isfinite(x));
  const std::string& kind = options.spec.kind;
  if (kind == "top-k" || kind == "rand-k") HOLDS(non_zeros(values) <= options.spec.k);
  if (kind == "qsgd" && !options.spec.scaled) check_levels(payload, options, values);
  if (kind == "natural" && !options.spec.scaled) check_powers(values);
  std::vector<double> decoded;
  if (same_bytes_again(options, values)) HOLDS(encoded(compressor, values, decoded) == payload);
}

// Encodes the input as a vector; a short input is repeated.
void encode(const Compressor& compressor, const Options& options, const Bytes& input) {
  std::vector<double> v(static_cast<std::size_t>(options.d));
  const std::size_t words = input.size() / sizeof(double);
  for (std::size_t j = 0; j < v.size() && words > 0; ++j)
    std::memcpy(&v[j], input.data() + j % words * sizeof(double), sizeof(double));
  std::vector<double> said, heard(v.size());
  Bytes payload;
  try {
    payload = encoded(compressor, v, said);
  } catch (const NumericError&) {
    return;
  }
  compressor.decode(payload, heard, scratch);
  HOLDS(std::memcmp(said.data(), heard.data(), said.size() * sizeof(double)) == 0);
}

}  // namespace
}  // namespace pollen::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pollen::fuzz;
  Input input(data, size);
  const Options options = take_options(input);
  const auto compressor = pollen::make_compressor(options.spec, options.d);
  if (options.encode)
    encode(*compressor, options, input.bytes());
  else
    decode(*compressor, options, input.bytes());
  return 0;
}
