// Filter response normalisation on the CPU, in plain loops that take one channel of an image at a time while it is in
// cache. As a tensor expression it would make some twenty passes over memory and take as long as the convolutions
// around it.
#include "filter_response.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/rsqrt.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cmath>
#include <vector>

#include "grouped.h"

namespace pollen::torch_room {
namespace {

constexpr std::int64_t kLanes = 16;
constexpr float kFloor = 1e-6f;

struct Lanes {
  double total() const {
    double sum = 0;
    for (const float lane : sums) sum += static_cast<double>(lane);
    return sum;
  }
  float sums[kLanes] = {};
};

// Works in blocks of kLanes, so that the compiler sees a loop of known length that it can vectorise.
template <typename Body>
void each(std::int64_t count, const Body& body) {
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (std::int64_t k = 0; k < kLanes; ++k) body(i + k, k);
  for (std::int64_t k = 0; i + k < count; ++k) body(i + k, k);
}

float inverse_root(const float* x, std::int64_t count, float eps) {
  Lanes squares;
  each(count, [&](std::int64_t i, std::int64_t k) { squares.sums[k] += x[i] * x[i]; });
  return static_cast<float>(
      1 / std::sqrt(squares.total() / static_cast<double>(count) + static_cast<double>(std::abs(eps) + kFloor)));
}

struct Plane {
  const float *x, *y, *dy;
  float* dx;
  std::int64_t count;
};
// The gradients of one channel, summed over the images in order.
struct Sums {
  double weight = 0, bias = 0, tau = 0, eps = 0;

  void add(const Plane& p, float w, float least, float e) {
    const float r = inverse_root(p.x, p.count, e);
    Lanes passed, cut, with_x;
    each(p.count, [&](std::int64_t i, std::int64_t k) {
      const float dz = p.y[i] > least ? p.dy[i] : 0.0f;
      passed.sums[k] += dz;
      cut.sums[k] += p.dy[i] - dz;
      with_x.sums[k] += dz * p.x[i];
    });
    const double s = with_x.total(), root = static_cast<double>(r),
                 down = -0.5 * static_cast<double>(w) * s * root * root * root;
    weight += s * root;
    bias += passed.total();
    tau += cut.total();
    eps += e < 0 ? -down : e > 0 ? down : 0;
    const float scale = w * r, back = static_cast<float>(2 * down / static_cast<double>(p.count));
    each(p.count,
         [&](std::int64_t i, std::int64_t) { p.dx[i] = (p.y[i] > least ? p.dy[i] : 0.0f) * scale + p.x[i] * back; });
  }
};

struct InLoops : torch::autograd::Function<InLoops> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& given,
                            const at::Tensor& weight, const at::Tensor& bias, const at::Tensor& tau,
                            const at::Tensor& eps) {
    const at::Tensor x = given.contiguous();
    at::Tensor y = at::empty_like(x);
    const std::int64_t planes = x.size(0) * x.size(1), channels = x.size(1), count = x.size(2) * x.size(3);
    const float *w = weight.data_ptr<float>(), *b = bias.data_ptr<float>(), *t = tau.data_ptr<float>();
    for (std::int64_t p = 0; p < planes; ++p) {
      const std::int64_t c = p % channels;
      const float* from = x.data_ptr<float>() + p * count;
      float* to = y.data_ptr<float>() + p * count;
      const float scale = w[c] * inverse_root(from, count, eps.data_ptr<float>()[c]), shift = b[c], least = t[c];
      each(count, [&](std::int64_t i, std::int64_t) {
        const float z = from[i] * scale + shift;
        to[i] = z < least ? least : z;  // this form keeps NaN
      });
    }
    context->save_for_backward({x, y, weight, bias, tau, eps});
    return y;
  }

  // With s = Σ dz x over a plane and r the inverse root, dx = w r dz - (w r³ s / count) x.
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const torch::autograd::variable_list saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &y = saved[1], &weight = saved[2], &tau = saved[4], &eps = saved[5];
    const at::Tensor dy = gradients[0].contiguous();
    at::Tensor dx = at::empty_like(x);
    const std::int64_t planes = x.size(0) * x.size(1), channels = x.size(1), count = x.size(2) * x.size(3);
    std::vector<Sums> sums(static_cast<std::size_t>(channels));
    for (std::int64_t p = 0; p < planes; ++p) {
      const std::int64_t c = p % channels;
      const Plane plane{x.data_ptr<float>() + p * count, y.data_ptr<float>() + p * count,
                        dy.data_ptr<float>() + p * count, dx.data_ptr<float>() + p * count, count};
      sums[static_cast<std::size_t>(c)].add(plane, weight.data_ptr<float>()[c], tau.data_ptr<float>()[c],
                                            eps.data_ptr<float>()[c]);
    }
    torch::autograd::variable_list out = {dx};
    for (double Sums::*part : {&Sums::weight, &Sums::bias, &Sums::tau, &Sums::eps}) {
      out.push_back(at::empty_like(weight));
      for (std::int64_t c = 0; c < channels; ++c)
        out.back().data_ptr<float>()[c] = static_cast<float>(sums[static_cast<std::size_t>(c)].*part);
    }
    return out;
  }
};

}  // namespace

at::Tensor filter_response(const at::Tensor& x, const FilterResponse& p) {
  const bool grouped = p.weight.dim() == 2;
  if (x.is_cpu() && !grouped) return InLoops::apply(x, p.weight, p.bias, p.tau, p.eps);
  const auto by_channel = [&](const at::Tensor& t) { return grouped ? by_row(t, x.size(0)) : t.view({1, -1, 1, 1}); };
  const at::Tensor square = (x * x).mean({2, 3}, /*keepdim=*/true);
  const at::Tensor scale = by_channel(p.weight) * at::rsqrt(square + (by_channel(p.eps).abs() + kFloor));
  return at::maximum(x * scale + by_channel(p.bias), by_channel(p.tau));
}

}  // namespace pollen::torch_room
