// exp, log, log1p, sigmoid and softplus on Highway vectors, compiled once per target. They are Highway's polynomials
// (error about 1 ulp) with guards for the arguments that Highway does not handle. Each lane is computed by itself, so
// every target gives the same bits.
#if defined(POLLEN_MATH_FUNCTIONS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POLLEN_MATH_FUNCTIONS_INL_H_
#undef POLLEN_MATH_FUNCTIONS_INL_H_
#else
#define POLLEN_MATH_FUNCTIONS_INL_H_
#endif

#include <limits>

#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"

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

// Highway's Log is right for positive finite numbers, subnormals included; other arguments are handled here.
struct Log {
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE V Apply(D d, V x) {
    const V infinity = hn::Set(d, kInfinity);
    const auto ordinary = hn::And(hn::Gt(x, hn::Zero(d)), hn::Lt(x, infinity));
    V other = hn::IfThenElse(hn::Eq(x, infinity), infinity, hn::Set(d, kNaN));
    other = hn::IfThenElse(hn::Eq(x, hn::Zero(d)), hn::Set(d, -kInfinity), other);
    return hn::IfThenElse(ordinary, hn::Log(d, x), other);
  }
};

struct Log1p {
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE V Apply(D d, V x) {
    const V infinity = hn::Set(d, kInfinity);
    const V minus_one = hn::Set(d, -1.0);
    const auto ordinary = hn::And(hn::Gt(x, minus_one), hn::Lt(x, infinity));
    V other = hn::IfThenElse(hn::Eq(x, infinity), infinity, hn::Set(d, kNaN));
    other = hn::IfThenElse(hn::Eq(x, minus_one), hn::Set(d, -kInfinity), other);
    return hn::IfThenElse(ordinary, hn::Log1p(d, x), other);
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

}  // namespace HWY_NAMESPACE
}  // namespace pollen::math
HWY_AFTER_NAMESPACE();

#endif  // include guard, toggled for each target
