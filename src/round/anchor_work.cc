#include "anchor_work.h"

#include <algorithm>

#include "math/math.h"
#include "pollen/archive.h"

namespace pollen {

AnchorWork::AnchorWork(std::uint32_t client, const Potential& potential, const ClientParts& parts, Index chains)
    : client_(client),
      parts_(parts),
      potential_(potential),
      size_{potential.rows(), parts.recipe->batch.of(potential.rows())},
      known_(static_cast<std::size_t>(chains), 0) {
  if (size_.batch < size_.rows)
    anchor_ = gradient_ = next_anchor_ = next_gradient_ = Panel(potential.dimension(), chains);
}

void AnchorWork::compute(const ClientView& view, Reply& reply, const PanelView& out, Workspace& work) {
  Scratch::Frame frame(work.scratch);
  const PanelView at = work.scratch.panel(out.rows, out.columns);
  for (Index p = 0; p < out.columns; ++p)
    std::ranges::copy(view.position().column(reply.chains[static_cast<std::size_t>(p)]), at.column(p).begin());
  reply.gradients = 0;
  if (view.refreshes() || anchor_.empty()) {
    potential_.gradient(at, out, work.scratch);
    reply.gradients = size_.rows * out.columns;
    for (Index p = 0; p < out.columns && !anchor_.empty(); ++p) {
      const auto chain = static_cast<Index>(reply.chains[static_cast<std::size_t>(p)]);
      std::ranges::copy(at.column(p), next_anchor_.column(chain).begin());
      std::ranges::copy(out.column(p), next_gradient_.column(chain).begin());
    }
  } else {
    for (Index p = 0; p < out.columns; ++p)
      reply.gradients += estimate(view, reply.chains[static_cast<std::size_t>(p)], out.column(p), work);
  }
  for (Index p = 0; p < out.columns && parts_.prior_share != 0; ++p)
    parts_.prior->add_gradient(at.column(p), parts_.prior_share, out.column(p));
}

// The estimate from a minibatch. Returns how many gradients of rows it took.
std::int64_t AnchorWork::estimate(const ClientView& view, std::uint32_t chain, std::span<double> out,
                                  Workspace& work) const {
  const auto position = view.position().column(chain);
  const double factor = static_cast<double>(size_.rows) / static_cast<double>(size_.batch);
  draw_minibatch(view.minibatch_streams()[chain], view.round(), client_, size_, work.rows);
  if (known_[chain] == 0) {
    potential_.gradient_rows(position, work.rows, out, work.scratch);
    math::scale(factor, out);
    return size_.batch;
  }
  potential_.difference_rows(position, anchor_.column(chain), work.rows, out, work.scratch);
  math::scale_add(factor, gradient_.column(chain), out);
  return 2 * size_.batch;
}

void AnchorWork::commit(const Reply& reply) {
  if (!reply.refreshes || anchor_.empty()) return;
  for (const std::uint32_t chain : reply.chains) {
    std::ranges::copy(next_anchor_.column(chain), anchor_.column(chain).begin());
    std::ranges::copy(next_gradient_.column(chain), gradient_.column(chain).begin());
    known_[chain] = 1;
  }
}

void AnchorWork::archive(Archive& archive) {
  archive.array(anchor_.flat());
  archive.array(gradient_.flat());
  archive.array(std::span(known_));
}

void AnchorWork::archive_pending(Archive& archive) {
  archive.array(next_anchor_.flat());
  archive.array(next_gradient_.flat());
}

}  // namespace pollen
