// The identity sends every coordinate as a little-endian word. With 32-bit words the decoded value is the coordinate
// rounded to float32.

#include "kinds.h"
#include "math/math.h"
#include "payload.h"

namespace pollen::compress {
namespace {

class Identity final : public Compressor {
 public:
  explicit Identity(int bits) : bits_(bits) {}

  std::int64_t encode(std::span<const double> v, const Stream&, std::span<double> decoded, Bytes* payload,
                      Scratch&) const override {
    if (!math::all_finite(v)) numeric_error("a value is not finite");
    if (decoded.data() != v.data() || bits_ == 32)
      for (std::size_t j = 0; j < v.size(); ++j) decoded[j] = rounded(v[j], bits_);
    if (bits_ == 32 && !math::all_finite(decoded)) numeric_error("a value is above float32's range");
    if (payload != nullptr) {
      Appended room(*payload, bytes(v.size()));
      put_words(decoded, bits_, room.data());
    }
    return static_cast<std::int64_t>(bytes(v.size()) * 8);
  }

  void decode(ByteView payload, std::span<double> out, Scratch&) const override {
    if (payload.size() != bytes(out.size())) wire_error(payload.size(), "bytes", "exactly", bytes(out.size()));
    take_words(payload.data(), bits_, out);
  }

  bool unbiased() const override { return true; }
  double omega(Index) const override { return 0; }
  double alpha(Index) const override { return 1; }

 private:
  std::size_t bytes(std::size_t d) const { return d * static_cast<std::size_t>(bits_ / 8); }

  int bits_;
};

}  // namespace

CompressorRow identity_row() {
  return {"identity", "every coordinate as a float64 (or float32) word", "bits", true,
          [](const CompressorSpec& spec, Index) { return std::make_unique<Identity>(spec.bits); }};
}

}  // namespace pollen::compress
