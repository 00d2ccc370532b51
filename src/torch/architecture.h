// A network as a function of its tensors. An Architecture says which tensors there are and, given their values, makes a
// Function. A Function belongs to one call of one thread. An Architecture is immutable, and its const calls are
// thread-safe.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "network/network.h"

namespace pollen::torch_room {

// A network at one θ. `leaves` are the tensors that gradients are taken with respect to, in the order of θ.
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
  // Makes the function at θ. `theta` is flat, lies on the network's device and must outlive the function, which may
  // hold views of it. With groups > 0 the rows come in that many groups of equal size, and each leaf has a first
  // dimension for its group (grouped.h).
  virtual std::unique_ptr<Function> at(const at::Tensor& theta, bool with_gradient, std::int64_t groups = 0) const = 0;
  virtual bool can_group() const { return false; }
  // The shape that one row must have in the x that outputs() takes.
  virtual std::vector<std::int64_t> row_shape() const = 0;
  // The θ that came with the network from a file, or nothing; see Network::stored().
  virtual std::vector<float> stored() const { return {}; }
};

std::unique_ptr<Architecture> make_mlp(const NetworkSpec& spec);
std::unique_ptr<Architecture> make_lenet5(const NetworkSpec& spec);
std::unique_ptr<Architecture> make_cnn5(const NetworkSpec& spec);
std::unique_ptr<Architecture> make_resnet20(const NetworkSpec& spec);
std::unique_ptr<Architecture> make_torchscript(const NetworkSpec& spec);
// Makes the architecture of any kind. Throws std::runtime_error if the specification is not possible.
std::unique_ptr<Architecture> make_architecture(const NetworkSpec& spec);

}  // namespace pollen::torch_room
