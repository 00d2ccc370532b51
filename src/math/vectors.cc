// Reductions and updates of vectors.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vectors.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
//
#include <bit>
#include <limits>
#include <span>

#include "hwy/highway.h"
#include "math/lanes-inl.h"
#include "math/math.h"

HWY_BEFORE_NAMESPACE();
namespace pollen::math {
namespace HWY_NAMESPACE {

using Numbers = std::span<const double>;

double Sum(Numbers x) {
  return Reduce(x.size(),
                [x](const Eight& sum, std::size_t i, auto load) HWY_ATTR { return AddEight(sum, load(&x[i])); });
}

double Dot(Numbers x, Numbers y) { return DotOf(x.data(), y.data(), x.size()); }

// Calls update(i, load, store) for every vector of the range; the last one is masked.
template <class Update>
HWY_INLINE void ForEachVector(std::size_t count, Update update) {
  const D d;
  const auto load = [d](const double* from) HWY_ATTR { return hn::LoadU(d, from); };
  const auto store = [d](V v, double* to) HWY_ATTR { hn::StoreU(v, d, to); };
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) update(i, load, store);
  if (i == count) return;
  const Mask rest = hn::FirstN(d, count - i);
  const auto load_rest = [d, rest](const double* from) HWY_ATTR { return hn::MaskedLoad(rest, d, from); };
  const auto store_rest = [d, rest](V v, double* to) HWY_ATTR { hn::BlendedStore(v, rest, d, to); };
  update(i, load_rest, store_rest);
}

void Axpy(double a, Numbers x, std::span<double> y) {
  const V factor = hn::Set(D(), a);
  ForEachVector(x.size(), [=](std::size_t i, auto load, auto store)
                              HWY_ATTR { store(hn::MulAdd(factor, load(&x[i]), load(&y[i])), &y[i]); });
}

void Scale(double a, std::span<double> x) {
  const V factor = hn::Set(D(), a);
  ForEachVector(x.size(),
                [=](std::size_t i, auto load, auto store) HWY_ATTR { store(hn::Mul(factor, load(&x[i])), &x[i]); });
}

void ScaleAdd(double a, Numbers y, std::span<double> x) {
  const V factor = hn::Set(D(), a);
  ForEachVector(x.size(), [=](std::size_t i, auto load, auto store)
                              HWY_ATTR { store(hn::Add(hn::Mul(factor, load(&x[i])), load(&y[i])), &x[i]); });
}

void Subtract(Numbers x, Numbers y, std::span<double> out) {
  ForEachVector(x.size(), [=](std::size_t i, auto load, auto store)
                              HWY_ATTR { store(hn::Sub(load(&x[i]), load(&y[i])), &out[i]); });
}

void Add(Numbers x, std::span<double> y) {
  ForEachVector(x.size(), [=](std::size_t i, auto load, auto store)
                              HWY_ATTR { store(hn::Add(load(&y[i]), load(&x[i])), &y[i]); });
}

void AffineLess(double a, Numbers offset, Numbers known, const ConstPanelView& x, const PanelView& out) {
  const V factor = hn::Set(D(), a);
  for (Index c = 0; c < x.columns; ++c) {
    ForEachVector(offset.size(),
                  [=, from = x.column(c), to = out.column(c)](std::size_t i, auto load, auto store) HWY_ATTR {
                    const V scaled = hn::MulSub(factor, load(&from[i]), load(&offset[i]));
                    store(hn::Sub(scaled, load(&known[i])), &to[i]);
                  });
  }
}

void AddAll(std::span<const double* const> terms, std::span<double> y) {
  ForEachVector(y.size(), [=](std::size_t i, auto load, auto store) HWY_ATTR {
    V sum = load(&y[i]);
    for (const double* term : terms) sum = hn::Add(sum, load(term + i));
    store(sum, &y[i]);
  });
}

// The maximum compares magnitudes as integers. Integers keep the order of the doubles and put NaN above infinity, so a
// NaN wins wherever it stands and the result does not depend on the order of the entries.
using DI = hn::RebindToSigned<D>;
using VI = hn::Vec<DI>;

HWY_INLINE VI LargerMagnitude(VI largest, V x) { return hn::Max(largest, hn::BitCast(DI(), hn::Abs(x))); }

HWY_INLINE double MagnitudeOf(VI largest) {
  const auto bits = hn::GetLane(hn::MaxOfLanes(DI(), largest));
  const double magnitude = std::bit_cast<double>(bits);
  return magnitude == magnitude ? magnitude : std::numeric_limits<double>::quiet_NaN();
}

double MaxAbs(Numbers x) {
  VI largest = hn::Zero(DI());
  ForEachVector(x.size(),
                [&](std::size_t i, auto load, auto) HWY_ATTR { largest = LargerMagnitude(largest, load(&x[i])); });
  return MagnitudeOf(largest);
}

// Sums 0·x: the product is NaN for every x that is not finite, and a sum that has met a NaN stays NaN.
bool AllFinite(Numbers x) {
  V sum = hn::Zero(D());
  ForEachVector(x.size(),
                [&](std::size_t i, auto load, auto) HWY_ATTR { sum = hn::MulAdd(load(&x[i]), hn::Zero(D()), sum); });
  return hn::AllTrue(D(), hn::Eq(sum, sum));
}

double LangevinStep(std::span<double> x, Numbers g, Numbers z, double step, double spread) {
  const V minus_step = hn::Set(D(), -step), factor = hn::Set(D(), spread);
  VI largest = hn::Zero(DI());
  ForEachVector(x.size(), [&](std::size_t i, auto load, auto store) HWY_ATTR {
    const V drifted = hn::MulAdd(minus_step, load(&g[i]), load(&x[i]));
    const V moved = hn::MulAdd(factor, load(&z[i]), drifted);
    largest = LargerMagnitude(largest, moved);
    store(moved, &x[i]);
  });
  return MagnitudeOf(largest);
}

template <bool kCommon, bool kOwn>
HWY_INLINE void StepLocally(const PanelView& x, const LocalStep& in) {
  const V minus_step = hn::Set(D(), -in.step), spread = hn::Set(D(), in.spread);
  for (Index c = 0; c < x.columns; ++c) {
    double* to = x.data + c * x.stride;
    const double* gradient = in.gradient + c * in.gradient_stride;
    const double* common = kCommon ? in.common + c * in.common_stride : nullptr;
    const double* own = kOwn ? in.own + c * in.own_stride : nullptr;
    ForEachVector(static_cast<std::size_t>(x.rows), [=](std::size_t i, auto load, auto store) HWY_ATTR {
      V moved = hn::MulAdd(minus_step, load(gradient + i), load(to + i));
      if (kCommon) moved = hn::Add(moved, load(common + i));
      if (kOwn) moved = hn::MulAdd(spread, load(own + i), moved);
      store(moved, to + i);
    });
  }
}

void StepLocallyAny(const PanelView& x, const LocalStep& in) {
  if (in.common == nullptr)
    return in.own == nullptr ? StepLocally<false, false>(x, in) : StepLocally<false, true>(x, in);
  return in.own == nullptr ? StepLocally<true, false>(x, in) : StepLocally<true, true>(x, in);
}

}  // namespace HWY_NAMESPACE
}  // namespace pollen::math
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pollen::math {

HWY_EXPORT(Sum);
HWY_EXPORT(Dot);
HWY_EXPORT(Axpy);
HWY_EXPORT(Scale);
HWY_EXPORT(ScaleAdd);
HWY_EXPORT(Subtract);
HWY_EXPORT(Add);
HWY_EXPORT(AddAll);
HWY_EXPORT(AffineLess);
HWY_EXPORT(MaxAbs);
HWY_EXPORT(AllFinite);
HWY_EXPORT(LangevinStep);
HWY_EXPORT(StepLocallyAny);

double sum(std::span<const double> x) { return HWY_DYNAMIC_DISPATCH(Sum)(x); }
double dot(std::span<const double> x, std::span<const double> y) { return HWY_DYNAMIC_DISPATCH(Dot)(x, y); }
double squared_norm(std::span<const double> x) { return dot(x, x); }
double max_abs(std::span<const double> x) { return HWY_DYNAMIC_DISPATCH(MaxAbs)(x); }
bool all_finite(std::span<const double> x) { return HWY_DYNAMIC_DISPATCH(AllFinite)(x); }

void axpy(double a, std::span<const double> x, std::span<double> y) { HWY_DYNAMIC_DISPATCH(Axpy)(a, x, y); }
void scale(double a, std::span<double> x) { HWY_DYNAMIC_DISPATCH(Scale)(a, x); }
void scale_add(double a, std::span<const double> y, std::span<double> x) { HWY_DYNAMIC_DISPATCH(ScaleAdd)(a, y, x); }
void subtract(std::span<const double> x, std::span<const double> y, std::span<double> out) {
  HWY_DYNAMIC_DISPATCH(Subtract)(x, y, out);
}
void add(std::span<const double> x, std::span<double> y) { HWY_DYNAMIC_DISPATCH(Add)(x, y); }
void add_all(std::span<const double* const> terms, std::span<double> y) { HWY_DYNAMIC_DISPATCH(AddAll)(terms, y); }

void affine_less(double a, std::span<const double> offset, std::span<const double> known, ConstPanelView x,
                 PanelView out) {
  HWY_DYNAMIC_DISPATCH(AffineLess)(a, offset, known, x, out);
}

double langevin_step(std::span<double> x, std::span<const double> g, std::span<const double> z, double step,
                     double spread) {
  return HWY_DYNAMIC_DISPATCH(LangevinStep)(x, g, z, step, spread);
}

void local_step(const PanelView& x, const LocalStep& in) { HWY_DYNAMIC_DISPATCH(StepLocallyAny)(x, in); }

}  // namespace pollen::math
#endif  // HWY_ONCE
