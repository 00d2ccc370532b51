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

class Natural final : public Compressor {
 public:
  std::int64_t encode(std::span<const double> v, const Stream& stream, std::span<double> decoded, Bytes* payload,
                      Scratch& scratch) const override {
    if (!(math::max_abs(v) < 0x1p128)) {
      numeric_error(math::all_finite(v) ? "a value is 2^128 or more" : "a value is not finite");
    }
    Scratch::Frame frame(scratch);
    const std::size_t d = v.size();
    const std::span<std::uint32_t> words = scratch.take<std::uint32_t>(static_cast<Index>(d));
    const std::span<std::uint16_t> codes = scratch.take<std::uint16_t>(static_cast<Index>(d));
    random_words(stream, words);
    for (std::size_t j = 0; j < d; ++j) codes[j] = static_cast<std::uint16_t>(code_of(v[j], words[j]));
    for (std::size_t j = 0; j < d; ++j) decoded[j] = value_of(codes[j]);
    if (payload != nullptr) {
      Appended room(*payload, bytes_of_bits(d * kBits));
      write(codes, room.data());
    }
    return static_cast<std::int64_t>(bytes_of_bits(d * kBits) * 8);
  }

  void decode(ByteView payload, std::span<double> out, Scratch&) const override {
    if (const std::size_t bytes = bytes_of_bits(out.size() * kBits); payload.size() != bytes)
      wire_error(payload.size(), "bytes", "exactly", bytes);
    BitReader reader(payload);
    for (std::size_t j = 0; j < out.size();) {
      reader.refill();
      for (const std::size_t end = std::min(j + kGroup, out.size()); j < end; ++j) {
        const std::uint64_t code = reader.window() >> (64 - kBits);
        reader.skip(kBits);
        if (code == kNegative) wire_error("found a zero with a minus sign, accepted: zeros without a sign");
        out[j] = value_of(code);
      }
    }
    reader.finish();
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
};

}  // namespace

CompressorRow natural_row() {
  return {"natural", "random rounding to powers of two; unbiased (Horváth et al. 2022)", "", true,
          [](const CompressorSpec&, Index) { return std::make_unique<Natural>(); }};
}

}  // namespace pollen::compress
