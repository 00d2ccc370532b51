// Filter response normalisation with its threshold: y = max(w x / sqrt(mean x² + |eps| + 1e-6) + b, τ), where the mean
// is over one channel of one image. w, b, τ and eps hold one number per channel.
#pragma once

#include <ATen/core/Tensor.h>

namespace pollen::torch_room {

struct FilterResponse {
  at::Tensor weight, bias, tau, eps;
};

at::Tensor filter_response(const at::Tensor& x, const FilterResponse& p);

}  // namespace pollen::torch_room
