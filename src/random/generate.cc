// Implements random_words, uniforms and normals: Philox and the transforms, compiled for AVX2 and AVX-512 and chosen at
// run time. How 64-bit words become uniforms and normals is a contract, because every run's draws follow from it; the
// tests store known answers.
//
//   uniform(a)  = (a >> 11) · 2^-53
//   normals(a, b): u = 1 - uniform(a) in (0, 1];  r = sqrt(-2 log u), at most 8.58
//                  x = ((b >> 10) mod 2^52) · 2^-52 - 1/2 in [-1/2, 1/2);  c = cos(πx/2), s = sin(πx/2)
//                  bit 63 of b set: c ← -c.  bit 62 set: (r·s, r·c), otherwise (r·c, r·s)
// The point (c, s) lies in the right quarter of the circle, and the two bits carry it to the four quarters. Every
// operation is elementwise and correctly rounded (fused where written so), so all targets give the same bits.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "generate.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
//
#include <cstring>

#include "hwy/highway.h"
#include "pollen/random.h"
#include "random/philox-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pollen {
namespace HWY_NAMESPACE {

// Holds the top 53 bits of a 64-bit word as two doubles; their sum minus (2^20 + 1/2) is exactly the uniform. AVX2 has
// no instruction that turns a 64-bit integer into a double, so the 32 + 21 bits are placed under exponents that give
// them their weight.
template <class DF>
struct SplitUniform {
  hn::Vec<DF> high;  // 2^20 + (bits 63..32) · 2^-32
  hn::Vec<DF> low;   // 1/2 + (bits 31..11) · 2^-53
};

inline constexpr double kSplitOffset = 1048576.5;

template <class DF, class VU>
HWY_INLINE SplitUniform<DF> Split(DF df, VU word) {
  const hn::RebindToUnsigned<DF> du;
  const auto high = hn::Or(hn::ShiftRight<32>(word), hn::Set(du, std::uint64_t{0x4130000000000000}));
  const auto low = hn::And(hn::ShiftRight<11>(word), hn::Set(du, std::uint64_t{0x1fffff}));
  return {hn::BitCast(df, high), hn::BitCast(df, hn::Or(low, hn::Set(du, std::uint64_t{0x3fe0000000000000})))};
}

template <class DF, class VU>
HWY_INLINE hn::Vec<DF> ToUniform(DF df, VU word) {
  const SplitUniform<DF> parts = Split(df, word);
  return hn::Add(hn::Sub(parts.high, hn::Set(df, kSplitOffset)), parts.low);
}

// Returns 1 - uniform, exactly.
template <class DF, class VU>
HWY_INLINE hn::Vec<DF> ToPositiveUniform(DF df, VU word) {
  const SplitUniform<DF> parts = Split(df, word);
  return hn::Sub(hn::Sub(hn::Set(df, kSplitOffset + 1.0), parts.high), parts.low);
}

// Computes sqrt(-2 log u) for u in [2^-53, 1]. It writes u = 2^k m with m in [√½, √2). With f = m - 1, s = f / (2 + f)
// and z = s², log m = f - s (f - z L(z)), where z L(z) = 2 atanh(s)/s - 2 and L is a fit with relative error 4e-16.
template <class DF, class V>
HWY_INLINE V Radius(DF df, V u) {
  const hn::RebindToUnsigned<DF> du;
  const auto root_half = hn::Set(du, std::uint64_t{0x3fe6a09e00000000});
  const auto shifted = hn::Add(hn::BitCast(du, u), hn::Set(du, std::uint64_t{0x3ff0000000000000 - 0x3fe6a09e00000000}));
  const auto k_bits = hn::Or(hn::ShiftRight<52>(shifted), hn::Set(du, std::uint64_t{0x4330000000000000}));
  const V k = hn::Sub(hn::BitCast(df, k_bits), hn::Set(df, 4503599627370496.0 + 1023.0));
  const auto mantissa = hn::And(shifted, hn::Set(du, std::uint64_t{0x000fffffffffffff}));
  const V f = hn::Sub(hn::BitCast(df, hn::Add(mantissa, root_half)), hn::Set(df, 1.0));
  const V s = hn::Div(f, hn::Add(f, hn::Set(df, 2.0)));
  const V z = hn::Mul(s, s);
  const V z2 = hn::Mul(z, z);
  V odd = hn::MulAdd(z2, hn::Set(df, 0.15331611722055008), hn::Set(df, 0.22222211089379496));
  V even = hn::MulAdd(z2, hn::Set(df, 0.14617807153417325), hn::Set(df, 0.1818289243253687));
  odd = hn::MulAdd(z2, odd, hn::Set(df, 0.3999999999989889));
  even = hn::MulAdd(z2, even, hn::Set(df, 0.28571428626253836));
  even = hn::MulAdd(z2, even, hn::Set(df, 0.666666666666667));
  const V poly = hn::Mul(z, hn::MulAdd(z, odd, even));
  const V minus_log_m = hn::MulSub(s, hn::Sub(f, poly), f);
  const V minus_two_log = hn::MulAdd(minus_log_m, hn::Set(df, 2.0), hn::Mul(k, hn::Set(df, -1.3862943611198906)));
  return hn::Sqrt(minus_two_log);
}

template <class DF>
struct Pair {
  hn::Vec<DF> first;
  hn::Vec<DF> second;
};

// Computes (cos, sin) of πx/2 for |x| ≤ 1/2 with polynomials in x² whose relative error is below 1e-16.
template <class DF, class V>
HWY_INLINE Pair<DF> CosSin(DF df, V x) {
  const V t = hn::Mul(x, x);
  V c = hn::MulAdd(t, hn::Set(df, -6.329396344967424e-09), hn::Set(df, 4.710678405505227e-07));
  V s = hn::MulAdd(t, hn::Set(df, 5.633933781537854e-08), hn::Set(df, -3.59864335298231e-06));
  c = hn::MulAdd(t, c, hn::Set(df, -2.5202039028029178e-05));
  s = hn::MulAdd(t, s, hn::Set(df, 0.0001604411507421909));
  c = hn::MulAdd(t, c, hn::Set(df, 0.0009192602745468447));
  s = hn::MulAdd(t, s, hn::Set(df, -0.004681754132340976));
  c = hn::MulAdd(t, c, hn::Set(df, -0.020863480763340773));
  s = hn::MulAdd(t, s, hn::Set(df, 0.07969262624604301));
  c = hn::MulAdd(t, c, hn::Set(df, 0.2536695079010478));
  s = hn::MulAdd(t, s, hn::Set(df, -0.6459640975062443));
  c = hn::MulAdd(t, c, hn::Set(df, -1.2337005501361697));
  s = hn::MulAdd(t, s, hn::Set(df, 1.5707963267948966));
  return {hn::MulAdd(t, c, hn::Set(df, 1.0)), hn::Mul(x, s)};
}

template <class DF, class VU>
HWY_INLINE Pair<DF> ToNormals(DF df, VU a, VU b) {
  const hn::RebindToUnsigned<DF> du;
  const auto r = Radius(df, ToPositiveUniform(df, a));
  const auto x_bits = hn::Or(hn::ShiftRight<12>(hn::ShiftLeft<2>(b)), hn::Set(du, std::uint64_t{0x3ff0000000000000}));
  const Pair<DF> point = CosSin(df, hn::Sub(hn::BitCast(df, x_bits), hn::Set(df, 1.5)));
  const auto sign = hn::BitCast(df, hn::And(b, hn::Set(du, std::uint64_t{1} << 63)));
  const auto c = hn::Mul(r, hn::Xor(point.first, sign));
  const auto s = hn::Mul(r, point.second);
  const auto swap = hn::BitCast(df, hn::ShiftLeft<1>(b));
  return {hn::IfNegativeThenElse(swap, s, c), hn::IfNegativeThenElse(swap, c, s)};
}

using DU = hn::ScalableTag<std::uint64_t>;
using DF = hn::ScalableTag<double>;

// Each maker turns one counter into two 64-bit items. It writes the items of a vector of counters in counter order.
struct WordMaker {
  using Item = std::uint64_t;
  static HWY_INLINE void Store(const Words<DU>& w, Item* out) { StoreWords(DU(), w, out); }
};

struct UniformMaker {
  using Item = double;
  static HWY_INLINE void Store(const Words<DU>& w, Item* out) {
    const DU du;
    const DF df;
    const auto first = ToUniform(df, JoinHalves(du, w.w[0], w.w[1]));
    StorePairs(df, first, ToUniform(df, JoinHalves(du, w.w[2], w.w[3])), out);
  }
};

struct NormalMaker {
  using Item = double;
  static HWY_INLINE void Store(const Words<DU>& w, Item* out) {
    const DU du;
    const DF df;
    const Pair<DF> pair = ToNormals(df, JoinHalves(du, w.w[0], w.w[1]), JoinHalves(du, w.w[2], w.w[3]));
    StorePairs(df, pair.first, pair.second, out);
  }
};

// Writes `bytes` bytes of the items of counters first, first + 1, ... A counter's items do not depend on its position
// in a vector, so the last vector is simply cut short.
template <class Maker>
HWY_INLINE void Generate(const Stream& stream, std::uint64_t first, void* out, std::size_t bytes) {
  constexpr std::size_t kBatch = 2;
  constexpr std::size_t kVector = 2 * HWY_LANES(std::uint64_t);  // items that one vector of counters yields
  using Item = typename Maker::Item;
  auto* to = static_cast<unsigned char*>(out);
  const Schedule<DU> schedule(DU(), stream);
  Words<DU> words[kBatch];
  for (; bytes >= kBatch * kVector * 8; bytes -= kBatch * kVector * 8) {
    PhiloxBatch<kBatch>(DU(), schedule, first, words);
    for (std::size_t b = 0; b < kBatch; ++b) Maker::Store(words[b], reinterpret_cast<Item*>(to) + b * kVector);
    first += kBatch * HWY_LANES(std::uint64_t);
    to += kBatch * kVector * 8;
  }
  if (bytes == 0) return;
  HWY_ALIGN Item rest[kBatch * kVector];
  if (bytes > kVector * 8) {
    PhiloxBatch<kBatch>(DU(), schedule, first, words);
    for (std::size_t b = 0; b < kBatch; ++b) Maker::Store(words[b], rest + b * kVector);
  } else {
    Words<DU> last[1];
    PhiloxBatch<1>(DU(), schedule, first, last);
    Maker::Store(last[0], rest);
  }
  std::memcpy(to, rest, bytes);
}

void RandomWords(const Stream& stream, std::uint64_t first, void* out, std::size_t bytes) {
  Generate<WordMaker>(stream, first, out, bytes);
}
void Uniforms(const Stream& stream, double* out, std::size_t count) {
  Generate<UniformMaker>(stream, 0, out, count * 8);
}
void Normals(const Stream& stream, std::uint64_t first, double* out, std::size_t count) {
  Generate<NormalMaker>(stream, first, out, count * 8);
}

double NormalFromWords(std::uint64_t a, std::uint64_t b) {
  const hn::CappedTag<double, 1> df;
  const hn::RebindToUnsigned<decltype(df)> du;
  return hn::GetLane(ToNormals(df, hn::Set(du, a), hn::Set(du, b)).first);
}

}  // namespace HWY_NAMESPACE
}  // namespace pollen
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pollen {

HWY_EXPORT(RandomWords);
HWY_EXPORT(Uniforms);
HWY_EXPORT(Normals);
HWY_EXPORT(NormalFromWords);

void random_words(const Stream& stream, std::span<std::uint32_t> out, std::uint64_t first_word) {
  HWY_DYNAMIC_DISPATCH(RandomWords)(stream, first_word / 4, out.data(), out.size_bytes());
}

void random_words64(const Stream& stream, std::span<std::uint64_t> out, std::uint64_t first) {
  HWY_DYNAMIC_DISPATCH(RandomWords)(stream, first / 2, out.data(), out.size_bytes());
}

void uniforms(const Stream& stream, std::span<double> out) {
  HWY_DYNAMIC_DISPATCH(Uniforms)(stream, out.data(), out.size());
}

void normals(const Stream& stream, std::span<double> out, std::uint64_t first) {
  HWY_DYNAMIC_DISPATCH(Normals)(stream, first / 2, out.data(), out.size());
}

double normal_from_words(std::uint64_t radius_word, std::uint64_t angle_word) {
  return HWY_DYNAMIC_DISPATCH(NormalFromWords)(radius_word, angle_word);
}

}  // namespace pollen
#endif  // HWY_ONCE
