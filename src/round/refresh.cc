// Renews the control variates of local steps, which takes two exchanges with all clients, and counts the traffic.
#include <numeric>

#include "average_step.h"

namespace pollen {

bool Server::averaged() const { return average_ == nullptr || average_->fresh(); }
bool Server::refresh_due() const { return average_ != nullptr && average_->refresh_due(); }
std::int64_t Server::iteration() const {
  return static_cast<std::int64_t>(average_ != nullptr ? average_->iteration() : round_);
}

void Server::start_control(ConstPanelView anchor, ConstPanelView gradient_sum) {
  average_->start_control(anchor, gradient_sum);
}

// Counts the two exchanges: positions go up and Y comes down; gradients go up and C comes down.
void Server::refresh(ConstPanelView anchor, ConstPanelView gradient_sum) {
  average_->refresh(anchor, gradient_sum);
  const auto words = 64 * static_cast<std::int64_t>(setup_.dimension * setup_.chains);
  counters_.rounds += 2;
  counters_.messages += 2 * clients() * setup_.chains;
  counters_.uplink_bits += 2 * words * clients();
  counters_.wire_bits += 2 * words * clients();
  counters_.uplink_bits_bound += static_cast<double>(2 * words * clients());
  counters_.downlink_bits += 2 * words * clients();
  counters_.broadcast_bits += 2 * words;
  counters_.gradients += std::accumulate(setup_.sizes.begin(), setup_.sizes.end(), std::int64_t{0}) * setup_.chains;
  log_refresh();
}

// Logs the refresh as exchanges. Y is known once all positions have arrived, and C once all gradients have. C travels
// with the next exchange, so that one is closed without an answer.
void Server::log_refresh() {
  if (!traffic_->listens()) return;
  const auto words = 64 * static_cast<std::int64_t>(setup_.dimension * setup_.chains);
  const auto everybody = [&](const ClientTraffic& load, bool evaluates) {
    for (std::size_t i = 0; i < setup_.sizes.size(); ++i)
      traffic_->add({static_cast<std::uint32_t>(i), load.down_bits, evaluates ? setup_.sizes[i] * setup_.chains : 0,
                     load.up_bits});
  };
  traffic_->open(clients());
  everybody({.up_bits = words}, false);
  traffic_->close(true);
  everybody({.down_bits = words, .up_bits = words}, true);
  traffic_->close(true);
  everybody({.down_bits = words}, false);
  traffic_->close(false);
}

}  // namespace pollen
