// qsgd(s) (Alistarh et al. 2017): C_j(v) = ±(‖v‖/s)·level_j, the level of s|v_j|/‖v‖ rounded at random to a whole
// number.
//
// Payload: the norm as float32, rounded up; then, unless it is zero, a flag bit (1: sparse) and the levels in the
// shorter of the two layouts of qsgd_code.h, dense if both are equal; zero bits up to a whole byte.
#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstring>

#include "elias.h"
#include "kinds.h"
#include "payload.h"
#include "pollen/math.h"
#include "qsgd_code.h"
#include "qsgd_kernel.h"

namespace pollen::compress {
namespace {

// Levels in both forms and the choice between the layouts.
struct Quantised {
  std::span<std::uint32_t> levels;  // empty where only lengths are wanted
  std::span<std::uint64_t> bitmap;
  bool sparse = false;
  std::uint64_t code_bits = 0;  // of the chosen layout, flag included
};

void choose_layout(const Quantisation& sums, std::size_t d, Quantised& q) {
  const std::uint64_t dense = d + sums.nonzeros + 2 * sums.dense_logs;
  const std::uint64_t signed_levels = 2 * (sums.nonzeros + sums.sparse_logs);
  const std::uint64_t least_gaps = sums.nonzeros + 1;  // one bit each
  q.code_bits = 1 + dense;
  if (signed_levels + least_gaps >= dense) return;
  const std::uint64_t sparse = signed_levels + gap_length(q.bitmap, d);
  q.sparse = sparse < dense;
  q.code_bits = 1 + std::min(dense, sparse);
}

class Qsgd final : public Compressor {
 public:
  explicit Qsgd(std::uint32_t levels) : s_(levels) {}

  std::int64_t encode(std::span<const double> v, const Stream& stream, std::span<double> decoded, Bytes* payload,
                      Scratch& scratch) const override {
    const Index d = static_cast<Index>(v.size());
    Scratch::Frame frame(scratch);
    Quantised q;
    q.bitmap = scratch.take<std::uint64_t>((d + 63) / 64);
    if (payload != nullptr) q.levels = scratch.take<std::uint32_t>((d + 63) / 64 * 64).first(v.size());
    const Quantisation sums = quantise({v, &stream, s_, decoded.data(), q.levels.data(), q.bitmap.data()});
    const float norm = sums.norm;
    if (norm > 0) {
      choose_layout(sums, v.size(), q);
    } else if (norm == 0) {
      std::fill(decoded.begin(), decoded.end(), 0.0);
    } else {
      numeric_error(math::all_finite(v) ? "the norm is above float32's range" : "a value is not finite");
    }
    const std::size_t bytes = sizeof norm + bytes_of_bits(q.code_bits);
    if (payload != nullptr) write(norm, q, Appended(*payload, bytes).data());
    return static_cast<std::int64_t>(bytes * 8);
  }

  void decode(ByteView payload, std::span<double> out, Scratch&) const override { finish(start(payload), out); }

  void decode_two(const std::array<ByteView, 2>& payloads, const std::array<std::span<double>, 2>& out,
                  Scratch&) const override {
    const Started first = start(payloads[0]), second = start(payloads[1]);
    if (first.layout == Layout::dense && second.layout == Layout::dense && out[0].size() == out[1].size()) {
      take_dense_two({first.reader, second.reader}, {first.unit, second.unit}, s_, out);
    } else {
      finish(first, out[0]);
      finish(second, out[1]);
    }
  }

  bool unbiased() const override { return true; }
  double omega(Index d) const override {
    const double n = static_cast<double>(d), s = s_;
    return std::min(n / (s * s), std::sqrt(n) / s);
  }
  double alpha(Index d) const override { return alpha_of_omega(omega(d)); }
  std::optional<double> bits_bound(Index dimension) const override {
    const double d = static_cast<double>(dimension), s = s_, root = std::sqrt(d);
    if (s * s + root <= d / 2) {
      return (3 + 1.5 * std::log2(2 * (s * s + d) / (s * (s + root)))) * s * (s + root) + 32;
    }
    return (0.5 * (std::log2(1 + (s * s + std::min(d, s * root)) / d) + 1) + 2) * d + 32;
  }

 private:
  enum class Layout { zero, dense, sparse };

  // A payload read up to its first code.
  struct Started {
    BitReader reader;
    double unit;
    Layout layout;
  };

  Started start(ByteView payload) const {
    float norm;
    if (payload.size() < sizeof norm) wire_error("truncated");
    std::memcpy(&norm, payload.data(), sizeof norm);
    BitReader reader(payload.subspan(sizeof norm));
    if (std::bit_cast<std::uint32_t>(norm) == 0) {
      if (payload.size() > sizeof norm) wire_error("trailing bytes");
      return {reader, 0, Layout::zero};
    }
    if (!(norm >= FLT_MIN && norm <= FLT_MAX)) wire_error("bad norm");
    reader.refill();
    const bool sparse = reader.window() >> 63 != 0;
    reader.skip(1);
    return {reader, double{norm} / s_, sparse ? Layout::sparse : Layout::dense};
  }

  void finish(const Started& from, std::span<double> out) const {
    switch (from.layout) {
      case Layout::zero:
        return std::fill(out.begin(), out.end(), 0.0);
      case Layout::dense:
        return take_dense(from.reader, {s_, from.unit}, out);
      case Layout::sparse:
        return take_sparse(from.reader, {s_, from.unit}, out);
    }
  }

  void write(float norm, const Quantised& q, std::uint8_t* at) const {
    std::memcpy(at, &norm, sizeof norm);
    if (norm == 0) return;
    BitWriter writer(at + sizeof norm);
    writer.put(q.sparse ? 1 : 0, 1);
    if (q.sparse) {
      put_sparse(writer, q.levels, q.bitmap);
    } else {
      put_dense(writer, q.levels, s_);
    }
  }

  std::uint32_t s_;
};

}  // namespace

std::unique_ptr<const Compressor> make_qsgd(std::uint32_t levels) { return std::make_unique<Qsgd>(levels); }

}  // namespace pollen::compress
