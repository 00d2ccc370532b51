// rand-k keeps a uniformly random subset of k coordinates, multiplied by d/k. It is unbiased with ω = d/k - 1.
#include <algorithm>
#include <vector>

#include "index_set.h"
#include "kinds.h"
#include "math/math.h"
#include "payload.h"

namespace pollen::compress {
namespace {

class RandK final : public Compressor {
 public:
  RandK(Index k, int bits) : k_(k), bits_(bits) {}

  std::int64_t encode(std::span<const double> v, const Stream& stream, std::span<double> decoded, Bytes* payload,
                      Scratch& scratch) const override {
    if (!math::all_finite(v)) numeric_error("a value is not finite");
    thread_local std::vector<std::uint32_t> chosen;  // reused memory; it carries no state between calls
    Sequence sequence(stream);
    sample_without_replacement(sequence, static_cast<std::uint32_t>(v.size()), static_cast<std::uint32_t>(k_), chosen);
    const double factor = static_cast<double>(v.size()) / static_cast<double>(k_);
    Scratch::Frame frame(scratch);
    // The values are copied, because `decoded` may be `v`.
    const std::span<double> kept = scratch.take<double>(static_cast<Index>(chosen.size()));
    for (std::size_t i = 0; i < chosen.size(); ++i) kept[i] = rounded(v[chosen[i]] * factor, bits_);
    if (!math::all_finite(kept)) numeric_error("a scaled value is above the range of its words");
    std::fill(decoded.begin(), decoded.end(), 0.0);
    for (std::size_t i = 0; i < chosen.size(); ++i) decoded[chosen[i]] = kept[i];
    return encode_index_set(chosen, decoded, bits_, payload, scratch);
  }

  void decode(ByteView payload, std::span<double> out, Scratch& scratch) const override {
    decode_index_set(payload, k_, bits_, out, scratch);
  }

  bool unbiased() const override { return true; }
  double omega(Index d) const override { return static_cast<double>(d) / static_cast<double>(k_) - 1; }
  double alpha(Index d) const override { return alpha_of_omega(omega(d)); }

 private:
  Index k_;
  int bits_;
};

}  // namespace

CompressorRow rand_k_row() {
  return {"rand-k", "k random coordinates times d/k; unbiased", "k bits", true,
          [](const CompressorSpec& spec, Index) { return std::make_unique<RandK>(spec.k, spec.bits); }};
}

}  // namespace pollen::compress
