#include "shifted_layers.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "shifted_layers.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
//
#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace pollen::compress::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::ScalableTag<double>;
using Vector = hn::Vec<Lanes>;

constexpr std::size_t kWidth = HWY_LANES(double);

// Calls each(i, load, store) for every SIMD vector of `count` numbers. load(pointer) reads and store(vector, pointer)
// writes the numbers that exist; others are read as zeros.
template <class Each>
HWY_INLINE void for_vectors(std::size_t count, const Each& each) {
  const Lanes f64;
  std::size_t i = 0;
  for (; i + kWidth <= count; i += kWidth)
    each(
        i, [f64](const double* from) HWY_ATTR { return hn::LoadU(f64, from); },
        [f64](Vector x, double* to) HWY_ATTR { hn::StoreU(x, f64, to); });
  if (i == count) return;
  const auto inside = hn::FirstN(f64, count - i);
  each(
      i, [&](const double* from) HWY_ATTR { return hn::MaskedLoad(inside, f64, from); },
      [&](Vector x, double* to) HWY_ATTR { hn::BlendedStore(x, inside, f64, to); });
}

// Turns X, V and a uniform number into width, centre and dither, in place. V is 0 once in 2^53 draws and then taken as
// 2^-54.
void make_layers(double* width, double* centre, double* dither, std::size_t count) {
  const Lanes f64;
  for_vectors(count, [&](std::size_t i, const auto& load, const auto& store) HWY_ATTR {
    const Vector half = hn::Set(f64, 0.5), minus_two = hn::Set(f64, -2.0);
    const Vector x = load(width + i);
    const Vector log_v = hn::Log(f64, hn::Max(load(centre + i), hn::Set(f64, 0x1p-54)));
    const Vector level = hn::MulSub(hn::Mul(x, x), half, log_v);
    const Vector outer = hn::Sqrt(hn::Add(level, level));
    const Vector rest = hn::Neg(hn::Expm1(f64, hn::Neg(level)));  // 1 - t
    const Vector inner = hn::Sqrt(hn::Abs(hn::Mul(hn::Log(f64, rest), minus_two)));
    store(hn::Add(outer, inner), width + i);
    store(hn::Xor(hn::Mul(hn::Sub(outer, inner), half), hn::And(x, hn::SignBit(f64))), centre + i);
    store(hn::Sub(load(dither + i), half), dither + i);
  });
}

HWY_INLINE Vector restored(Vector step, Vector width, Vector centre, Vector dither, Vector spread) {
  return hn::Mul(hn::MulAdd(hn::Add(step, dither), width, centre), spread);
}

bool quantise_all(const Layers& layers, double spread, std::span<const double> v, double most, std::span<double> steps,
                  std::span<double> decoded) {
  const Lanes f64;
  const Vector scale = hn::Set(f64, 1 / spread), s = hn::Set(f64, spread), bound = hn::Set(f64, most);
  const Vector least = hn::Set(f64, 1.0);  // below every width; only lanes behind the last coordinate have less
  auto inside = hn::FirstN(f64, kWidth);
  for_vectors(v.size(), [&](std::size_t i, const auto& load, const auto& store) HWY_ATTR {
    const Vector width = load(&layers.width[i]), dither = load(&layers.dither[i]);
    const Vector x = hn::Mul(load(&v[i]), scale);
    const Vector step = hn::Round(hn::Sub(hn::Div(x, hn::Max(width, least)), dither));
    inside = hn::And(inside, hn::Lt(hn::Abs(step), bound));
    store(step, &steps[i]);
    store(restored(step, width, load(&layers.centre[i]), dither, s), &decoded[i]);
  });
  return hn::AllTrue(f64, inside);
}

void restore_all(const Layers& layers, double spread, std::span<const double> steps, std::span<double> decoded) {
  const Vector s = hn::Set(Lanes(), spread);
  for_vectors(steps.size(), [&](std::size_t i, const auto& load, const auto& store) HWY_ATTR {
    store(restored(load(&steps[i]), load(&layers.width[i]), load(&layers.centre[i]), load(&layers.dither[i]), s),
          &decoded[i]);
  });
}

}  // namespace pollen::compress::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pollen::compress {

HWY_EXPORT(make_layers);
HWY_EXPORT(quantise_all);
HWY_EXPORT(restore_all);

Layers take_layers(Index d, Scratch& scratch) {
  return {scratch.take<double>(d), scratch.take<double>(d), scratch.take<double>(d)};
}

void draw_layers(const Stream& stream, const Layers& out) {
  Stream next = stream;
  normals(next, out.width);
  ++next.step;
  uniforms(next, out.centre);
  ++next.step;
  uniforms(next, out.dither);
  HWY_DYNAMIC_DISPATCH(make_layers)(out.width.data(), out.centre.data(), out.dither.data(), out.width.size());
}

bool quantise_in(const Layers& layers, double spread, std::span<const double> v, double most, std::span<double> steps,
                 std::span<double> decoded) {
  return HWY_DYNAMIC_DISPATCH(quantise_all)(layers, spread, v, most, steps, decoded);
}

void restore_in(const Layers& layers, double spread, std::span<const double> steps, std::span<double> decoded) {
  HWY_DYNAMIC_DISPATCH(restore_all)(layers, spread, steps, decoded);
}

}  // namespace pollen::compress
#endif  // HWY_ONCE
