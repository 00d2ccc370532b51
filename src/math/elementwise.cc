// Applies the elementwise functions of functions-inl.h to spans. The scalar versions run the same code on one lane.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "elementwise.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
//
#include "functions-inl.h"
#include "hwy/highway.h"
#include "math/math.h"

HWY_BEFORE_NAMESPACE();
namespace pollen::math {
namespace HWY_NAMESPACE {

template <class Function>
HWY_INLINE void Transform(const double* x, double* out, std::size_t count) {
  const hn::ScalableTag<double> d;
  constexpr std::size_t kLanes = HWY_LANES(double);
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) hn::StoreU(Function::Apply(d, hn::LoadU(d, x + i)), d, out + i);
  if (i == count) return;
  const auto rest = hn::FirstN(d, count - i);
  hn::BlendedStore(Function::Apply(d, hn::MaskedLoad(rest, d, x + i)), rest, d, out + i);
}

template <class Function>
HWY_INLINE double One(double x) {
  const hn::CappedTag<double, 1> d;
  return hn::GetLane(Function::Apply(d, hn::Set(d, x)));
}

double ExpOne(double x) { return One<Exp>(x); }
double LogOne(double x) { return One<Log>(x); }
double Log1pOne(double x) { return One<Log1p>(x); }
void ExpMany(const double* x, double* out, std::size_t count) { Transform<Exp>(x, out, count); }
void LogMany(const double* x, double* out, std::size_t count) { Transform<Log>(x, out, count); }
void SigmoidMany(const double* x, double* out, std::size_t count) { Transform<Sigmoid>(x, out, count); }
void SoftplusMany(const double* x, double* out, std::size_t count) { Transform<Softplus>(x, out, count); }

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

void exp(std::span<const double> x, std::span<double> out) {
  HWY_DYNAMIC_DISPATCH(ExpMany)(x.data(), out.data(), x.size());
}
void log(std::span<const double> x, std::span<double> out) {
  HWY_DYNAMIC_DISPATCH(LogMany)(x.data(), out.data(), x.size());
}
void sigmoid(std::span<const double> x, std::span<double> out) {
  HWY_DYNAMIC_DISPATCH(SigmoidMany)(x.data(), out.data(), x.size());
}
void softplus(std::span<const double> x, std::span<double> out) {
  HWY_DYNAMIC_DISPATCH(SoftplusMany)(x.data(), out.data(), x.size());
}

}  // namespace pollen::math
#endif  // HWY_ONCE
