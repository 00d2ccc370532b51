#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "math/math.h"
#include "model/coordinates.h"
#include "pollen/archive.h"
#include "pollen/errors.h"
#include "pollen/round.h"

namespace pollen {

ClientView::ClientView(const Recipe& recipe, Index dimension, Index chains, Index clients, const Seeds& seeds)
    : recipe_(recipe),
      clients_(clients),
      whole_(make_compressor({}, dimension, 0)),
      compressor_(make_compressor(recipe.down.compressor, dimension, 0)),
      position_(dimension, chains),
      code_seed_(seeds.code) {
  if (recipe.down.feedback) change_ = Panel(dimension, 1);
  if (recipe.keeps_anchors()) {
    anchor_ = Panel(dimension, chains);
    anchor_version_.assign(static_cast<std::size_t>(chains), 0);
  }
  if (recipe.local) expected_position_ = Panel(dimension, chains);
  if (recipe.oracle == OracleKind::control) anchor_ = control_ = Panel(dimension, chains);
  for (Index c = 0; c < chains; ++c) {
    noise_.push_back(make_stream(seeds.common, static_cast<std::uint32_t>(c), Purpose::noise));
    local_noise_.push_back(make_stream(seeds.own, static_cast<std::uint32_t>(c), Purpose::local_noise));
    minibatch_.push_back(make_stream(seeds.own, static_cast<std::uint32_t>(c), Purpose::minibatch));
    compress_.push_back(make_stream(seeds.own, static_cast<std::uint32_t>(c), Purpose::compress_up));
    code_.push_back(make_stream(seeds.code, static_cast<std::uint32_t>(c), Purpose::shared_code));
  }
}

void ClientView::receive(const Broadcast& broadcast, Workspace& work) {
  round_ = broadcast.round;
  segment_ = broadcast.segment;
  step_ = broadcast.step;
  present_ = broadcast.present;
  refreshes_ = broadcast.refresh;
  if (!broadcast.control.empty()) receive_control(broadcast.control);
  if (segment_.starts) receive_position(broadcast, work);
  if (recipe_.local) make_common();
  if (!broadcast.refresh || anchor_.empty()) return;
  std::copy(position_.flat().begin(), position_.flat().end(), anchor_.flat().begin());
  std::fill(anchor_version_.begin(), anchor_version_.end(), broadcast.round + 1);
}

void ClientView::receive_position(const Broadcast& broadcast, Workspace& work) {
  if (broadcast.whole) {
    team_.over_chains(chains(), position_.rows(), [&](Index c, int) {
      Scratch none;  // decoding words needs no temporary memory
      whole_->decode(broadcast.chain_payload(c), position_.column(c), none);
    });
  } else {
    for (Index c = 0; c < chains(); ++c) {
      compressor_->decode(broadcast.chain_payload(c), change_.column(0), work.scratch);
      math::add(change_.column(0), position_.column(c));
    }
  }
  if (recipe_.local) std::ranges::copy(position_.flat(), expected_position_.flat().begin());
}

// Reads new control variates: Y of every chain, then C of every chain, as float64 words.
void ClientView::receive_control(const Bytes& words) {
  const std::size_t column = static_cast<std::size_t>(position_.rows()) * sizeof(double);
  const auto chains_count = static_cast<std::size_t>(chains());
  const std::size_t accepted = control_.empty() ? 0 : 2 * chains_count * column;
  if (words.size() != accepted)
    throw WireError(fmt::format("broadcast: found {} bytes of control variates, accepted: {}", words.size(), accepted));
  for (std::size_t c = 0; c < chains_count; ++c) {
    std::memcpy(anchor_.column(static_cast<Index>(c)).data(), words.data() + c * column, column);
    std::memcpy(control_.column(static_cast<Index>(c)).data(), words.data() + (chains_count + c) * column, column);
    if (!math::all_finite(anchor_.column(static_cast<Index>(c))) ||
        !math::all_finite(control_.column(static_cast<Index>(c))))
      throw WireError(fmt::format(
          "broadcast: found a control variate of chain {} that is not finite, accepted: finite ones", c + 1));
  }
}

// Makes the segment's common noise once for all clients of the process.
void ClientView::make_common() {
  const LocalSteps& local = *recipe_.local;
  if (local.common == 0) return;
  const auto columns = static_cast<Index>(segment_.steps) * chains();
  if (common_.columns() < columns) common_ = Panel(position_.rows(), columns);
  for (Index s = 0; s < static_cast<Index>(segment_.steps); ++s) {
    const std::uint64_t iteration = segment_.first + static_cast<std::uint64_t>(s);
    const double spread = local.common_spread(step_, clients_, iteration, recipe_.temperature);
    for (Index c = 0; c < chains(); ++c) {
      Stream stream = noise_[static_cast<std::size_t>(c)];
      stream.round = iteration;
      const auto column = common_.column(s * chains() + c);
      normals(stream, column);
      math::scale(spread, column);
      math::add(column, expected_position_.column(c));
    }
  }
}

void ClientView::set_prior(Prior of_theta) {
  theta_prior_ = std::move(of_theta);
  prior_ = coordinates_ ? coordinates_->pull_back(theta_prior_) : theta_prior_;
}

void ClientView::set_coordinates(std::shared_ptr<const Coordinates> coordinates) {
  coordinates_ = std::move(coordinates);
  set_prior(std::move(theta_prior_));
}

void ClientView::archive(Archive& archive, bool anchors) {
  if (recipe_.preconditioned) {
    bool known = coordinates_ != nullptr;
    archive.flag(known);
    Coordinates kept = coordinates_ ? *coordinates_ : Coordinates();
    if (known) kept.archive(archive, position_.rows());
    if (archive.reading()) set_coordinates(known ? std::make_shared<const Coordinates>(std::move(kept)) : nullptr);
  }
  archive.array(position_.flat());
  archive.array(expected_position_.flat());
  archive.array(control_.flat());
  const bool left_out = !anchors && recipe_.keeps_anchors();
  archive.array(left_out ? std::span<double>() : anchor_.flat());
  archive.array(left_out ? std::span<std::uint64_t>() : std::span(anchor_version_));
  archive.field(round_);
  archive.field(segment_.first);
  archive.field(segment_.steps);
}

}  // namespace pollen
