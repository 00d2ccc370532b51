// A client's local steps (algorithms.md section 6):
//   x ← x - (γ'/w) g + √(2γ'Tρ') Z + √(2γ'T(1-ρ')/w) Z_i
#include <algorithm>
#include <cmath>
#include <utility>

#include "client_state.h"
#include "math/math.h"
#include "pollen/errors.h"
#include "pollen/round.h"

namespace pollen {

namespace {

// A client's own normals for its chains, several iterations at a time so that small vectors fill the vector unit. Those
// of iteration k are normals (k mod n)·d' .. of the stream's round k / n, with d' = d rounded up to even and n = 4096 /
// d'.
class OwnNoise {
 public:
  OwnNoise(const ClientView& view, const Reply& reply, Index dimension, Scratch& scratch)
      : view_(view), reply_(reply), each_((dimension + 1) / 2 * 2), a_round_(std::max<Index>(1, 4096 / each_)) {
    const auto chains = static_cast<Index>(reply.chains.size());
    const Index room = std::max<Index>(1, 8192 / (each_ * chains));  // of the buffer, which stays in the cache
    buffer_ = scratch.panel(each_ * std::min(room, static_cast<Index>(view.segment().steps)), chains);
  }

  Index stride() const { return buffer_.stride; }
  // Of the first chain; the others' follow, a stride apart. Iterations come one after another.
  const double* at(std::uint64_t iteration) {
    if (iteration >= end_) make(iteration);
    return buffer_.data + static_cast<Index>(iteration - begin_) * each_;
  }

 private:
  void make(std::uint64_t iteration) {
    const LocalSegment& segment = view_.segment();
    const auto within = static_cast<Index>(iteration % static_cast<std::uint64_t>(a_round_));
    const Index steps = std::min(
        {buffer_.rows / each_, a_round_ - within, static_cast<Index>(segment.first + segment.steps - iteration)});
    begin_ = iteration;
    end_ = iteration + static_cast<std::uint64_t>(steps);
    for (Index p = 0; p < buffer_.columns; ++p) {
      Stream stream = view_.local_streams()[reply_.chains[static_cast<std::size_t>(p)]];
      stream.round = iteration / static_cast<std::uint64_t>(a_round_);
      stream.client = reply_.client;
      normals(stream, buffer_.column(p).first(static_cast<std::size_t>(steps * each_)),
              static_cast<std::uint64_t>(within * each_));
    }
  }

  const ClientView& view_;
  const Reply& reply_;
  Index each_, a_round_;
  PanelView buffer_;
  std::uint64_t begin_ = 0, end_ = 0;  // the iterations in the buffer
};

// Chain by chain, where a client does not work for all of them.
void step_some(std::span<const std::uint32_t> chains, const PanelView& x, const math::LocalStep& in) {
  for (Index p = 0; p < x.columns; ++p) {
    math::LocalStep one = in;
    one.gradient += p * in.gradient_stride;
    if (in.common != nullptr) one.common += static_cast<Index>(chains[static_cast<std::size_t>(p)]) * in.common_stride;
    if (in.own != nullptr) one.own += p * in.own_stride;
    math::local_step({x.data + p * x.stride, x.rows, 1, x.stride}, one);
  }
}

}  // namespace

void Client::walk(const ClientView& view, Reply& reply, Workspace& work) {
  const LocalSegment& segment = view.segment();
  const LocalSteps& local = *parts_.recipe->local;
  const auto n = static_cast<Index>(reply.chains.size());
  Scratch::Frame frame(work.scratch);
  State& mine = state();
  const PanelView x{mine.pending.flat().data(), dimension_, n,
                    mine.pending.stride()};  // column p is chain chains[p], for now
  const PanelView g = work.scratch.panel(dimension_, n);
  OwnNoise own(view, reply, dimension_, work.scratch);
  for (Index p = 0; p < n; ++p) {
    const auto chain = static_cast<Index>(reply.chains[static_cast<std::size_t>(p)]);
    const auto from = segment.starts ? view.position().column(chain) : std::as_const(mine.local).column(chain);
    std::ranges::copy(from, x.column(p).begin());
  }
  OracleInput input{x, reply.chains, view.anchor(), {}, view.minibatch_streams(), segment.first, index_};
  const ConstPanelView common = view.common();
  math::LocalStep in{g.data, g.stride, common.data, common.stride, nullptr, own.stride(), 0, 0};
  const bool bare = parts_.prior_share == 0 && parts_.recipe->oracle != OracleKind::control;
  reply.gradients = 0;
  for (std::uint32_t s = 0; s < segment.steps; ++s) {
    input.round = segment.first + s;
    reply.gradients += mine.oracle->estimate(input, g, work);
    if (!bare) add_prior_and_control(view, input, g);
    if (s == 0 || local.decaying) {
      const double step = local.step_at(parts_.recipe->step, parts_.clients, input.round);
      in.step = step / parts_.weight;
      in.spread = std::sqrt(2 * step * parts_.recipe->temperature * (1 - local.common) / parts_.weight);
    }
    if (in.spread > 0) in.own = own.at(input.round);
    if (n == view.chains())
      math::local_step(x, in);
    else
      step_some(reply.chains, x, in);
    if (common.data != nullptr) in.common += view.chains() * common.stride;
  }
  for (Index p = 0; p < n; ++p)
    if (!math::all_finite(x.column(p)))
      throw NumericError("the local state is not finite; try a smaller sampler.step",
                         static_cast<std::int64_t>(segment.first + segment.steps), index_);
  mine.pending_at = segment.first + segment.steps;
}

// From the likelihood's gradient to that of what the client owns; with control variates less that at Y, plus C.
void Client::add_prior_and_control(const ClientView& view, const OracleInput& input, const PanelView& out) const {
  const bool control = parts_.recipe->oracle == OracleKind::control;
  for (Index p = 0; p < out.columns; ++p) {
    const auto column = out.column(p);
    if (parts_.prior_share != 0) parts_.prior->add_gradient(input.position.column(p), parts_.prior_share, column);
    if (!control) continue;
    const auto chain = static_cast<Index>(input.chains[static_cast<std::size_t>(p)]);
    if (parts_.prior_share != 0) parts_.prior->add_gradient(input.anchor.column(chain), -parts_.prior_share, column);
    // C is the clients' average of ∇U^i(Y) for weights 1/b; with others it enters as w_i times the sum.
    math::axpy(parts_.weight, view.control().column(chain), column);
  }
}

// Where the segment came to; or, where it is compressed, how far from what the server knows.
void Client::send_local(const ClientView& view, const Reply& reply, const PanelView& out) const {
  for (Index p = 0; p < out.columns; ++p) {
    const auto here = std::as_const(state_->pending).column(p);
    const auto chain = static_cast<Index>(reply.chains[static_cast<std::size_t>(p)]);
    if (parts_.recipe->sends_changes())
      math::subtract(here, view.reference().column(chain), out.column(p));
    else
      std::ranges::copy(here, out.column(p).begin());
  }
}

void Client::commit(const Reply& reply) {
  if (!reply.silent) return;  // the next segment starts from the average
  State& mine = state();
  if (static_cast<Index>(reply.chains.size()) == mine.local.columns()) {
    std::swap(mine.local, mine.pending);
  } else {
    for (std::size_t p = 0; p < reply.chains.size(); ++p)
      std::ranges::copy(mine.pending.column(static_cast<Index>(p)), mine.local.column(reply.chains[p]).begin());
  }
  for (const std::uint32_t chain : reply.chains) mine.local_at[chain] = mine.pending_at;
}

void Client::local_position(const ClientView& view, PanelView out) const {
  const std::uint64_t now = view.segment().first + view.segment().steps;
  for (Index c = 0; c < out.columns; ++c) {
    const bool mine = state_ && state_->local_at[static_cast<std::size_t>(c)] == now && now > 0;
    const auto from = mine ? std::as_const(state_->local).column(c) : view.position().column(c);
    std::ranges::copy(from, out.column(c).begin());
    math::scale(parts_.weight, out.column(c));
  }
}

}  // namespace pollen
