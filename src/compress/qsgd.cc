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

constexpr std::size_t kBlock = 2048;  // coordinates a turn: words and their values stay in the first-level cache

// Random words are made 64 at a time; a whole number of batches saves the copy of the last one.
constexpr std::size_t whole_batches(std::size_t count) { return (count + 63) / 64 * 64; }

// ‖v‖ rounded up to float32; 0 where it is below the normal range.
float wire_norm(std::span<const double> v) {
  const double norm = std::sqrt(math::squared_norm(v));
  if (!(norm <= double{FLT_MAX})) {
    numeric_error(math::all_finite(v) ? "the norm is above float32's range" : "a value is not finite");
  }
  if (norm < double{FLT_MIN}) return 0;
  const float nearest = static_cast<float>(norm);
  return double{nearest} < norm ? std::bit_cast<float>(std::bit_cast<std::uint32_t>(nearest) + 1) : nearest;
}

// Levels in both forms and the choice between the layouts.
struct Quantised {
  std::span<std::uint32_t> levels;  // empty where only lengths are wanted
  std::span<std::uint64_t> bitmap;
  bool sparse = false;
  std::uint64_t code_bits = 0;  // of the chosen layout, flag included
};

void choose_layout(const QuantiseSums& sums, std::size_t d, Quantised& q) {
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
    const float norm = wire_norm(v);
    Scratch::Frame frame(scratch);
    Quantised q;
    if (norm == 0) {
      std::fill(decoded.begin(), decoded.end(), 0.0);
    } else {
      const Index d = static_cast<Index>(v.size());
      q.bitmap = scratch.take<std::uint64_t>((d + 63) / 64);
      if (payload != nullptr) q.levels = scratch.take<std::uint32_t>(padded(d)).first(v.size());
      quantise_all(v, stream, norm, decoded, q, scratch);
    }
    const std::size_t bytes = sizeof norm + bytes_of_bits(q.code_bits);
    if (payload != nullptr) write(norm, q, Appended(*payload, bytes).data());
    return static_cast<std::int64_t>(bytes * 8);
  }

  void decode(ByteView payload, std::span<double> out, Scratch&) const override {
    float norm;
    if (payload.size() < sizeof norm) wire_error("truncated");
    std::memcpy(&norm, payload.data(), sizeof norm);
    const ByteView rest = payload.subspan(sizeof norm);
    if (std::bit_cast<std::uint32_t>(norm) == 0) {
      if (!rest.empty()) wire_error("trailing bytes");
      std::fill(out.begin(), out.end(), 0.0);
      return;
    }
    if (!(norm >= FLT_MIN && norm <= FLT_MAX)) wire_error("bad norm");
    BitReader reader(rest);
    reader.refill();
    const bool sparse = reader.window() >> 63 != 0;
    reader.skip(1);
    const LevelScale scale{s_, double{norm} / s_};
    sparse ? take_sparse(reader, scale, out) : take_dense(reader, scale, out);
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
  void quantise_all(std::span<const double> v, const Stream& stream, float norm, std::span<double> decoded,
                    Quantised& q, Scratch& scratch) const {
    const std::size_t d = v.size();
    const std::span<std::uint32_t> words =
        scratch.take<std::uint32_t>(static_cast<Index>(whole_batches(std::min(d, kBlock))));
    q.bitmap.back() = 0;  // the kernel writes bytes, as many as there are groups of eight
    QuantiseJob job{.words = words.data(), .scale = s_ / double{norm}, .unit = double{norm} / s_, .top = double(s_)};
    QuantiseSums sums;
    for (std::size_t first = 0; first < d; first += kBlock) {
      job.count = std::min(kBlock, d - first);
      job.v = v.data() + first;
      job.decoded = decoded.data() + first;
      job.levels = q.levels.empty() ? nullptr : q.levels.data() + first;
      job.bitmap = reinterpret_cast<std::uint8_t*>(q.bitmap.data()) + first / 8;
      random_words(stream, words.first(whole_batches(job.count)), first);
      quantise(job, sums);
    }
    choose_layout(sums, d, q);
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
