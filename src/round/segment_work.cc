#include "segment_work.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "math/math.h"
#include "pollen/archive.h"
#include "pollen/errors.h"

namespace pollen {

namespace {

// Draws a client's own normals Z_i for its chains, several iterations at a time, so that small vectors fill the vector
// unit. With d' = d rounded up to an even number and n = max(1, ⌊4096/d'⌋), the normals of iteration k are those from
// number (k mod n)·d' on of the stream's round ⌊k/n⌋.
class OwnNoise {
 public:
  OwnNoise(const ClientView& view, const Reply& reply, Index dimension, Scratch& scratch)
      : view_(view), reply_(reply), each_((dimension + 1) / 2 * 2), a_round_(std::max<Index>(1, 4096 / each_)) {
    const auto chains = static_cast<Index>(reply.chains.size());
    const Index room = std::max<Index>(1, 8192 / (each_ * chains));  // iterations that fit into the cache
    buffer_ = scratch.panel(each_ * std::min(room, static_cast<Index>(view.segment().steps)), chains);
  }

  Index stride() const { return buffer_.stride; }
  // Returns the normals of an iteration for the first chain; those of the other chains follow, stride() apart.
  // Iterations are asked for in order.
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

// Takes a local step chain by chain, for a client that does not work for all chains.
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

SegmentWork::SegmentWork(std::uint32_t client, const Potential& potential, const ClientParts& parts, Index chains)
    : GradientWork(client, potential, parts, chains),
      local_(potential.dimension(), chains),
      pending_(local_),
      local_at_(static_cast<std::size_t>(chains), 0) {}

void SegmentWork::compute(const ClientView& view, Reply& reply, const PanelView& out, Workspace& work) {
  walk(view, reply, work);
  if (!reply.silent) send(view, reply, out);
}

void SegmentWork::walk(const ClientView& view, Reply& reply, Workspace& work) {
  const LocalSegment& segment = view.segment();
  const LocalSteps& local = *parts().recipe->local;
  const auto n = static_cast<Index>(reply.chains.size());
  const Index dimension = pending_.rows();
  Scratch::Frame frame(work.scratch);
  const PanelView x{pending_.flat().data(), dimension, n, pending_.stride()};  // column p is for chain reply.chains[p]
  const PanelView g = work.scratch.panel(dimension, n);
  OwnNoise own(view, reply, dimension, work.scratch);
  for (Index p = 0; p < n; ++p) {
    const auto chain = static_cast<Index>(reply.chains[static_cast<std::size_t>(p)]);
    const auto from = segment.starts ? view.position().column(chain) : std::as_const(local_).column(chain);
    std::ranges::copy(from, x.column(p).begin());
  }
  OracleInput input{x, reply.chains, view.anchor(), {}, view.minibatch_streams(), segment.first, client()};
  const ConstPanelView common = view.common();
  math::LocalStep in{g.data, g.stride, common.data, common.stride, nullptr, own.stride(), 0, 0};
  const bool bare = parts().prior_share == 0 && parts().recipe->oracle != OracleKind::control;
  reply.gradients = 0;
  for (std::uint32_t s = 0; s < segment.steps; ++s) {
    input.round = segment.first + s;
    reply.gradients += oracle().estimate(input, g, work);
    if (!bare) add_prior_and_control(view, input, g);
    if (s == 0 || local.decaying) {
      const double step = local.step_at(view.step(), parts().clients, input.round);
      in.step = step / parts().weight;
      in.spread = std::sqrt(2 * step * parts().recipe->temperature * (1 - local.common) / parts().weight);
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
                         static_cast<std::int64_t>(segment.first + segment.steps), client());
  pending_at_ = segment.first + segment.steps;
}

// Adds the gradient of the client's share of the prior. With control variates it also subtracts that gradient at Y and
// adds w_i C.
void SegmentWork::add_prior_and_control(const ClientView& view, const OracleInput& input, const PanelView& out) const {
  const bool control = parts().recipe->oracle == OracleKind::control;
  const double share = parts().prior_share;
  for (Index p = 0; p < out.columns; ++p) {
    const auto column = out.column(p);
    if (share != 0) parts().prior->add_gradient(input.position.column(p), share, column);
    if (!control) continue;
    const auto chain = static_cast<Index>(input.chains[static_cast<std::size_t>(p)]);
    if (share != 0) parts().prior->add_gradient(input.anchor.column(chain), -share, column);
    // C is the sum of ∇U_i(Y) over clients; with weights 1/b, w_i C is their average.
    math::axpy(parts().weight, view.control().column(chain), column);
  }
}

// Writes the position that the segment has reached or, if messages are changes, its difference from what the server
// knows.
void SegmentWork::send(const ClientView& view, const Reply& reply, const PanelView& out) const {
  for (Index p = 0; p < out.columns; ++p) {
    const auto here = pending_.column(p);
    const auto chain = static_cast<Index>(reply.chains[static_cast<std::size_t>(p)]);
    if (parts().recipe->sends_changes())
      math::subtract(here, view.expected_position().column(chain), out.column(p));
    else
      std::ranges::copy(here, out.column(p).begin());
  }
}

void SegmentWork::commit(const Reply& reply) {
  if (!reply.silent) return;  // a message was sent, so the next segment starts from the average
  if (static_cast<Index>(reply.chains.size()) == local_.columns()) {
    std::swap(local_, pending_);
  } else {
    for (std::size_t p = 0; p < reply.chains.size(); ++p)
      std::ranges::copy(pending_.column(static_cast<Index>(p)), local_.column(reply.chains[p]).begin());
  }
  for (const std::uint32_t chain : reply.chains) local_at_[chain] = pending_at_;
}

// Returns the last broadcast position if the client takes no part in the segment.
std::span<const double> SegmentWork::position(const ClientView& view, Index chain) const {
  const std::uint64_t now = view.segment().first + view.segment().steps;
  const bool here = local_at_[static_cast<std::size_t>(chain)] == now && now > 0;
  return here ? local_.column(chain) : view.position().column(chain);
}

void SegmentWork::archive(Archive& archive) {
  archive.array(local_.flat());
  archive.array(std::span(local_at_));
  GradientWork::archive(archive);
}

void SegmentWork::archive_pending(Archive& archive) {
  archive.array(pending_.flat());
  archive.field(pending_at_);
}

}  // namespace pollen
