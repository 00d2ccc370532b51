// Computes the gradients of several clients in one pass through the network. A pass belongs to one thread at a time.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

#include "architecture.h"
#include "network/network.h"
#include "queue.h"

namespace pollen::torch_room {

// The rows of all clients, one client after the other.
struct Pool {
  explicit Pool(const std::vector<const NetworkRows*>& clients);
  at::Tensor x, y;
  std::vector<std::int64_t> first, rows;  // per client: where its rows begin, and how many there are
};

// Computes Σ ∇U_ij of every client at θ, over the same number of weighted rows per client. A pass can be run
// repeatedly: it reads θ, rows and weights from the same tensors each time.
class Pass {
 public:
  struct Inputs {
    at::Tensor theta, rows, weights;  // rows are positions in the pool
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
