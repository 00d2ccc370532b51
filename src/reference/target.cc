#include "target.h"

#include <utility>

#include "math/math.h"

namespace pollen::reference {

Target::Target(std::shared_ptr<const Potential> likelihood, Prior prior, double temperature)
    : likelihood_(std::move(likelihood)), prior_(prior), temperature_(temperature) {}

void Target::value(const ConstPanelView& theta, std::span<double> out, Scratch& scratch) const {
  likelihood_->value(theta, out, scratch);
  for (Index c = 0; c < theta.columns; ++c) {
    double& u = out[static_cast<std::size_t>(c)];
    u = (u + prior_.share * prior_.prior->value(theta.column(c))) / temperature_;
  }
}

void Target::gradient(const ConstPanelView& theta, const PanelView& out, Scratch& scratch) const {
  likelihood_->gradient(theta, out, scratch);
  for (Index c = 0; c < theta.columns; ++c) {
    prior_.prior->add_gradient(theta.column(c), prior_.share, out.column(c));
    if (temperature_ != 1.0) math::scale(1 / temperature_, out.column(c));
  }
}

std::shared_ptr<const Potential> borrowed(const Potential& potential) {
  return {std::shared_ptr<const Potential>(), &potential};
}

}  // namespace pollen::reference
