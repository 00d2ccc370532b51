#include "latent_answers.h"

#include "math/math.h"

namespace pollen {

void add_pooled(const PersonalPotential& client, std::span<const double> at, PanelView out, Scratch& scratch) {
  Scratch::Frame frame(scratch);
  const auto k = static_cast<std::size_t>(client.shared());
  const auto slope = scratch.take<double>(std::ssize(at));
  const double value = client.gradient(at.first(k), at.subspan(k), slope.subspan(k), slope.first(k), scratch);
  math::add(slope, out.column(0));
  client.add_hessian(at.first(k), at.subspan(k), {out.data + out.stride, out.rows, out.rows, out.stride}, scratch);
  out.column(out.columns - 1)[0] += value;
}

void add_information(const LocalTarget& target, std::span<const double> z, PanelView out, Scratch& scratch) {
  Scratch::Frame frame(scratch);
  const Index k = target.client.shared(), all = k + target.client.latent();
  const PanelView hessian = scratch.panel(all, all);
  fill(hessian, 0.0);
  target.client.add_hessian(target.shared, z, hessian, scratch);
  math::add(ConstPanelView{hessian.data, k, k, hessian.stride}, out);
}

}  // namespace pollen
