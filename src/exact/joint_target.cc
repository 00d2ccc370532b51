#include "joint_target.h"

#include <algorithm>

#include "exact/joint.h"
#include "math/math.h"

namespace pollen::exact {

double JointPrior::value(std::span<const double> at) const {
  double sum = normal.value(at);
  for (std::size_t j = 0; j < half_normal.size(); ++j)
    if (const double s = half_normal[j]; s > 0) sum += 0.5 * math::exp(2 * at[j]) / (s * s) - at[j];
  return sum;
}

void JointPrior::add_gradient(std::span<const double> at, std::span<double> g) const {
  normal.add_gradient(at, 1, g);
  for (std::size_t j = 0; j < half_normal.size(); ++j)
    if (const double s = half_normal[j]; s > 0) g[j] += math::exp(2 * at[j]) / (s * s) - 1;
}

JointTarget::Place JointTarget::place(std::span<const double> theta, std::size_t j) const {
  const auto in_theta = [&](Index of_beta) {
    return of_beta < 0 ? kNone : shape_.shared + static_cast<std::size_t>(of_beta);
  };
  const NormalPlace at = *population_.place(theta.subspan(shape_.shared), static_cast<Index>(j));
  return {in_theta(at.of_mean), in_theta(at.of_log_sd), at.mean, at.sd, centred_[shape_.choice[j]] != 0};
}

void JointTarget::to_latent(std::span<const double> theta, std::span<const double> u, std::span<double> z) const {
  for (std::size_t j = 0; j < u.size(); ++j) {
    const Place at = place(theta, j);
    z[j] = at.centred ? u[j] : at.mean + at.sd * u[j];
  }
}

void JointTarget::from_latent(std::span<const double> theta, std::span<const double> z, std::span<double> u) const {
  for (std::size_t j = 0; j < z.size(); ++j) {
    const Place at = place(theta, j);
    u[j] = at.centred ? z[j] : (z[j] - at.mean) / at.sd;
  }
}

double JointTarget::evaluate(std::span<const double> theta, std::span<const double> u, std::span<double> by_u,
                             std::span<double> by_theta) const {
  Scratch::Frame frame(scratch_);
  const auto z = scratch_.take<double>(std::ssize(u));
  to_latent(theta, u, z);
  std::ranges::fill(by_theta, 0.0);
  double value = client_.gradient(theta.first(shape_.shared), z, by_u, by_theta.first(shape_.shared), scratch_);
  for (std::size_t j = 0; j < u.size(); ++j) {
    const Place at = place(theta, j);
    const double off = at.centred ? (z[j] - at.mean) / at.sd : u[j], by_z = by_u[j];
    value += 0.5 * off * off + (at.centred ? math::log(at.sd) : 0);
    by_u[j] = at.centred ? by_z + off / at.sd : at.sd * by_z + off;
    if (at.of_mean != kNone) by_theta[at.of_mean] += at.centred ? -off / at.sd : by_z;
    if (at.of_log_sd != kNone) by_theta[at.of_log_sd] += at.centred ? 1 - off * off : at.sd * off * by_z;
  }
  return value;
}

void JointTarget::relative_curvature(std::span<const double> theta, std::span<const double> z,
                                     std::span<double> out) const {
  Scratch::Frame frame(scratch_);
  const Index d = std::ssize(z);
  const auto shared = theta.first(shape_.shared);
  if (client_.has_hessian()) {
    const PanelView hessian = scratch_.panel(d, d);
    fill(hessian, 0.0);
    client_.add_latent_hessian(shared, z, hessian, scratch_);
    for (std::size_t j = 0; j < out.size(); ++j) out[j] = hessian.column(static_cast<Index>(j))[j];
  } else {  // a bound on the trace
    std::ranges::fill(out, client_.latent_curvature(shared, scratch_) / static_cast<double>(d));
  }
  for (std::size_t j = 0; j < out.size(); ++j) {
    const double sd = place(theta, j).sd;
    out[j] *= sd * sd;
  }
}

double JointTarget::variance(std::span<const double> theta, std::size_t j, double relative) const {
  const Place at = place(theta, j);
  return (at.centred ? at.sd * at.sd : 1) / (1 + relative);
}

}  // namespace pollen::exact
