// exp, log, log1p, sigmoid and softplus, compiled once per target. They are Highway's polynomials (error about 1 ulp)
// with guards for the arguments that Highway does not handle. Each lane is computed by itself, so every target gives
// the same bits; the scalar versions run the same code on one lane.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "elementwise.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
//
#include <limits>

#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"
#include "math/math.h"

HWY_BEFORE_NAMESPACE();
namespace pollen::math {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Highway's Exp is right up to the overflow threshold and gives 0 from -1000 down. Above the threshold and for NaN its
// result is meaningless, which the guards here correct.
struct Exp {
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE V Apply(D d, V x) {
    const V top = hn::Set(d, 709.782712893384);  // the largest double whose exponential is finite
    const V bottom = hn::Set(d, -1000.0);
    V y = hn::Exp(d, hn::Min(hn::Max(x, bottom), top));
    y = hn::IfThenElse(hn::Gt(x, top), hn::Set(d, kInfinity), y);
    return hn::IfThenElse(hn::IsNaN(x), hn::Set(d, kNaN), y);
  }
};

// Completes a logarithm `y` of x by Highway, which is right only for finite x above `pole` (subnormals included). The
// result is -inf at the pole, NaN below it and for NaN, and inf at inf.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V GuardedLog(D d, V x, double pole, V y) {
  const V infinity = hn::Set(d, kInfinity), least = hn::Set(d, pole);
  const auto ordinary = hn::And(hn::Gt(x, least), hn::Lt(x, infinity));
  V other = hn::IfThenElse(hn::Eq(x, infinity), infinity, hn::Set(d, kNaN));
  other = hn::IfThenElse(hn::Eq(x, least), hn::Set(d, -kInfinity), other);
  return hn::IfThenElse(ordinary, y, other);
}

struct Log {
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE V Apply(D d, V x) {
    return GuardedLog(d, x, 0.0, hn::Log(d, x));
  }
};

struct Log1p {
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE V Apply(D d, V x) {
    return GuardedLog(d, x, -1.0, hn::Log1p(d, x));
  }
};

// exp(-|x|), which both logistic functions need. It never overflows; the caller has to restore NaN.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ExpMinusAbs(D d, V x) {
  return hn::Exp(d, hn::Max(hn::Neg(hn::Abs(x)), hn::Set(d, -1000.0)));
}

// The logistic function: with e = exp(-|x|), it is 1/(1+e) for x ≥ 0 and e/(1+e) for x < 0, accurate at both ends.
struct Sigmoid {
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE V Apply(D d, V x) {
    const V one = hn::Set(d, 1.0);
    const V e = ExpMinusAbs(d, x);
    const V y = hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one), hn::Add(one, e));
    return hn::IfThenElse(hn::IsNaN(x), hn::Set(d, kNaN), y);
  }
};

// log(1+exp(x)), computed as max(x, 0) + log1p(exp(-|x|)) so that it cannot overflow.
struct Softplus {
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE V Apply(D d, V x) {
    const V y = hn::Add(hn::Max(x, hn::Zero(d)), hn::Log1p(d, ExpMinusAbs(d, x)));
    return hn::IfThenElse(hn::IsNaN(x), hn::Set(d, kNaN), y);
  }
};

template <class Function>
HWY_INLINE void Transform(std::span<const double> x, std::span<double> out) {
  const hn::ScalableTag<double> d;
  constexpr std::size_t kLanes = HWY_LANES(double);
  std::size_t i = 0;
  for (; i + kLanes <= x.size(); i += kLanes) hn::StoreU(Function::Apply(d, hn::LoadU(d, &x[i])), d, &out[i]);
  if (i == x.size()) return;
  const auto rest = hn::FirstN(d, x.size() - i);
  hn::BlendedStore(Function::Apply(d, hn::MaskedLoad(rest, d, &x[i])), rest, d, &out[i]);
}

template <class Function>
HWY_INLINE double One(double x) {
  const hn::CappedTag<double, 1> d;
  return hn::GetLane(Function::Apply(d, hn::Set(d, x)));
}

double ExpOne(double x) { return One<Exp>(x); }
double LogOne(double x) { return One<Log>(x); }
double Log1pOne(double x) { return One<Log1p>(x); }
void ExpMany(std::span<const double> x, std::span<double> out) { Transform<Exp>(x, out); }
void LogMany(std::span<const double> x, std::span<double> out) { Transform<Log>(x, out); }
void SigmoidMany(std::span<const double> x, std::span<double> out) { Transform<Sigmoid>(x, out); }
void SoftplusMany(std::span<const double> x, std::span<double> out) { Transform<Softplus>(x, out); }

}  // namespace HWY_NAMESPACE
}  // namespace pollen::math
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pollen::math {

HWY_EXPORT(ExpOne);
HWY_EXPORT(LogOne);
HWY_EXPORT(Log1pOne);
HWY_EXPORT(ExpMany);
HWY_EXPORT(LogMany);
HWY_EXPORT(SigmoidMany);
HWY_EXPORT(SoftplusMany);

double exp(double x) { return HWY_DYNAMIC_DISPATCH(ExpOne)(x); }
double log(double x) { return HWY_DYNAMIC_DISPATCH(LogOne)(x); }
double log1p(double x) { return HWY_DYNAMIC_DISPATCH(Log1pOne)(x); }

void exp(std::span<const double> x, std::span<double> out) { HWY_DYNAMIC_DISPATCH(ExpMany)(x, out); }
void log(std::span<const double> x, std::span<double> out) { HWY_DYNAMIC_DISPATCH(LogMany)(x, out); }
void sigmoid(std::span<const double> x, std::span<double> out) { HWY_DYNAMIC_DISPATCH(SigmoidMany)(x, out); }
void softplus(std::span<const double> x, std::span<double> out) { HWY_DYNAMIC_DISPATCH(SoftplusMany)(x, out); }

}  // namespace pollen::math
#endif  // HWY_ONCE
