// Reductions and updates of vectors.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vectors.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
//
#include <bit>
#include <limits>

#include "arguments.h"
#include "hwy/highway.h"
#include "math/lanes-inl.h"
#include "math/math.h"

HWY_BEFORE_NAMESPACE();
namespace pollen::math {
namespace HWY_NAMESPACE {

double Sum(const double* x, std::size_t count) {
  return Reduce(count, [x](const Eight& sum, std::size_t i, auto load) HWY_ATTR { return AddEight(sum, load(x + i)); });
}

double Dot(const double* x, const double* y, std::size_t count) { return DotOf(x, y, count); }

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

void Axpy(double a, const double* x, double* y, std::size_t count) {
  const V factor = hn::Set(D(), a);
  ForEachVector(count, [=](std::size_t i, auto load, auto store)
                           HWY_ATTR { store(hn::MulAdd(factor, load(x + i), load(y + i)), y + i); });
}

void Scale(double a, double* x, std::size_t count) {
  const V factor = hn::Set(D(), a);
  ForEachVector(count,
                [=](std::size_t i, auto load, auto store) HWY_ATTR { store(hn::Mul(factor, load(x + i)), x + i); });
}

void ScaleAdd(double a, const double* y, double* x, std::size_t count) {
  const V factor = hn::Set(D(), a);
  ForEachVector(count, [=](std::size_t i, auto load, auto store)
                           HWY_ATTR { store(hn::Add(hn::Mul(factor, load(x + i)), load(y + i)), x + i); });
}

void Subtract(const double* x, const double* y, double* out, std::size_t count) {
  ForEachVector(
      count, [=](std::size_t i, auto load, auto store) HWY_ATTR { store(hn::Sub(load(x + i), load(y + i)), out + i); });
}

void Add(const double* x, double* y, std::size_t count) {
  ForEachVector(
      count, [=](std::size_t i, auto load, auto store) HWY_ATTR { store(hn::Add(load(y + i), load(x + i)), y + i); });
}

void AffineLess(const AffineInputs& in, const double* x, double* out, std::size_t count) {
  const V factor = hn::Set(D(), in.factor);
  ForEachVector(count, [=](std::size_t i, auto load, auto store) HWY_ATTR {
    store(hn::Sub(hn::MulSub(factor, load(x + i), load(in.offset + i)), load(in.known + i)), out + i);
  });
}

void AffineLessColumns(const AffineInputs& in, const Columns& at, Index rows, Index columns) {
  for (Index c = 0; c < columns; ++c)
    AffineLess(in, at.in + c * at.in_stride, at.out + c * at.out_stride, static_cast<std::size_t>(rows));
}

void AddAll(const double* const* terms, std::size_t n, double* y, std::size_t count) {
  ForEachVector(count, [=](std::size_t i, auto load, auto store) HWY_ATTR {
    V sum = load(y + i);
    for (std::size_t t = 0; t < n; ++t) sum = hn::Add(sum, load(terms[t] + i));
    store(sum, y + i);
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

double MaxAbs(const double* x, std::size_t count) {
  VI largest = hn::Zero(DI());
  ForEachVector(count,
                [&](std::size_t i, auto load, auto) HWY_ATTR { largest = LargerMagnitude(largest, load(x + i)); });
  return MagnitudeOf(largest);
}

// Sums 0·x: the product is NaN for every x that is not finite, and a sum that has met a NaN stays NaN.
bool AllFinite(const double* x, std::size_t count) {
  V sum = hn::Zero(D());
  ForEachVector(count,
                [&](std::size_t i, auto load, auto) HWY_ATTR { sum = hn::MulAdd(load(x + i), hn::Zero(D()), sum); });
  return hn::AllTrue(D(), hn::Eq(sum, sum));
}

double LangevinStep(double* x, const LangevinInputs& in, std::size_t count) {
  const V minus_step = hn::Set(D(), -in.step);
  const V spread = hn::Set(D(), in.spread);
  VI largest = hn::Zero(DI());
  ForEachVector(count, [&](std::size_t i, auto load, auto store) HWY_ATTR {
    const V drifted = hn::MulAdd(minus_step, load(in.gradient + i), load(x + i));
    const V moved = hn::MulAdd(spread, load(in.normals + i), drifted);
    largest = LargerMagnitude(largest, moved);
    store(moved, x + i);
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
HWY_EXPORT(AffineLessColumns);
HWY_EXPORT(MaxAbs);
HWY_EXPORT(AllFinite);
HWY_EXPORT(LangevinStep);
HWY_EXPORT(StepLocallyAny);

double sum(std::span<const double> x) { return HWY_DYNAMIC_DISPATCH(Sum)(x.data(), x.size()); }
double dot(std::span<const double> x, std::span<const double> y) {
  return HWY_DYNAMIC_DISPATCH(Dot)(x.data(), y.data(), x.size());
}
double squared_norm(std::span<const double> x) { return dot(x, x); }
double max_abs(std::span<const double> x) { return HWY_DYNAMIC_DISPATCH(MaxAbs)(x.data(), x.size()); }
bool all_finite(std::span<const double> x) { return HWY_DYNAMIC_DISPATCH(AllFinite)(x.data(), x.size()); }

void axpy(double a, std::span<const double> x, std::span<double> y) {
  HWY_DYNAMIC_DISPATCH(Axpy)(a, x.data(), y.data(), x.size());
}
void scale(double a, std::span<double> x) { HWY_DYNAMIC_DISPATCH(Scale)(a, x.data(), x.size()); }
void scale_add(double a, std::span<const double> y, std::span<double> x) {
  HWY_DYNAMIC_DISPATCH(ScaleAdd)(a, y.data(), x.data(), x.size());
}
void subtract(std::span<const double> x, std::span<const double> y, std::span<double> out) {
  HWY_DYNAMIC_DISPATCH(Subtract)(x.data(), y.data(), out.data(), x.size());
}
void add(std::span<const double> x, std::span<double> y) { HWY_DYNAMIC_DISPATCH(Add)(x.data(), y.data(), x.size()); }

void add_all(std::span<const double* const> terms, std::span<double> y) {
  HWY_DYNAMIC_DISPATCH(AddAll)(terms.data(), terms.size(), y.data(), y.size());
}

void affine_less(double a, std::span<const double> offset, std::span<const double> known, ConstPanelView x,
                 PanelView out) {
  const AffineInputs in{offset.data(), known.data(), a};
  HWY_DYNAMIC_DISPATCH(AffineLessColumns)(in, {x.data, x.stride, out.data, out.stride}, x.rows, x.columns);
}

double langevin_step(std::span<double> x, std::span<const double> g, std::span<const double> z, double step,
                     double spread) {
  const LangevinInputs in{g.data(), z.data(), step, spread};
  return HWY_DYNAMIC_DISPATCH(LangevinStep)(x.data(), in, x.size());
}

void local_step(const PanelView& x, const LocalStep& in) { HWY_DYNAMIC_DISPATCH(StepLocallyAny)(x, in); }

}  // namespace pollen::math
#endif  // HWY_ONCE
