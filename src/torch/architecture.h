// What a network computes, as a function of its tensors: an architecture says which tensors there are and, given them,
// makes a Function. A Function belongs to one call of one thread; an Architecture is immutable, and its const calls are
// thread-safe.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "network/network.h"

namespace pollen::torch_room {

// A network at one θ. `leaves` are what a gradient is taken with respect to, in the order of the tensors of θ.
class Function {
 public:
  virtual ~Function() = default;
  virtual const std::vector<at::Tensor>& leaves() const = 0;
  virtual at::Tensor outputs(const at::Tensor& x) = 0;  // rows × outputs
};

class Architecture {
 public:
  virtual ~Architecture() = default;
  virtual const std::vector<NetworkTensor>& tensors() const = 0;
  // `theta` is flat and on the network's device. It must outlive the function, which may hold views of it. With groups
  // > 0 rows come in that many groups of equal size, and leaves have a first dimension for theirs (grouped.h).
  virtual std::unique_ptr<Function> at(const at::Tensor& theta, bool with_gradient, std::int64_t groups = 0) const = 0;
  virtual bool can_group() const { return false; }
  // Rows of the device's x in the shape that outputs() takes.
  virtual std::vector<std::int64_t> row_shape() const = 0;
  // As Network has it.
  virtual std::vector<float> stored() const { return {}; }
};

std::unique_ptr<Architecture> make_mlp(const NetworkSpec& spec);
std::unique_ptr<Architecture> make_lenet5(const NetworkSpec& spec);
std::unique_ptr<Architecture> make_cnn5(const NetworkSpec& spec);
std::unique_ptr<Architecture> make_resnet20(const NetworkSpec& spec);
std::unique_ptr<Architecture> make_torchscript(const NetworkSpec& spec);
// Any of them. std::runtime_error where the spec cannot be.
std::unique_ptr<Architecture> make_architecture(const NetworkSpec& spec);

}  // namespace pollen::torch_room
