#include "gradient_work.h"

#include <algorithm>

#include "pollen/archive.h"

namespace pollen {

namespace {

std::unique_ptr<Oracle> make_client_oracle(const ClientParts& parts, const Potential& potential, Index chains) {
  const Recipe& recipe = *parts.recipe;
  const Index batch = recipe.batch.of(potential.rows());
  if (recipe.local && recipe.local->clip) return make_clipped_oracle(potential, batch, *recipe.local->clip);
  return make_oracle(recipe.oracle_name, potential, batch, chains);
}

}  // namespace

GradientWork::GradientWork(std::uint32_t client, const Potential& potential, const ClientParts& parts, Index chains)
    : client_(client), parts_(parts), oracle_(make_client_oracle(parts, potential, chains)) {
  if (parts.recipe->oracle == OracleKind::fixed_point && parts.prior_share > 0)
    anchor_.resize(static_cast<std::size_t>(potential.dimension()));
}

void GradientWork::compute(const ClientView& view, Reply& reply, const PanelView& out, Workspace& work) {
  Scratch::Frame frame(work.scratch);
  const std::span<const std::uint32_t> chains = reply.chains;
  ConstPanelView position = view.position();
  if (static_cast<Index>(chains.size()) != view.chains()) {  // gather the columns of these chains
    PanelView some = work.scratch.panel(out.rows, out.columns);
    for (Index c = 0; c < some.columns; ++c)
      std::ranges::copy(position.column(chains[static_cast<std::size_t>(c)]), some.column(c).begin());
    position = some;
  }
  const OracleInput input{position,    chains, view.anchor(), view.anchor_version(), view.minibatch_streams(),
                          reply.round, client_};
  reply.gradients = oracle_->estimate(input, out, work);
  if (parts_.prior_share == 0) return;
  for (Index c = 0; c < out.columns; ++c) {
    parts_.prior->add_gradient(position.column(c), parts_.prior_share, out.column(c));
    if (!anchor_.empty()) parts_.prior->add_gradient(anchor_, -parts_.prior_share, out.column(c));
  }
}

void GradientWork::set_anchor(std::span<const double> at, std::span<const double> gradient) {
  oracle_->set_anchor(at, gradient);
  if (!anchor_.empty()) std::ranges::copy(at, anchor_.begin());
}

void GradientWork::archive(Archive& archive) {
  archive.array(std::span(anchor_));
  for (const auto array : oracle_->state()) archive.array(array);
  for (const auto array : oracle_->versions()) archive.array(array);
}

}  // namespace pollen
