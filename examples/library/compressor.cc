// A compressor of your own: signs and one scale. C(v) = (‖v‖₁/d) sign(v) is biased, so d-elf's error feedback goes with it.
#include <cmath>
#include <cstdio>
#include <cstring>

#include "pollen/errors.h"
#include "pollen/run.h"

class Sign : public pollen::Compressor {
 public:
  std::int64_t encode(std::span<const double> v, const pollen::Stream&, std::span<double> decoded,
                      pollen::Bytes* payload, pollen::Scratch&) const override {
    double scale = 0;
    for (const double x : v) scale += std::abs(x) / double(v.size());
    pollen::Bytes bytes(8 + (v.size() + 7) / 8);
    std::memcpy(bytes.data(), &scale, 8);
    for (std::size_t j = 0; j < v.size(); ++j)
      if (std::signbit(v[j])) bytes[8 + j / 8] = static_cast<std::uint8_t>(bytes[8 + j / 8] | 1U << j % 8);
    decode(bytes, decoded);
    if (payload != nullptr) payload->insert(payload->end(), bytes.begin(), bytes.end());
    return 8 * std::ssize(bytes);
  }
  void decode(pollen::ByteView bytes, std::span<double> out, pollen::Scratch&) const override {
    if (bytes.size() != 8 + (out.size() + 7) / 8) throw pollen::WireError("sign: found another length");
    decode(bytes, out);
  }
  bool unbiased() const override { return false; }
  double omega(pollen::Index d) const override { return 1 - alpha(d); }
  double alpha(pollen::Index d) const override { return 1 / double(d); }  // at least: ‖v‖₁² ≥ ‖v‖²

 private:
  static void decode(pollen::ByteView bytes, std::span<double> out) {
    double scale = 0;
    std::memcpy(&scale, bytes.data(), 8);
    for (std::size_t j = 0; j < out.size(); ++j) out[j] = bytes[8 + j / 8] >> j % 8 & 1 ? -scale : scale;
  }
};

int main() {
  pollen::register_compressor({.name = "sign", .summary = "signs and one scale", .keys = "", .unbiased = false,
                               .make = [](const auto&, pollen::Index) { return std::make_unique<Sign>(); }});
  return 0;
}
