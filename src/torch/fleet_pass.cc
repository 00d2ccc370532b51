#include "fleet_pass.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>

#include "held_rows.h"

namespace pollen::torch_room {

Pool::Pool(const std::vector<const NetworkRows*>& clients) {
  std::vector<at::Tensor> all_x, all_y;
  std::int64_t count = 0;
  for (const NetworkRows* client : clients) {
    const Rows& held = own(*client);
    all_x.push_back(held.x);
    all_y.push_back(held.y);
    first.push_back(count);
    rows.push_back(held.rows());
    count += held.rows();
  }
  x = at::cat(all_x);
  y = at::cat(all_y);
}

Pass::Pass(const NetworkSpec& network, const Architecture& architecture, const Pool& pool, Inputs given, Queue& queue)
    : inputs(std::move(given)) {
  constexpr std::int64_t kRowsAtOnce = 4096;  // clients go through the network in groups of about this many rows
  const auto clients = static_cast<std::int64_t>(pool.rows.size());
  const std::int64_t width = inputs.rows.size(0) / clients;
  const std::int64_t together = std::clamp<std::int64_t>(kRowsAtOnce / width, 1, clients);
  gradient = at::zeros({clients, inputs.theta.size(0)}, inputs.theta.options());
  for (std::int64_t i = 0; i < clients; i += together) {
    const std::int64_t n = std::min(together, clients - i);
    const at::Tensor theta = inputs.theta, which = inputs.rows.narrow(0, i * width, n * width),
                     weight = inputs.weights.narrow(0, i * width, n * width), out = gradient.narrow(0, i, n);
    parts_.push_back(queue.repeatable([theta, which, weight, out, n, &network, &architecture, &pool] {
      at::AutoGradMode gradients(true);
      const std::unique_ptr<Function> f = architecture.at(theta, true, n);
      const at::Tensor losses =
          row_losses(network, f->outputs(pool.x.index_select(0, which)), pool.y.index_select(0, which));
      std::vector<at::Tensor> g = torch::autograd::grad({(losses * weight).sum()}, f->leaves());
      at::NoGradGuard none;
      for (at::Tensor& each : g) each = each.reshape({n, -1});
      at::Tensor to = out;
      at::cat_out(to, g, 1);
    }));
  }
}

}  // namespace pollen::torch_room
