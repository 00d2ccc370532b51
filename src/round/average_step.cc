#include "average_step.h"

#include <algorithm>
#include <cstring>

#include "math/math.h"
#include "pollen/archive.h"
#include "round/client_host.h"
#include "round/server_step.h"

namespace pollen {

AverageStep::AverageStep(const Recipe& recipe, const Server::Setup& setup)
    : dimension_(setup.dimension),
      chains_(setup.chains),
      clients_(std::ssize(setup.sizes)),
      weights_(setup.weights),
      partial_(recipe.participation.policy != ParticipationPolicy::full),
      equal_(recipe.participation.policy == ParticipationPolicy::fixed_size && !recipe.participation.replacement),
      segments_(*recipe.local, setup.seed) {
  for (Index c = 0; c < chains_; ++c)
    noise_.push_back(make_stream(setup.seed, static_cast<std::uint32_t>(c), Purpose::noise));
  if (recipe.sends_changes()) expected_position_ = Panel(dimension_, chains_);
}

void AverageStep::open(std::int64_t most, const Recipe& recipe, const Panel& position, Broadcast& broadcast) {
  const LocalSteps& local = *recipe.local;
  const std::int64_t room = longest_segment(dimension_, chains_);
  LocalSegment& segment = broadcast.segment;
  segment = segments_.next(iteration_, static_cast<std::uint64_t>(local.emit_every ? 1 : std::min(most, room)));
  segment.starts = fresh_;
  if (!next_control_.empty() && control_from_ != iteration_) ready_control_ = std::move(next_control_);
  broadcast.control = std::move(ready_control_);
  ready_control_.clear();
  if (!recipe.sends_changes()) return;
  if (fresh_) std::ranges::copy(position.flat(), expected_position_.flat().begin());
  AlignedVector<double> normal(static_cast<std::size_t>(local.common > 0 ? dimension_ : 0));
  for (std::uint32_t s = 0; s < segment.steps && local.common > 0; ++s) {
    const double spread = local.common_spread(broadcast.step, clients_, segment.first + s, recipe.temperature);
    for (Index c = 0; c < chains_; ++c) {
      const std::span<double> z(normal);
      Stream stream = noise_[static_cast<std::size_t>(c)];
      stream.round = segment.first + s;
      normals(stream, z);
      math::scale(spread, z);
      math::add(z, expected_position_.column(c));
    }
  }
}

// Writes Y and C = Σ ∇U_i(Y) of every chain as words. A client uses w_i times C.
void AverageStep::make_control(ConstPanelView anchor, ConstPanelView gradient_sum, Bytes& words) const {
  const std::size_t column = static_cast<std::size_t>(dimension_) * sizeof(double);
  words.resize(2 * static_cast<std::size_t>(chains_) * column);
  std::uint8_t* to = words.data();
  for (const ConstPanelView& panel : {anchor, gradient_sum})
    for (Index c = 0; c < chains_; ++c, to += column) std::memcpy(to, panel.column(c).data(), column);
}

void AverageStep::start_control(ConstPanelView anchor, ConstPanelView gradient_sum) {
  make_control(anchor, gradient_sum, ready_control_);
}

void AverageStep::refresh(ConstPanelView anchor, ConstPanelView gradient_sum) {
  if (!next_control_.empty()) ready_control_ = std::move(next_control_);
  make_control(anchor, gradient_sum, next_control_);
  control_from_ = iteration_;
  segments_.refreshed();
}

double AverageStep::weight_of(std::uint32_t client) const { return weight_in(weights_, client); }

// A message counts w_i times in the memory. In the step, participation multiplies this so that the factor becomes 1/|A|
// or m_c/S.
ServerStep::Weights AverageStep::weigh(std::uint32_t client, std::uint32_t, double weight) const {
  const double own = equal_ ? 1 / static_cast<double>(clients_) : weight_of(client);
  return {own, own * weight};
}

// No oracle evaluates a row more than three times per step.
std::int64_t AverageStep::most_evaluations_per_row(const Broadcast& broadcast) const {
  return 4 * std::max<std::int64_t>(1, broadcast.segment.steps);
}

void AverageStep::close(const Broadcast& broadcast) {
  iteration_ += broadcast.segment.steps;
  segments_.done(broadcast.segment);
  fresh_ = broadcast.segment.ends;
}

double AverageStep::move(const Chain& in) {
  const auto x = in.position;
  if (!in.recipe.sends_changes()) {
    std::ranges::copy(in.for_step, x.begin());
  } else {
    std::ranges::copy(expected_position_.column(in.chain), x.begin());
    math::add(in.for_step, x);
    if (!in.memory.empty()) {
      math::add(in.memory, x);
      math::axpy(in.recipe.up.rate, in.for_memory, in.memory);
    }
  }
  return math::max_abs(x);
}

void AverageStep::archive(Archive& archive) {
  segments_.archive(archive);
  archive.array(expected_position_.flat());
  archive.field(iteration_);
  archive.field(fresh_);
  archive.field(control_from_);
  for (Bytes* words : {&ready_control_, &next_control_})
    archive.array_or_none(*words, 2 * static_cast<std::uint64_t>(dimension_ * chains_) * sizeof(double));
}

}  // namespace pollen
