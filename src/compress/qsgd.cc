// The compressor qsgd(s) (Alistarh et al. 2017): C_j(v) = ±(‖v‖/s)·level_j, where level_j is s|v_j|/‖v‖ rounded at
// random, without bias, to a whole number. ‖v‖ is rounded up to 16 bits, for both ends.
//
// All vectors of a message are one bit string, whose first bit tells the shorter of two codes: the range code of
// number_stack.h with the probabilities of level_law.h (0), or the Elias codes of qsgd_code.h (1). A message of zeros
// has no bytes.
#include "compress/qsgd.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "kinds.h"
#include "level_law.h"
#include "math/math.h"
#include "payload.h"
#include "qsgd_code.h"
#include "qsgd_kernel.h"

namespace pollen::compress {
namespace {

constexpr unsigned kNormBits = 8 + kNormFraction;
constexpr unsigned kNormShift = 32 - 1 - kNormBits;  // of its bits within a float32

std::uint32_t norm_code(float norm) { return std::bit_cast<std::uint32_t>(norm) >> kNormShift; }

float norm_of(std::uint32_t code) {
  const auto norm = std::bit_cast<float>(code << kNormShift);
  if (code != 0 && !std::isnormal(norm))
    wire_error("found a norm that is too small or not finite, accepted: 0 or a normal float32");
  return norm;
}

// What codes need to know of a vector that was quantised.
struct QuantisedPart {
  float norm = 0;
  QsgdCounts counts;
};

// Quantises at most kTogether vectors, whose numbers (level·2 + sign) come to stand one after another, each vector's at
// the next multiple of 64.
std::span<std::uint32_t> quantise_parts(std::span<const Encoding> parts, std::uint32_t s, std::span<QuantisedPart> made,
                                        Scratch& scratch) {
  const std::size_t room = (parts.front().v.size() + 63) / 64 * 64;
  const auto levels = scratch.take<std::uint32_t>(static_cast<Index>(room * parts.size()));
  std::array<QuantiseJob, kTogether> jobs;
  for (std::size_t p = 0; p < parts.size(); ++p) jobs[p] = {&parts[p], levels.data() + p * room};
  quantise(std::span(jobs).first(parts.size()), s);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    made[p] = {jobs[p].norm, jobs[p].counts};
    if (std::isnan(made[p].norm))
      numeric_error(math::all_finite(parts[p].v) ? "the norm is above float32's range" : "a value is not finite");
    if (made[p].norm != 0) continue;
    std::ranges::fill(parts[p].decoded, 0.0);
    std::fill_n(jobs[p].levels, room, 0U);
  }
  return levels;
}

// The Elias codes of a message whose vectors were quantised.
class EliasMessage {
 public:
  EliasMessage(std::span<const Encoding> parts, std::span<const QuantisedPart> made, std::uint32_t s)
      : parts_(parts), made_(made), s_(s) {}

  // The length of the message if that is below `limit`, else `limit`.
  std::int64_t bits(std::int64_t limit, Scratch& scratch) const {
    std::uint64_t least = 0, exact = 0;
    for (const QuantisedPart& part : made_) least += qsgd_part_bits(part.norm, least_levels(part.counts));
    if (qsgd_elias_bits(least) >= limit) return limit;
    for (std::size_t p = 0; p < made_.size(); ++p) {
      Scratch::Frame frame(scratch);
      exact += qsgd_part_bits(made_[p].norm, made_[p].norm > 0 ? layout(p, scratch).bits : 0);
    }
    return std::min(limit, qsgd_elias_bits(exact));
  }

  void write(BitWriter writer, Scratch& scratch) const {
    writer.put(1, 1);
    for (std::size_t p = 0; p < made_.size(); ++p) {
      writer.put(norm_code(made_[p].norm), kNormBits);
      if (made_[p].norm == 0) continue;
      Scratch::Frame frame(scratch);
      const std::span<const double> decoded = parts_[p].decoded;
      const double per_unit = s_ / double{made_[p].norm};
      const auto levels = scratch.take<std::uint32_t>(static_cast<Index>((decoded.size() + 63) / 64 * 64));
      std::ranges::transform(decoded, levels.begin(), [&](double value) { return level_and_sign(value, per_unit); });
      const Layout chosen = layout(p, scratch);
      writer.put(chosen.sparse ? 1 : 0, 1);
      writer = chosen.sparse ? put_sparse(writer, levels.first(decoded.size()), chosen.nonzeros)
                             : put_dense(writer, levels.first(decoded.size()), s_);
    }
  }

 private:
  struct Layout {
    bool sparse = false;
    std::uint64_t bits = 0;
    Positions nonzeros = {};  // in the caller's scratch frame, if the layout is sparse
  };

  // The gaps between non-zeros take at least one bit each.
  static std::uint64_t least_levels(const QsgdCounts& counts) {
    return std::min(qsgd_dense_bits(counts), qsgd_sparse_bits(counts, counts.nonzeros + 1));
  }

  // The shorter layout of a vector, the dense one if both have the same length.
  Layout layout(std::size_t p, Scratch& scratch) const {
    const QsgdCounts& counts = made_[p].counts;
    const std::uint64_t dense = qsgd_dense_bits(counts);
    if (least_levels(counts) >= dense) return {.bits = dense};
    const auto positions = scratch.take<std::uint32_t>(static_cast<Index>(counts.nonzeros + kBeyond));
    find_nonzeros(parts_[p].decoded, positions.data());
    const Positions nonzeros = positions.first(counts.nonzeros);
    const std::uint64_t sparse = qsgd_sparse_bits(counts, gap_length(nonzeros, parts_[p].decoded.size()));
    return sparse < dense ? Layout{true, sparse, nonzeros} : Layout{.bits = dense};
  }

  std::span<const Encoding> parts_;
  std::span<const QuantisedPart> made_;
  std::uint32_t s_;
};

// Reads the levels of a message part by part. take(part, norm) is called when the levels of a part have been read.
template <class Take>
void read_elias(ByteView payload, std::uint32_t s, std::size_t parts, std::span<std::int32_t> levels, Take take) {
  BitReader reader(payload);
  reader.refill();
  reader.skip(1);
  for (std::size_t p = 0; p < parts; ++p) {
    reader.refill();
    const float norm = norm_of(static_cast<std::uint32_t>(reader.window() >> (64 - kNormBits)));
    reader.skip(kNormBits);
    if (norm == 0) {
      std::ranges::fill(levels, 0);
    } else {
      const bool sparse = reader.window() >> 63 != 0;
      reader.skip(1);
      reader = sparse ? take_sparse(reader, s, levels) : take_dense(reader, s, levels);
    }
    take(p, norm);
  }
  reader.finish();
}

class Qsgd final : public Compressor {
 public:
  Qsgd(std::uint32_t levels, Index d) : s_(levels), laws_(LevelLaws::shared(levels, d)) {}

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
  bool learns() const override { return true; }

  CodeMemory encode_joined(std::span<Encoding> parts, const CodeMemory& memory, Role, Bytes* payload,
                           Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    thread_local std::vector<std::uint32_t> digits;  // reused memory; it carries no state between calls
    StackWriter writer(digits);
    const auto made = scratch.take<QuantisedPart>(std::ssize(parts));
    const Wide sum = put_range(parts, memory, made, writer, scratch);
    for (Encoding& part : parts) part.bits = 0;
    const bool zero = std::ranges::all_of(made, [](const QuantisedPart& part) { return part.norm == 0; });
    if (zero) return after(memory, zero, 0, 1);
    const EliasMessage elias(parts, made, s_);
    const auto range_bits = 8 * static_cast<std::int64_t>(writer.bytes());
    const std::int64_t bits = parts.front().bits = elias.bits(range_bits, scratch);
    if (payload != nullptr) {
      Appended room(*payload, static_cast<std::size_t>(bits / 8));
      bits < range_bits ? elias.write(BitWriter(room.data()), scratch) : writer.write(room.data());
    }
    return after(memory, zero, sum, parts.front().v.size() * parts.size());
  }

  CodeMemory decode_joined(ByteView payload, std::span<const Decoding> parts, const CodeMemory& memory, Role,
                           Scratch& scratch) const override {
    if (payload.empty()) {
      for (const Decoding& part : parts) std::ranges::fill(part.out, 0.0);
      return after(memory, true, 0, 1);
    }
    Scratch::Frame frame(scratch);
    const auto levels = scratch.take<std::int32_t>(std::ssize(parts.front().out));
    bool zero = true;
    Wide sum = 0;
    const auto take = [&](std::size_t p, float norm) {
      zero = zero && norm == 0;
      sum += restore(levels, norm, parts[p].out);
    };
    if (payload[0] > 0x7f)
      read_elias(payload, s_, parts.size(), levels, take);
    else
      read_range(payload, memory, parts.size(), levels, take);
    if (zero) wire_error("found bytes for a message of zeros, accepted: none");
    return after(memory, zero, sum, levels.size() * parts.size());
  }

  bool unbiased() const override { return true; }
  double omega(Index d) const override {
    const double n = static_cast<double>(d), s = s_;
    return std::min(n / (s * s), std::sqrt(n) / s);
  }
  double alpha(Index d) const override { return alpha_of_omega(omega(d)); }
  double covariance(std::span<const double> v, std::span<double> diagonal) const override {
    const double unit = qsgd_norm(std::sqrt(math::squared_norm(v))) / s_;
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
  // Quantises all parts and puts them on the range code, the last one first, each behind its norm, and then the kind of
  // their law, which is that of the last ones. Returns the sum of all levels.
  Wide put_range(std::span<const Encoding> parts, const CodeMemory& memory, std::span<QuantisedPart> made,
                 StackWriter& writer, Scratch& scratch) const {
    const std::size_t d = parts.front().v.size();
    const bool tells = LevelLaws::tells_kind(d * parts.size());
    LevelKind kind = LevelKind::smooth;
    Wide sum = 0;
    for (std::size_t last = parts.size(); last > 0;) {
      const bool first_turn = last == parts.size();
      const std::size_t count = std::min(last, kTogether);
      last -= count;
      Scratch::Frame frame(scratch);
      const auto levels = quantise_parts(parts.subspan(last, count), s_, made.subspan(last, count), scratch);
      const auto of_part = [&](std::size_t p) { return levels.subspan(p * (levels.size() / count), d); };
      if (tells && first_turn) {
        LevelCount times;
        for (std::size_t p = 0; p < count; ++p) times.add(of_part(p));
        kind = laws_->best(memory, times);
      }
      const LevelLaw& law = laws_->of(memory, kind);
      for (std::size_t p = count; p-- > 0;) {
        const auto own = of_part(p);
        std::uint64_t all = 0;
        for (const std::uint32_t number : own) all += number / 2;
        sum += all;
        writer.put_bits(norm_code(made[last + p].norm), kNormBits);
        law.put(writer, own);
      }
    }
    if (tells) writer.put_bits(static_cast<std::uint64_t>(kind), kKindBits);
    return sum;
  }

  template <class Take>
  void read_range(ByteView payload, const CodeMemory& memory, std::size_t parts, std::span<std::int32_t> levels,
                  Take take) const {
    StackReader reader(payload);
    const bool tells = LevelLaws::tells_kind(levels.size() * parts);
    const LevelLaw& law = laws_->of(memory, tells ? LevelKind(reader.take_bits(kKindBits)) : LevelKind::smooth);
    for (std::size_t p = 0; p < parts; ++p) {
      reader = law.take(reader, levels);
      take(p, norm_of(reader.take_bits(kNormBits)));
    }
    reader.finish();
  }

  // A message of zeros says nothing about the levels of others.
  CodeMemory after(const CodeMemory& memory, bool zero, Wide sum, std::uint64_t numbers) const {
    const RunningMean& mean = laws_->mean();
    return zero ? CodeMemory{memory.updates + 1, mean.of(memory)} : mean.after(memory, sum, numbers);
  }

  // Writes ± level · norm / s and returns the sum of the levels.
  std::uint64_t restore(std::span<const std::int32_t> levels, float norm, std::span<double> out) const {
    const double unit = double{norm} / s_;
    std::uint64_t sum = 0;
    std::uint32_t most = 0;
    for (std::size_t j = 0; j < levels.size(); ++j) {
      const auto level = static_cast<std::uint32_t>(std::abs(levels[j]));
      sum += level;
      most = std::max(most, level);
      out[j] = static_cast<double>(levels[j]) * unit;
    }
    const std::uint32_t accepted = norm == 0 ? 0 : s_;
    if (most > accepted) wire_error(most, "as a level", "at most", accepted);
    return sum;
  }

  std::uint32_t s_;
  std::shared_ptr<const LevelLaws> laws_;
};

}  // namespace

CompressorRow qsgd_row() {
  return {"qsgd", "random rounding to levels of the norm, entropy-coded; unbiased (Alistarh et al. 2017)", "levels",
          true, [](const CompressorSpec& spec, Index d) { return std::make_unique<Qsgd>(spec.levels, d); }};
}

}  // namespace pollen::compress
