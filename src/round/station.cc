#include <algorithm>

#include "pollen/archive.h"
#include "pollen/math.h"
#include "pollen/round.h"

namespace pollen {

Station::Station(const Recipe& recipe, Index dimension, Index chains, std::uint64_t seed)
    : whole_(make_compressor({}, dimension)),
      compressor_(make_compressor(recipe.down.compressor, dimension)),
      position_(dimension, chains) {
  if (recipe.down.feedback) change_ = Panel(dimension, 1);
  if (recipe.oracle == OracleKind::svrg) {
    anchor_ = Panel(dimension, chains);
    anchor_version_.assign(static_cast<std::size_t>(chains), 0);
  }
  for (Index c = 0; c < chains; ++c) {
    minibatch_.push_back(make_stream(seed, static_cast<std::uint32_t>(c), Purpose::minibatch));
    compress_.push_back(make_stream(seed, static_cast<std::uint32_t>(c), Purpose::compress_up));
  }
}

void Station::receive(const Broadcast& broadcast, Workspace& work) {
  round_ = broadcast.round;
  for (Index c = 0; c < chains(); ++c) {
    if (broadcast.whole) {
      whole_->decode(broadcast.chain_payload(c), position_.column(c), work.scratch);
    } else {
      compressor_->decode(broadcast.chain_payload(c), change_.column(0), work.scratch);
      math::add(change_.column(0), position_.column(c));
    }
  }
  if (!broadcast.refresh || anchor_.empty()) return;
  std::copy(position_.flat().begin(), position_.flat().end(), anchor_.flat().begin());
  std::fill(anchor_version_.begin(), anchor_version_.end(), broadcast.round + 1);
}

void Station::archive(Archive& archive) {
  archive.array(position_.flat());
  archive.array(anchor_.flat());
  archive.array(std::span(anchor_version_));
  archive.field(round_);
}

}  // namespace pollen
