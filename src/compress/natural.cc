// Natural compression (Horváth et al. 2019): |v| in [2^a, 2^(a+1)) becomes 2^(a+1) with probability |v|/2^a - 1, else
// 2^a. A coordinate takes nine bits, the sign and float32's exponent; exponent code 0 is zero, code 255 is 2^128.
#include <bit>
#include <cmath>

#include "bit_reader.h"
#include "bit_writer.h"
#include "kinds.h"
#include "math/math.h"

namespace pollen::compress {
namespace {

constexpr unsigned kBits = 9;
constexpr std::size_t kGroup = BitWriter::kMost / kBits;  // codes that are written or read at once
constexpr std::uint64_t kBias = 1023 - 127;  // difference between the exponent biases of double and float32
constexpr std::uint64_t kMantissa = (std::uint64_t{1} << 52) - 1;
constexpr std::uint64_t kNegative = 0x100;

// The nine-bit code of v, |v| < 2^128. Rounds up if word·2^-32 is below the fraction |v|/2^a - 1 of the way from the
// lower to the upper power of two.
std::uint64_t code_of(double v, std::uint32_t word) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(v);
  const std::uint64_t exponent = (bits >> 52) & 0x7ff;
  const bool up_normal = std::uint64_t{word} << 20 < (bits & kMantissa);
  const double tiny = std::bit_cast<double>(bits & ~(std::uint64_t{1} << 63)) * 0x1p158;  // |v|/2^-126 · 2^32
  const std::uint64_t normal = exponent - kBias + (up_normal ? 1 : 0);
  const std::uint64_t magnitude = exponent > kBias ? normal : (static_cast<double>(word) < tiny ? 1 : 0);
  return magnitude == 0 ? 0 : magnitude | (bits >> 63 << 8);
}

double value_of(std::uint64_t code) {
  const std::uint64_t exponent = code & 0xff;
  return exponent == 0 ? 0.0 : std::bit_cast<double>((exponent + kBias) << 52 | code >> 8 << 63);
}

void write(std::span<const std::uint16_t> codes, std::uint8_t* at) {
  BitWriter writer(at);
  for (std::size_t j = 0; j < codes.size();) {
    const std::size_t end = std::min(j + kGroup, codes.size());
    std::uint64_t together = 0;
    const unsigned length = static_cast<unsigned>(end - j) * kBits;
    for (; j < end; ++j) together = together << kBits | codes[j];
    writer.put(together, length);
  }
}

BitReader read(BitReader reader, std::span<double> out) {
  for (std::size_t j = 0; j < out.size();) {
    reader.refill();
    for (const std::size_t end = std::min(j + kGroup, out.size()); j < end; ++j) {
      const std::uint64_t code = reader.window() >> (64 - kBits);
      reader.skip(kBits);
      if (code == kNegative) wire_error("found a zero with a minus sign, accepted: zeros without a sign");
      out[j] = value_of(code);
    }
  }
  return reader;
}

class Natural final : public Compressor {
 public:
  std::int64_t encode(std::span<const double> v, const Stream& stream, std::span<double> decoded, Bytes* payload,
                      Scratch& scratch) const override {
    Encoding alone{v, stream, decoded, payload};
    encode_joined({&alone, 1}, {}, Role::message, payload, scratch);
    return alone.bits;
  }
  void decode(ByteView payload, std::span<double> out, Scratch& scratch) const override {
    const Decoding alone{{}, 1, out};
    decode_joined(payload, {&alone, 1}, {}, Role::message, scratch);
  }

  bool joins() const override { return true; }
  CodeMemory encode_joined(std::span<Encoding> parts, const CodeMemory&, Role, Bytes* payload,
                           Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    const std::size_t d = parts.front().v.size();
    const auto words = scratch.take<std::uint32_t>(static_cast<Index>(d));
    const auto codes = scratch.take<std::uint16_t>(static_cast<Index>(d * parts.size()));
    for (std::size_t p = 0; p < parts.size(); ++p) quantise_to_powers(parts[p], words, codes.subspan(p * d, d));
    const std::size_t bytes = bytes_of_bits(codes.size() * kBits);
    for (Encoding& part : parts) part.bits = 0;
    parts.front().bits = static_cast<std::int64_t>(8 * bytes);
    if (payload != nullptr) {
      Appended room(*payload, bytes);
      write(codes, room.data());
    }
    return {};
  }
  CodeMemory decode_joined(ByteView payload, std::span<const Decoding> parts, const CodeMemory&, Role,
                           Scratch&) const override {
    const std::size_t bytes = bytes_of_bits(parts.front().out.size() * parts.size() * kBits);
    if (payload.size() != bytes) wire_error(payload.size(), "bytes", "exactly", bytes);
    BitReader reader(payload);
    for (const Decoding& part : parts) reader = read(reader, part.out);
    reader.finish();
    return {};
  }

  bool unbiased() const override { return true; }
  double omega(Index) const override { return 0.125; }
  double alpha(Index) const override { return alpha_of_omega(0.125); }
  double covariance(std::span<const double> v, std::span<double> diagonal) const override {
    for (std::size_t j = 0; j < v.size(); ++j) {
      const double x = std::abs(v[j]), below = x > 0 ? std::exp2(std::floor(std::log2(x))) : 0.0;
      diagonal[j] = (2 * below - x) * (x - below);
    }
    return 0;
  }

 private:
  static void quantise_to_powers(const Encoding& part, std::span<std::uint32_t> words, std::span<std::uint16_t> codes) {
    if (!(math::max_abs(part.v) < 0x1p128))
      numeric_error(math::all_finite(part.v) ? "a value is 2^128 or more" : "a value is not finite");
    random_words(part.stream, words);
    for (std::size_t j = 0; j < codes.size(); ++j) codes[j] = static_cast<std::uint16_t>(code_of(part.v[j], words[j]));
    for (std::size_t j = 0; j < codes.size(); ++j) part.decoded[j] = value_of(codes[j]);
  }
};

}  // namespace

CompressorRow natural_row() {
  return {"natural", "random rounding to powers of two; unbiased (Horváth et al. 2022)", "", true,
          [](const CompressorSpec&, Index) { return std::make_unique<Natural>(); }};
}

}  // namespace pollen::compress
