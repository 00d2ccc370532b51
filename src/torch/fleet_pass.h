// The gradients of several clients in one pass through the network.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

#include "architecture.h"
#include "network/network.h"
#include "queue.h"

namespace pollen::torch_room {

// Every client's rows, one after the other.
struct Pool {
  explicit Pool(const std::vector<const NetworkRows*>& clients);
  at::Tensor x, y;
  std::vector<std::int64_t> first, rows;  // of every client: where its rows begin, and how many there are
};

// Σ ∇U_ij of every client at θ, over the same number of rows a client with weights. It can be run again and again: θ,
// rows and weights are looked at in their places.
class Pass {
 public:
  struct Inputs {
    at::Tensor theta, rows, weights;  // rows are the pool's numbers
  };
  Pass(const NetworkSpec& network, const Architecture& architecture, const Pool& pool, Inputs inputs, Queue& queue);
  void run() const {
    for (const auto& part : parts_) part();
  }

  Inputs inputs;
  at::Tensor gradient;  // clients × dimension

 private:
  std::vector<std::function<void()>> parts_;
};

}  // namespace pollen::torch_room
