#include "sink/chosen_draws.h"

#include <algorithm>

namespace pollen::sink {

ChosenDraws::ChosenDraws(const std::string& path, Index most, Index held_numbers) : stream_(path) {
  count_ = std::min(most, stream_->draws());
  if (count_ > held_numbers / std::max<Index>(1, stream_->dimension())) return;
  Panel states(stream_->dimension(), count_);
  Index next = 0;
  stream_->thinned(count_,
                   [&](std::span<const double> theta) { std::ranges::copy(theta, states.column(next++).begin()); });
  held_ = std::move(states);
}

void ChosenDraws::visit(const std::function<void(ConstPanelView states, Index first)>& use) const {
  if (held_) return use(held_->view(), 0);
  Panel some(stream_->dimension(), kAtOnce);
  Index filled = 0, done = 0;
  const auto hand_on = [&] {
    if (filled > 0) use({some.view().data, some.rows(), filled, some.stride()}, done);
    done += filled;
    filled = 0;
  };
  stream_->thinned(count_, [&](std::span<const double> theta) {
    std::ranges::copy(theta, some.column(filled++).begin());
    if (filled == kAtOnce) hand_on();
  });
  hand_on();
}

}  // namespace pollen::sink
