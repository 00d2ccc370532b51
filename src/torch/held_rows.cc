#include "held_rows.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/nll_loss.h>

#include <cmath>
#include <stdexcept>

namespace pollen::torch_room {

const Rows& own(const NetworkRows& held) {
  const auto* rows = dynamic_cast<const Rows*>(&held);
  if (rows == nullptr) throw std::runtime_error("these rows are held by a network of another kind");
  return *rows;
}

at::Tensor view_of(const float* numbers, std::int64_t count) {
  return at::from_blob(const_cast<float*>(numbers), {count}, at::TensorOptions(at::kFloat));
}

at::Tensor row_losses(const NetworkSpec& spec, const at::Tensor& outputs, const at::Tensor& y) {
  if (spec.classifies) return at::nll_loss(at::log_softmax(outputs, 1), y, /*weight=*/{}, at::Reduction::None);
  const at::Tensor residual = (outputs.view({-1}) - y).to(at::kDouble);
  const double constant = std::log(spec.noise_sd) + 0.5 * std::log(2 * 3.14159265358979323846);
  return residual * residual * (0.5 / (spec.noise_sd * spec.noise_sd)) + constant;
}

}  // namespace pollen::torch_room
