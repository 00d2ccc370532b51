// Implements random_words, uniforms and normals: Philox and the transforms, compiled for AVX2 and AVX-512 and chosen at
// run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "generate.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
//
#include <cstring>

#include "counter.h"
#include "hwy/highway.h"
#include "pollen/random.h"
#include "random/philox-inl.h"
#include "transforms-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pollen {
namespace HWY_NAMESPACE {

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
