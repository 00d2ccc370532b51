#include "lenet_convolutions.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/autograd/custom_function.h>

#include "lenet_kernels.h"

namespace pollen::torch_room {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct Fused : torch::autograd::Function<Fused> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight1,
                            const at::Tensor& bias1, const at::Tensor& weight2, const at::Tensor& bias2) {
    const auto flat = [](const at::Tensor& t) { return t.select(0, 0).reshape({-1}); };
    const at::Tensor theta = at::cat({flat(weight1), flat(bias1), flat(weight2), flat(bias2)});
    const std::int64_t rows = x.size(0);
    const at::TensorOptions floats = x.options(), bytes = x.options().dtype(at::kByte);
    const at::Tensor first = at::empty({rows, 6 * 14 * 14}, floats), second = at::empty({rows, 400}, floats),
                     which1 = at::empty({rows, 6 * 14 * 14}, bytes), which2 = at::empty({rows, 400}, bytes);
    lenet_forward({rows, x.data_ptr<float>(), theta.data_ptr<float>(), first.data_ptr<float>(),
                   second.data_ptr<float>(), which1.data_ptr<std::uint8_t>(), which2.data_ptr<std::uint8_t>()},
                  c10::cuda::getCurrentCUDAStream().stream());
    context->save_for_backward({x, theta, first, which1, which2, weight1});
    return second;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &theta = saved[1], &first = saved[2], above = gradients[0].contiguous();
    const std::int64_t groups = saved[5].size(0), each = x.size(0) / groups;
    const at::Tensor partial = at::empty({groups * lenet_parts(each), kLenetTheta}, x.options());
    const at::Tensor out = at::empty({groups, kLenetTheta}, x.options());
    LenetBackward pass;
    pass.groups = groups;
    pass.each = each;
    pass.x = x.data_ptr<float>();
    pass.theta = theta.data_ptr<float>();
    pass.first = first.data_ptr<float>();
    pass.which1 = saved[3].data_ptr<std::uint8_t>();
    pass.which2 = saved[4].data_ptr<std::uint8_t>();
    pass.above = above.data_ptr<float>();
    pass.partial = partial.data_ptr<float>();
    pass.out = out.data_ptr<float>();
    lenet_backward(pass, c10::cuda::getCurrentCUDAStream().stream());
    return {at::Tensor(), out.narrow(1, 0, 150).reshape({groups, 6, 1, 5, 5}), out.narrow(1, 150, 6),
            out.narrow(1, 156, 2400).reshape({groups, 16, 6, 5, 5}), out.narrow(1, 2556, 16)};
  }
};

}  // namespace

at::Tensor lenet_convolutions(const at::Tensor& x, const LenetTensors& t) {
  return Fused::apply(x.contiguous(), t.weight1, t.bias1, t.weight2, t.bias2);
}

}  // namespace pollen::torch_room
