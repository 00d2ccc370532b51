// scaled(C) is C/(ω+1) for an unbiased C, which makes it contractive with α = 1/(ω+1). The payload is that of C; both
// sides divide what they decode.
#include "kinds.h"

namespace pollen::compress {
namespace {

class Scaled final : public Compressor {
 public:
  explicit Scaled(std::unique_ptr<const Compressor> unbiased) : inner_(std::move(unbiased)) {}

  std::int64_t encode(std::span<const double> v, const Stream& stream, std::span<double> decoded, Bytes* payload,
                      Scratch& scratch) const override {
    const std::int64_t bits = inner_->encode(v, stream, decoded, payload, scratch);
    divide(decoded);
    return bits;
  }

  void decode(ByteView payload, std::span<double> out, Scratch& scratch) const override {
    inner_->decode(payload, out, scratch);
    divide(out);
  }

  bool unbiased() const override { return false; }
  double omega(Index d) const override { return 1 - alpha(d); }
  double alpha(Index d) const override { return 1 / (inner_->omega(d) + 1); }
  std::optional<double> bits_bound(Index d) const override { return inner_->bits_bound(d); }

 private:
  void divide(std::span<double> values) const {
    const double divisor = inner_->omega(static_cast<Index>(values.size())) + 1;
    for (double& value : values) value /= divisor;
  }

  std::unique_ptr<const Compressor> inner_;
};

}  // namespace

std::unique_ptr<const Compressor> make_scaled(std::unique_ptr<const Compressor> unbiased) {
  return std::make_unique<Scaled>(std::move(unbiased));
}

}  // namespace pollen::compress
