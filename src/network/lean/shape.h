// The shape of a lean network: its checked specification, and the place of each tensor in θ. It is immutable once made.
#pragma once

#include <vector>

#include "lean/kernels.h"
#include "network/network.h"

namespace pollen::lean {

struct Shape {
  explicit Shape(const NetworkSpec& wanted);  // throws std::runtime_error for what lean networks do not support

  NetworkSpec spec;
  bool lenet = false;
  Activation activation = Activation::relu;
  std::vector<Index> sizes;  // sizes of the fully connected part: inputs, units of every layer, outputs
  std::vector<NetworkTensor> tensors;

  Index layers() const { return static_cast<Index>(sizes.size()) - 1; }
  Index size(Index k) const { return sizes[static_cast<std::size_t>(k)]; }
  // Offsets in θ of the weights and biases of layer k, which leads from size(k) to size(k + 1).
  Index weights(Index k) const { return tensor(k).offset; }
  Index biases(Index k) const { return tensor(k).offset + tensor(k).size; }

 private:
  const NetworkTensor& tensor(Index k) const { return tensors[static_cast<std::size_t>((lenet ? 4 : 0) + 2 * k)]; }
  void add(const std::string& layer, std::vector<std::int64_t> shape);
};

}  // namespace pollen::lean
