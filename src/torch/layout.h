// Lists the tensors of θ, one after the other, with PyTorch's names and starting ranges. The ranges follow from names
// and shapes: the weights of convolutions and linear maps, and the biases next to them, are uniform within ±1/sqrt(fan
// in). A norm's weight starts at 1, its bias and threshold at 0.
#pragma once

#include <string>
#include <vector>

#include "network/network.h"

namespace pollen::torch_room {

class Layout {
 public:
  void add(std::string name, std::vector<std::int64_t> shape);
  // Adds the weight and bias of a convolution or linear map.
  void add_map(const std::string& name, std::vector<std::int64_t> weight_shape);

  const std::vector<NetworkTensor>& tensors() const { return tensors_; }

 private:
  std::vector<NetworkTensor> tensors_;
};

}  // namespace pollen::torch_room
