// A client's local steps (algorithms.md section 6):
//   x ← x - (γ'/w) g + √(2γ'Tρ') Z + √(2γ'T(1-ρ')/w) Z_i
#include <algorithm>
#include <cmath>
#include <utility>

#include "pollen/errors.h"
#include "pollen/math.h"
#include "pollen/round.h"

namespace pollen {

namespace {

// A client's own normals for its chains, a block of iterations at a time.
class OwnNoise {
 public:
  OwnNoise(const Station& station, const Reply& reply, std::uint32_t client, Index dimension, Scratch& scratch)
      : station_(station),
        reply_(reply),
        client_(client),
        dimension_(dimension),
        steps_(LocalSteps::steps_a_block(dimension)),
        block_(scratch.panel(dimension * static_cast<Index>(steps_), static_cast<Index>(reply.chains.size()))),
        block_index_(station.leg().first / steps_),
        step_(station.leg().first % steps_ - 1) {}

  Index stride() const { return block_.stride; }
  // Of the first chain; the others' follow, a stride apart. Iterations come one after another.
  const double* next() {
    if (++step_ == steps_ || !made_) make();
    return block_.data + static_cast<Index>(step_) * dimension_;
  }

 private:
  void make() {
    if (made_) {
      ++block_index_;
      step_ = 0;
    }
    made_ = true;
    for (Index p = 0; p < block_.columns; ++p) {
      Stream stream = station_.local_streams()[reply_.chains[static_cast<std::size_t>(p)]];
      stream.round = block_index_;
      stream.client = client_;
      normals(stream, block_.column(p));
    }
  }

  const Station& station_;
  const Reply& reply_;
  std::uint32_t client_;
  Index dimension_;
  std::uint64_t steps_;
  PanelView block_;
  std::uint64_t block_index_, step_;  // step_ is one before the next, until the first is made
  bool made_ = false;
};

}  // namespace

void Client::walk(const Station& station, Reply& reply, Workspace& work) {
  const Leg& leg = station.leg();
  const LocalSteps& local = *parts_.recipe->local;
  const auto n = static_cast<Index>(reply.chains.size());
  Scratch::Frame frame(work.scratch);
  const PanelView x{pending_.flat().data(), dimension_, n, pending_.stride()};  // column p is chain chains[p], for now
  const PanelView g = work.scratch.panel(dimension_, n);
  OwnNoise own(station, reply, index_, dimension_, work.scratch);
  for (Index p = 0; p < n; ++p) {
    const auto chain = static_cast<Index>(reply.chains[static_cast<std::size_t>(p)]);
    const auto from = leg.starts ? station.position().column(chain) : std::as_const(local_).column(chain);
    std::ranges::copy(from, x.column(p).begin());
  }
  OracleInput input{x, reply.chains, station.anchor(), {}, station.minibatch_streams(), leg.first, index_};
  reply.gradients = 0;
  double step = 0, spread = 0;
  for (std::uint32_t s = 0; s < leg.steps; ++s) {
    input.round = leg.first + s;
    reply.gradients += local_gradient(station, input, g, work);
    if (s == 0 || local.decaying) {
      step = local.step_at(parts_.recipe->step, parts_.clients, input.round);
      spread = std::sqrt(2 * step * parts_.recipe->temperature * (1 - local.common) / parts_.weight);
    }
    const double* z = spread > 0 ? own.next() : nullptr;
    const ConstPanelView common = station.common(s);
    math::LocalStep in{g.data, g.stride, common.data, common.stride, z, own.stride(), step / parts_.weight, spread};
    if (n == station.chains()) {
      math::local_step(x, in);
      continue;
    }
    for (Index p = 0; p < n; ++p, in.gradient += g.stride) {
      const auto chain = static_cast<Index>(reply.chains[static_cast<std::size_t>(p)]);
      if (common.data != nullptr) in.common = common.column(chain).data();
      math::local_step({x.data + p * x.stride, x.rows, 1, x.stride}, in);
      if (z != nullptr) in.own += own.stride();
    }
  }
  for (Index p = 0; p < n; ++p)
    if (!math::all_finite(x.column(p)))
      throw NumericError("the local state is not finite; try a smaller sampler.step",
                         static_cast<std::int64_t>(leg.first + leg.steps), index_);
  pending_at_ = leg.first + leg.steps;
}

// ∇ of what the client owns; with control variates less that at Y, plus C.
std::int64_t Client::local_gradient(const Station& station, const OracleInput& input, const PanelView& out,
                                    Workspace& work) {
  const std::int64_t evaluated = oracle_->estimate(input, out, work);
  const bool control = parts_.recipe->oracle == OracleKind::control;
  for (Index p = 0; p < out.columns; ++p) {
    const auto column = out.column(p);
    if (parts_.prior_share != 0) parts_.prior->add_gradient(input.position.column(p), parts_.prior_share, column);
    if (!control) continue;
    const auto chain = static_cast<Index>(input.chains[static_cast<std::size_t>(p)]);
    if (parts_.prior_share != 0) parts_.prior->add_gradient(input.anchor.column(chain), -parts_.prior_share, column);
    // C is the clients' average of ∇U^i(Y) for weights 1/b; with others it enters as w_i times the sum.
    math::axpy(parts_.weight, station.control().column(chain), column);
  }
  return evaluated;
}

// Where the leg came to; or, where it is compressed, how far from what the server knows.
void Client::send_local(const Station& station, const Reply& reply, const PanelView& out) const {
  for (Index p = 0; p < out.columns; ++p) {
    const auto here = std::as_const(pending_).column(p);
    const auto chain = static_cast<Index>(reply.chains[static_cast<std::size_t>(p)]);
    if (parts_.recipe->sends_changes())
      math::subtract(here, station.reference().column(chain), out.column(p));
    else
      std::ranges::copy(here, out.column(p).begin());
  }
}

void Client::commit(const Reply& reply) {
  if (!reply.silent) return;  // the next leg starts from the average
  if (static_cast<Index>(reply.chains.size()) == local_.columns()) {
    std::swap(local_, pending_);
  } else {
    for (std::size_t p = 0; p < reply.chains.size(); ++p)
      std::ranges::copy(pending_.column(static_cast<Index>(p)), local_.column(reply.chains[p]).begin());
  }
  for (const std::uint32_t chain : reply.chains) local_at_[chain] = pending_at_;
}

void Client::local_position(const Station& station, PanelView out) const {
  const std::uint64_t now = station.leg().first + station.leg().steps;
  for (Index c = 0; c < out.columns; ++c) {
    const bool mine = local_at_[static_cast<std::size_t>(c)] == now && now > 0;
    std::ranges::copy(mine ? local_.column(c) : station.position().column(c), out.column(c).begin());
    math::scale(parts_.weight, out.column(c));
  }
}

}  // namespace pollen
