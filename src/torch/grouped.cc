#include "grouped.h"

#include <ATen/ops/bmm.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/matmul.h>
#include <torch/csrc/autograd/custom_function.h>

namespace pollen::torch_room {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct GroupedLinear : torch::autograd::Function<GroupedLinear> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const at::Tensor& bias) {
    context->save_for_backward({x, weight});
    return at::linear(x, weight.select(0, 0), bias.select(0, 0));
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1], dy = gradients[0].contiguous();
    const std::int64_t groups = weight.size(0);
    const at::Tensor each = dy.view({groups, -1, dy.size(1)});
    const at::Tensor dx = context->needs_input_grad(0) ? at::matmul(dy, weight.select(0, 0)) : at::Tensor();
    return {dx, at::bmm(each.transpose(1, 2), x.reshape({groups, -1, x.size(1)})), each.sum(1)};
  }
};

// Returns the inputs of every output pixel, as rows × (channels · side²) × (height · width).
at::Tensor patches(const at::Tensor& x, std::int64_t side, ConvShape shape) {
  const std::int64_t p = shape.padding;
  const at::Tensor padded = p == 0 ? x : at::constant_pad_nd(x, {p, p, p, p});
  const at::Tensor windows = padded.unfold(2, side, shape.stride).unfold(3, side, shape.stride);
  return windows.permute({0, 1, 4, 5, 2, 3}).reshape({x.size(0), x.size(1) * side * side, -1});
}

// A convolution whose weight gradient is one product per row, summed over the rows of a group: many small products fill
// the device, where one long product per group would not. The first layer uses its patches in both directions (see
// conv_as_product).
struct GroupedConv : torch::autograd::Function<GroupedConv> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const at::Tensor& bias, std::int64_t stride, std::int64_t padding, bool first) {
    context->saved_data["stride"] = stride;
    context->saved_data["padding"] = padding;
    context->saved_data["first"] = first;
    const bool biased = bias.numel() > 0;
    context->saved_data["bias"] = biased;
    const at::Tensor w = weight.select(0, 0);
    if (!first) {
      context->save_for_backward({x, weight});
      return at::conv2d(x, w, biased ? bias.select(0, 0) : at::Tensor(), stride, padding);
    }
    const at::Tensor seen = patches(x, w.size(2), {stride, padding});
    context->save_for_backward({seen, weight});
    at::Tensor y = at::matmul(w.flatten(1), seen);
    if (biased) y += bias.select(0, 0).view({1, -1, 1});
    const std::int64_t height = (x.size(2) + 2 * padding - w.size(2)) / stride + 1;
    return y.view({x.size(0), w.size(0), height, -1});
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1], dy = gradients[0].contiguous();
    const ConvShape shape{context->saved_data["stride"].toInt(), context->saved_data["padding"].toInt()};
    const bool first = context->saved_data["first"].toBool();
    const std::int64_t groups = weight.size(0), rows = dy.size(0), side = weight.size(3), outputs = dy.size(1);
    at::Tensor dx;
    if (!first && context->needs_input_grad(0))
      dx = std::get<0>(at::convolution_backward(dy, x, weight.select(0, 0), at::OptionalIntArrayRef(),
                                                {shape.stride, shape.stride}, {shape.padding, shape.padding}, {1, 1},
                                                false, {0, 0}, 1, {true, false, false}));
    const at::Tensor seen = first ? x : patches(x, side, shape);
    const at::Tensor each = at::bmm(dy.view({rows, outputs, -1}), seen.transpose(1, 2));
    const at::Tensor dw = each.view({groups, rows / groups, -1}).sum(1).view(weight.sizes());
    at::Tensor db;
    if (context->saved_data["bias"].toBool()) db = dy.view({groups, rows / groups, outputs, -1}).sum({1, 3});
    return {dx, dw, db, at::Tensor(), at::Tensor(), at::Tensor()};
  }
};

}  // namespace

at::Tensor grouped_linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  return GroupedLinear::apply(x, weight, bias);
}

at::Tensor grouped_conv(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, ConvShape shape) {
  // apply() does not accept an undefined tensor.
  const at::Tensor given = bias.defined() ? bias : at::empty({0}, weight.options());
  return GroupedConv::apply(x, weight, given, shape.stride, shape.padding, !x.requires_grad());
}

at::Tensor by_row(const at::Tensor& t, std::int64_t rows) {
  const std::int64_t groups = t.size(0), channels = t.size(1);
  return t.unsqueeze(1).expand({groups, rows / groups, channels}).reshape({rows, channels, 1, 1});
}

}  // namespace pollen::torch_room
