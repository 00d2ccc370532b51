#include "exact/posterior.h"

#include <utility>

#include "math/math.h"

namespace pollen::exact {

void complete_answer(const PriorPart& prior, double temperature, ConstPanelView at, PanelView answer) {
  const PanelView gradients = gradients_of(answer);
  for (Index c = 0; c < at.columns; ++c) {
    double& potential = potential_of(answer, c);
    potential = (potential + prior.share * prior.prior->value(at.column(c))) / temperature;
    prior.prior->add_gradient(at.column(c), prior.share, gradients.column(c));
    if (temperature != 1.0) math::scale(1 / temperature, gradients.column(c));
  }
}

HeldPosterior::HeldPosterior(std::vector<const Potential*> parts, const PriorPart& prior, double temperature)
    : parts_(std::move(parts)), prior_(prior), temperature_(temperature) {}

void HeldPosterior::ask(ConstPanelView at, PanelView out, Counters& counters) {
  Scratch::Frame frame(scratch_);
  const PanelView part = scratch_.panel(out.rows, out.columns);
  const auto values = scratch_.take<double>(out.columns);
  fill(out, 0.0);
  for (const Potential* potential : parts_) {
    potential->value_and_gradient(at, values, gradients_of(part), scratch_);
    for (Index c = 0; c < out.columns; ++c) potential_of(part, c) = values[static_cast<std::size_t>(c)];
    math::add(part, out);
    counters.gradients += potential->rows() * at.columns;
  }
  complete_answer(prior_, temperature_, at, out);
}

}  // namespace pollen::exact
