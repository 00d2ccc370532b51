// The compressor qsgd(s) (Alistarh et al. 2017): C_j(v) = ±(‖v‖/s)·level_j, where level_j is s|v_j|/‖v‖ rounded at
// random, without bias, to a whole number.
//
// The payload starts with the norm as float32, rounded up. Unless the norm is zero, a flag bit follows (1 means sparse)
// and then the levels in the shorter of the two layouts of qsgd_code.h, dense if both have the same length. Zero bits
// fill the last byte.
#include "compress/qsgd.h"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstring>

#include "kinds.h"
#include "math/math.h"
#include "payload.h"
#include "qsgd_code.h"
#include "qsgd_kernel.h"

namespace pollen::compress {
namespace {

// The layout that was chosen for a message.
struct Layout {
  Positions nonzeros = {};  // empty if the dense layout was known to be shorter without them
  bool sparse = false;
  std::uint64_t code_bits = 0;  // length of the levels in the chosen layout
};

// Chooses the shorter layout. `positions` are those of the non-zeros as the kernel found them, null if it did not.
Layout choose_layout(const QsgdCounts& counts, std::span<const double> decoded, std::uint32_t* positions,
                     Scratch& scratch) {
  const std::uint64_t dense = qsgd_dense_bits(counts);
  const std::uint64_t least_gaps = counts.nonzeros + 1;  // the gaps take at least one bit each
  if (qsgd_sparse_bits(counts, least_gaps) >= dense) return {.code_bits = dense};
  if (positions == nullptr) {
    positions = scratch.take<std::uint32_t>(static_cast<Index>(counts.nonzeros + kBeyond)).data();
    find_nonzeros(decoded, positions);
  }
  const Positions nonzeros(positions, counts.nonzeros);
  const std::uint64_t sparse = qsgd_sparse_bits(counts, gap_length(nonzeros, decoded.size()));
  return {nonzeros, sparse < dense, std::min(dense, sparse)};
}

class Qsgd final : public Compressor {
 public:
  explicit Qsgd(std::uint32_t levels) : s_(levels) {}

  std::int64_t encode(std::span<const double> v, const Stream& stream, std::span<double> decoded, Bytes* payload,
                      Scratch& scratch) const override {
    Encoding job{v, stream, decoded, payload};
    encode_all({&job, 1}, scratch);
    return job.bits;
  }

  void encode_all(std::span<Encoding> jobs, Scratch& scratch) const override {
    for (std::size_t first = 0; first < jobs.size(); first += kTogether) {
      const auto some = jobs.subspan(first, std::min(kTogether, jobs.size() - first));
      Scratch::Frame frame(scratch);
      std::array<QuantiseJob, kTogether> levels;
      for (std::size_t i = 0; i < some.size(); ++i) {
        const std::size_t d = some[i].v.size();
        levels[i].what = &some[i];
        if (d >= few_from_) {
          levels[i].positions = scratch.take<std::uint32_t>(static_cast<Index>(d + kBeyond)).data();
        } else if (some[i].payload != nullptr) {
          levels[i].levels = scratch.take<std::uint32_t>(whole_groups(d)).data();
        }
      }
      quantise(std::span(levels).first(some.size()), s_);
      for (std::size_t i = 0; i < some.size(); ++i) finish(levels[i], some[i], scratch);
    }
  }

  void decode(ByteView payload, std::span<double> out, Scratch&) const override { read(start(payload), out); }

  void decode_two(const std::array<ByteView, 2>& payloads, const std::array<std::span<double>, 2>& out,
                  Scratch&) const override {
    const Started first = start(payloads[0]), second = start(payloads[1]);
    if (first.kind == Kind::dense && second.kind == Kind::dense && out[0].size() == out[1].size()) {
      take_dense_two({first.reader, second.reader}, {first.unit, second.unit}, s_, out);
    } else {
      read(first, out[0]);
      read(second, out[1]);
    }
  }

  void decode_add(ByteView payload, double weight, std::span<double> out, Scratch& scratch) const override {
    const Started from = start(payload);
    if (from.kind == Kind::sparse) return add_sparse(from.reader, {s_, from.unit}, weight, out);
    if (from.kind == Kind::dense) Compressor::decode_add(payload, weight, out, scratch);
  }

  bool unbiased() const override { return true; }
  double omega(Index d) const override {
    const double n = static_cast<double>(d), s = s_;
    return std::min(n / (s * s), std::sqrt(n) / s);
  }
  double alpha(Index d) const override { return alpha_of_omega(omega(d)); }
  double covariance(std::span<const double> v, std::span<double> diagonal) const override {
    const double unit = std::sqrt(math::squared_norm(v)) / s_;
    for (std::size_t j = 0; j < v.size(); ++j) {
      const double level = unit > 0 ? std::abs(v[j]) / unit : 0.0, part = level - std::floor(level);
      diagonal[j] = unit * unit * part * (1 - part);
    }
    return 0;
  }
  std::optional<double> bits_bound(Index dimension) const override {
    const double d = static_cast<double>(dimension), s = s_, root = std::sqrt(d);
    if (s * s + root <= d / 2) {
      return (3 + 1.5 * std::log2(2 * (s * s + d) / (s * (s + root)))) * s * (s + root) + 32;
    }
    return (0.5 * (std::log2(1 + (s * s + std::min(d, s * root)) / d) + 1) + 2) * d + 32;
  }

 private:
  static Index whole_groups(std::size_t d) { return static_cast<Index>((d + 63) / 64 * 64); }

  enum class Kind { zero, dense, sparse };

  // A payload whose norm and flag have been read; the reader stands at the first code.
  struct Started {
    BitReader reader;
    double unit;
    Kind kind;
  };

  Started start(ByteView payload) const {
    float norm;
    if (payload.size() < sizeof norm) wire_error(payload.size(), "bytes", "at least", sizeof norm);
    std::memcpy(&norm, payload.data(), sizeof norm);
    BitReader reader(payload.subspan(sizeof norm));
    if (std::bit_cast<std::uint32_t>(norm) == 0) {
      if (payload.size() > sizeof norm) wire_error(payload.size(), "bytes for a norm of zero", "exactly", sizeof norm);
      return {reader, 0, Kind::zero};
    }
    if (!(norm >= FLT_MIN && norm <= FLT_MAX))
      wire_error("found a norm that is negative, too small or not finite, accepted: 0 or a normal float32");
    reader.refill();
    const bool sparse = reader.window() >> 63 != 0;
    reader.skip(1);
    return {reader, double{norm} / s_, sparse ? Kind::sparse : Kind::dense};
  }

  void read(const Started& from, std::span<double> out) const {
    switch (from.kind) {
      case Kind::zero:
        return std::fill(out.begin(), out.end(), 0.0);
      case Kind::dense:
        return take_dense(from.reader, {s_, from.unit}, out);
      case Kind::sparse:
        return take_sparse(from.reader, {s_, from.unit}, out);
    }
  }

  // Computes the length of a quantised vector's message, and writes the message if the job has a payload.
  void finish(const QuantiseJob& quantised, Encoding& job, Scratch& scratch) const {
    const float norm = quantised.norm;
    Layout layout;
    if (norm > 0) {
      layout = choose_layout(quantised.counts, job.decoded, quantised.positions, scratch);
    } else if (norm == 0) {
      std::fill(job.decoded.begin(), job.decoded.end(), 0.0);
    } else {
      numeric_error(math::all_finite(job.v) ? "the norm is above float32's range" : "a value is not finite");
    }
    job.bits = qsgd_bits(norm, layout.code_bits);
    if (job.payload != nullptr) {
      Appended room(*job.payload, static_cast<std::size_t>(job.bits / 8));
      std::memcpy(room.data(), &norm, sizeof norm);
      if (norm > 0) write(quantised, layout, BitWriter(room.data() + sizeof norm), scratch);
    }
  }

  void write(const QuantiseJob& quantised, const Layout& layout, BitWriter writer, Scratch& scratch) const {
    const std::span<const double> decoded = quantised.what->decoded;
    const double per_unit = s_ / double{quantised.norm};
    Levels levels(quantised.levels, decoded.size());
    writer.put(layout.sparse ? 1 : 0, 1);
    if (layout.sparse && quantised.levels == nullptr) return put_sparse(writer, decoded, per_unit, layout.nonzeros);
    if (layout.sparse) return put_sparse(writer, levels, layout.nonzeros);
    if (quantised.levels == nullptr) {  // few non-zeros were expected but there are many
      const auto made = scratch.take<std::uint32_t>(whole_groups(decoded.size()));
      std::ranges::transform(decoded, made.begin(), [&](double value) { return level_and_sign(value, per_unit); });
      levels = made.first(decoded.size());
    }
    put_dense(writer, levels, s_);
  }

  std::uint32_t s_;
  // The dimension from which few non-zeros are expected: a coordinate of typical size ‖v‖/√d then has a level of at
  // most a quarter before it is rounded.
  std::uint64_t few_from_ = std::uint64_t{16} * s_ * s_;
};

}  // namespace

CompressorRow qsgd_row() {
  return {"qsgd", "random rounding to levels of the norm, Elias-coded; unbiased (Alistarh et al. 2017)", "levels", true,
          [](const CompressorSpec& spec, Index) { return std::make_unique<Qsgd>(spec.levels); }};
}

}  // namespace pollen::compress
