// The tensors of θ, one after the other, with PyTorch's names and starting ranges.
// The ranges follow from names and shapes: weights of convolutions and linear maps, and the biases next to them, are
// uniform within ±1/sqrt(fan in); a norm's weight is 1, its bias and threshold 0.
#pragma once

#include <string>
#include <vector>

#include "network/network.h"

namespace pollen::torch_room {

class Layout {
 public:
  void add(std::string name, std::vector<std::int64_t> shape);
  // A convolution's or linear map's weight and bias.
  void add_map(const std::string& name, std::vector<std::int64_t> weight_shape);

  const std::vector<NetworkTensor>& tensors() const { return tensors_; }

 private:
  std::vector<NetworkTensor> tensors_;
};

}  // namespace pollen::torch_room
