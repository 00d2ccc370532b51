// Payloads of every compressor. A payload that is accepted holds what an encoder could have meant; a vector that is
// encoded is decoded to what the encoder said it would be.
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
Scratch scratch;  // one for all runs: making it anew would take most of the time

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

// qsgd: whole levels of the norm over s, none above s.
void check_levels(const Bytes& payload, const Options& options, std::span<const double> values) {
  float norm = 0;
  std::memcpy(&norm, payload.data(), sizeof norm);
  const auto s = static_cast<double>(options.spec.levels);
  const double unit = static_cast<double>(norm) / s;
  for (const double x : values) {
    if (norm == 0) {
      HOLDS(x == 0 && !std::signbit(x));
      continue;
    }
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
    if (std::abs(x) >= 0x1p128) return false;  // made by rounding up only
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

// The input as a vector, shorter ones repeated.
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
