#include "exact/fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "chain.h"
#include "math/math.h"
#include "pollen/errors.h"

namespace pollen::exact {

struct Fleet::Member {
  Chain chain;
  std::deque<Done> done;
};

namespace {

void archive_transition(Archive& archive, Transition& t) {
  archive.fields(t.accept, t.step, t.energy, t.depth, t.leapfrogs, t.divergent);
}

PanelView leading(Panel& panel, std::size_t columns) {
  PanelView view = panel;
  view.columns = static_cast<Index>(columns);
  return view;
}

}  // namespace

Fleet::Fleet(const Setup& setup, double temperature)
    : ahead_(std::max<Index>(1, setup.ahead)),
      last_(setup.last),
      position_(setup.dimension, setup.chains),
      potential_(static_cast<std::size_t>(setup.chains)),
      transitions_(potential_.size()),
      at_(setup.dimension, setup.chains),
      answer_(setup.dimension + 1, setup.chains),
      no_gradient_(static_cast<std::size_t>(setup.dimension)) {
  members_.reserve(potential_.size());
  for (Index c = 0; c < setup.chains; ++c)
    members_.push_back({Chain(setup, static_cast<std::uint32_t>(c), temperature), {}});
}

Fleet::~Fleet() = default;
Fleet::Fleet(Fleet&&) noexcept = default;

void Fleet::start(ConstPanelView position) {
  copy_into(position, position_);
  for (std::size_t c = 0; c < members_.size(); ++c) members_[c].chain.start(position.column(static_cast<Index>(c)));
}

// A chain rests if it is as far ahead as it may be, or at the end of the run.
bool Fleet::rests(const Member& member) const {
  const std::int64_t most = std::max(last_, iteration_ + 1);
  return std::ssize(member.done) >= ahead_ || member.chain.iteration() >= most;
}

void Fleet::advance(Posterior& posterior, Counters& counters) {
  while (std::ranges::any_of(members_, [](const Member& m) { return m.done.empty(); })) exchange(posterior, counters);
  take_turn();
}

void Fleet::exchange(Posterior& posterior, Counters& counters) {
  asking_.clear();
  for (std::size_t c = 0; c < members_.size(); ++c) {
    if (rests(members_[c])) continue;
    const std::span<const double> position = members_[c].chain.asks();
    // A trajectory that diverges may leave the finite numbers. Nobody is asked there: the density is taken for 0.
    if (!math::all_finite(position)) {
      tell(members_[c], std::numeric_limits<double>::infinity(), no_gradient_);
      continue;
    }
    std::ranges::copy(position, at_.column(std::ssize(asking_)).begin());
    asking_.push_back(c);
  }
  if (asking_.empty()) return;
  const PanelView answer = leading(answer_, asking_.size());
  posterior.ask(leading(at_, asking_.size()), answer, counters);
  for (std::size_t i = 0; i < asking_.size(); ++i) {
    const auto column = static_cast<Index>(i);
    tell(members_[asking_[i]], potential_of(answer, column), gradients_of(answer).column(column));
  }
}

void Fleet::tell(Member& member, double potential, std::span<const double> gradient) {
  Chain& chain = member.chain;
  if (chain.hear(potential, gradient))
    member.done.push_back({{chain.position().begin(), chain.position().end()}, chain.potential(), chain.transition()});
}

// Makes the oldest complete transition of every chain the fleet's iteration.
void Fleet::take_turn() {
  for (std::size_t c = 0; c < members_.size(); ++c) {
    const Done& done = members_[c].done.front();
    std::ranges::copy(done.position, position_.column(static_cast<Index>(c)).begin());
    potential_[c] = done.potential;
    transitions_[c] = done.transition;
    members_[c].done.pop_front();
  }
  ++iteration_;
}

void Fleet::archive(Archive& archive) {
  archive.array(position_.flat());
  archive.array(std::span(potential_));
  archive.field(iteration_);
  if (iteration_ < 0) throw WireError(fmt::format("saved state: found iteration {}, accepted: 0 or more", iteration_));
  for (std::size_t c = 0; c < members_.size(); ++c) {
    Member& member = members_[c];
    archive_transition(archive, transitions_[c]);
    std::uint64_t ahead = member.done.size();
    archive.field(ahead);
    if (ahead > static_cast<std::uint64_t>(ahead_))
      throw WireError(fmt::format("saved state: found {} transitions ahead, accepted: up to {}", ahead, ahead_));
    member.done.resize(ahead);
    for (Done& done : member.done) {
      done.position.resize(static_cast<std::size_t>(position_.rows()));
      archive.array(std::span(done.position));
      archive.field(done.potential);
      archive_transition(archive, done.transition);
    }
    member.chain.archive(archive);
  }
}

}  // namespace pollen::exact
