// Writes qsgd's levels in the dense layout. The code of a coordinate, gamma(level + 1) and the sign, is
// ⌊log2(level + 1)⌋ zeros followed by the digits of 2·(level + 1) + sign; a zero level has no sign. SIMD code joins the
// codes of two neighbours, so that the serial part, which places bits one after another, has half as much to do.
#include <algorithm>

#include "qsgd_code.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "qsgd_write_dense.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace pollen::compress::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Words = hn::ScalableTag<std::uint64_t>;
using Halves = hn::Repartition<std::uint32_t, Words>;
using SignedHalves = hn::RebindToSigned<Halves>;
using Floats = hn::RebindToFloat<Halves>;

constexpr std::size_t kChunk = 64;  // pairs that are joined at a time

// Joined codes, each at the top of 64 bits with zeros below, and their lengths.
struct Pairs {
  HWY_ALIGN std::uint64_t code[kChunk];
  HWY_ALIGN std::uint64_t length[kChunk];
};

// Joins the two levels in each 64-bit lane; the first level of a pair is the low half.
HWY_INLINE void join_lanes(const std::uint32_t* levels, std::uint64_t* code, std::uint64_t* length) {
  const Words u64;
  const Halves u32;
  const auto level_and_sign = hn::Load(u32, levels);
  const auto one_more = hn::BitCast(SignedHalves(), hn::Add(hn::ShiftRight<1>(level_and_sign), hn::Set(u32, 1u)));
  const auto biased_log = hn::ShiftRight<23>(hn::BitCast(u32, hn::ConvertTo(Floats(), one_more)));  // ⌊log2⌋ + 127
  const auto zero = hn::Eq(level_and_sign, hn::Zero(u32));
  const auto digits = hn::IfThenElse(zero, hn::Set(u32, 1u), hn::Add(level_and_sign, hn::Set(u32, 2u)));
  const auto offset = hn::IfThenElse(zero, hn::Set(u32, 253u), hn::Set(u32, 252u));
  const auto digits2 = hn::BitCast(u64, digits);
  const auto length2 = hn::BitCast(u64, hn::Sub(hn::Add(biased_log, biased_log), offset));
  const auto low_half = hn::Set(u64, std::uint64_t{0xffffffff});
  const auto second_length = hn::ShiftRight<32>(length2);
  const auto joined = hn::Or(hn::Shl(hn::And(digits2, low_half), second_length), hn::ShiftRight<32>(digits2));
  const auto joined_length = hn::Add(hn::And(length2, low_half), second_length);
  hn::Store(hn::Shl(joined, hn::Sub(hn::Set(u64, std::uint64_t{64}), joined_length)), u64, code);
  hn::Store(joined_length, u64, length);
}

// Writes `count` pairs. kPairs of them always fit one put_top().
template <std::size_t kPairs>
HWY_INLINE void put_pairs(BitWriter& writer, const Pairs& pairs, std::size_t count) {
  std::size_t j = 0;
  for (; j + kPairs <= count; j += kPairs) {
    std::uint64_t code = pairs.code[j];
    std::uint64_t length = pairs.length[j];
    for (std::size_t g = 1; g < kPairs; ++g) {
      code |= pairs.code[j + g] >> length;
      length += pairs.length[j + g];
    }
    writer.put_top(code, static_cast<unsigned>(length));
  }
  for (; j < count; ++j) writer.put_top(pairs.code[j], static_cast<unsigned>(pairs.length[j]));
}

template <std::size_t kPairs>
HWY_INLINE BitWriter put_all(BitWriter writer, const std::uint32_t* levels, std::size_t count) {
  Pairs pairs;
  for (std::size_t first = 0; first < count; first += kChunk) {
    const std::size_t some = std::min(kChunk, count - first);
    for (std::size_t j = 0; j < some; j += hn::Lanes(Words()))
      join_lanes(levels + 2 * (first + j), pairs.code + j, pairs.length + j);
    put_pairs<kPairs>(writer, pairs, some);
  }
  return writer;
}

// Writes all levels in pairs, except the last one if their number is odd. The writer is passed by value throughout:
// otherwise the compiler must assume that its stores could overwrite the writer itself.
BitWriter put_in_pairs(BitWriter writer, Levels levels, std::uint32_t most_level) {
  const std::size_t count = levels.size() / 2;
  switch (BitWriter::kMost / (2 * longest_dense(most_level))) {
    case 1:
      return put_all<1>(writer, levels.data(), count);
    case 2:
      return put_all<2>(writer, levels.data(), count);
    default:
      return put_all<3>(writer, levels.data(), count);
  }
}

}  // namespace pollen::compress::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pollen::compress {

HWY_EXPORT(put_in_pairs);

BitWriter put_dense(BitWriter writer, Levels levels, std::uint32_t most_level) {
  std::size_t done = 0;
  if (2 * longest_dense(most_level) <= BitWriter::kMost) {
    writer = HWY_DYNAMIC_DISPATCH(put_in_pairs)(writer, levels, most_level);
    done = levels.size() / 2 * 2;
  }
  for (const std::uint32_t level_and_sign : levels.subspan(done)) {
    const std::uint32_t digits = level_and_sign + 2;
    const unsigned no_sign = level_and_sign == 0 ? 1 : 0;
    writer.put(digits >> no_sign, 2 * log2_floor(digits) - no_sign);
  }
  return writer;
}

}  // namespace pollen::compress
#endif
