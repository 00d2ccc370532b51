// top-k keeps the k coordinates of largest magnitude, ties going to the lower index. It is contractive with α = k/d.
#include <algorithm>
#include <cmath>

#include "index_set.h"
#include "kinds.h"
#include "payload.h"
#include "top_k_select.h"

namespace pollen::compress {
namespace {

class TopK final : public Compressor {
 public:
  TopK(Index k, int bits, bool whole) : k_(k), bits_(bits), whole_(whole) {}

  std::int64_t encode(std::span<const double> v, const Stream&, std::span<double> decoded, Bytes* payload,
                      Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    const std::span<std::uint32_t> chosen = largest(v, k_, scratch);
    // The values are copied, because `decoded` may be `v`.
    const std::span<double> kept = scratch.take<double>(static_cast<Index>(chosen.size()));
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      kept[i] = rounded(v[chosen[i]], bits_);
      if (!std::isfinite(kept[i]))
        numeric_error(std::isfinite(v[chosen[i]]) ? "a value is above float32's range" : "a value is not finite");
    }
    std::fill(decoded.begin(), decoded.end(), 0.0);
    for (std::size_t i = 0; i < chosen.size(); ++i) decoded[chosen[i]] = kept[i];
    return encode_index_set(chosen, decoded, bits_, payload, scratch);
  }

  void decode(ByteView payload, std::span<double> out, Scratch& scratch) const override {
    decode_index_set(payload, k_, bits_, out, scratch);
  }

  bool unbiased() const override { return whole_; }
  double omega(Index d) const override { return 1 - alpha(d); }
  double alpha(Index d) const override { return static_cast<double>(k_) / static_cast<double>(d); }

 private:
  Index k_;
  int bits_;
  bool whole_;  // k is the dimension, so no coordinate is left out
};

}  // namespace

CompressorRow top_k_row() {
  return {"top-k", "the k largest coordinates; biased, for error feedback", "k bits", false,
          [](const CompressorSpec& spec, Index d) { return std::make_unique<TopK>(spec.k, spec.bits, spec.k == d); }};
}

}  // namespace pollen::compress
