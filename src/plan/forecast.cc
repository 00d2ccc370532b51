// The stationary law of a sampler on a Gaussian posterior, to first order in the step (docs/plan.md, "How the forecast
// is computed").
//
// With γ the step on U, T the temperature, C the covariance of the gradient's noise, and S = T H⁻¹, the covariance Σ of
// the draws solves
//   H Σ + Σ H - γ H Σ H = 2T I + γ (C + κ T (Q H⁻¹ + H⁻¹ Qᵀ - 2H) + 2T D),
// Q = Σ H_i²/w_i, D = Σ lag_i H_i, and their mean is off by γ κ H⁻¹ Σ H_i g_i/w_i. In the eigenbasis of H this is a
// division of each entry.
#include "plan/forecast.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "math/linear_algebra.h"

namespace pollen::plan {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// The mean of 2(1 - r^k) over the ages k = 0 .. rounds-1 of an anchor, where r is the autocorrelation from one round to
// the next: how far positions have moved since the anchor was set, in units of the posterior's covariance.
double since_refresh(double r, double rounds) {
  const double far = 1 - r;
  if (far <= 0) return 0;
  return 2 * (1 - (1 - std::pow(std::max(r, 0.0), rounds)) / (rounds * far));
}

// The same for an anchor that is renewed with probability q after every iteration.
double since_chance(double r, double q) { return 2 * (1 - q / (1 - (1 - q) * r)); }

}  // namespace

const char* name_of(Cause cause) {
  switch (cause) {
    case Cause::step:
      return "the step size";
    case Cause::participation:
      return "participation";
    case Cause::minibatch:
      return "minibatches";
    case Cause::compression:
      return "compression";
    case Cause::local_steps:
      return "local steps";
    case Cause::delay:
      return "the delay of error feedback";
    case Cause::heat:
      return "private noise with absent clients";
  }
  return "";
}

Index Forecast::widest() const {
  Index place = 0;
  (ratio.array() - 1).abs().maxCoeff(&place);
  return place;
}

Index Forecast::biased() const {
  Index place = 0;
  bias.cwiseAbs().maxCoeff(&place);
  return place;
}

double Forecast::slowest() const { return tau.maxCoeff(); }

double Forecast::ess(double iterations, double chains) const { return chains * iterations / slowest(); }

Cause Forecast::worst() const {
  const double unpushed = pushed.size() > 0 ? (bias - pushed).cwiseAbs().maxCoeff() : std::abs(bias(biased()));
  if (unpushed > std::abs(ratio(widest()) - 1)) return Cause::local_steps;
  const Index j = widest();
  Cause worst = Cause::step;
  double most = 0;
  for (const auto& [cause, share] : shares) {
    if (std::abs(share(j)) <= most) continue;
    most = std::abs(share(j));
    worst = cause;
  }
  return worst;
}

bool within(const Forecast& forecast, const Tolerance& tolerance) {
  return (forecast.ratio.array() - 1).abs().maxCoeff() <= tolerance.sd &&
         forecast.bias.cwiseAbs().maxCoeff() <= tolerance.mean;
}

Forecaster::Forecaster(const GaussianSums& sums, const Dynamics& dynamics) : dynamics_(dynamics) {
  const Index d = sums.hessian.rows();
  const math::Eigenpairs eigen = math::symmetric_eigen(sums.hessian);
  values_ = eigen.values;
  if (!(values_.minCoeff() > 1e-12 * values_.maxCoeff()))
    throw std::domain_error("the posterior is flat in some direction at its mode");
  vectors_ = eigen.vectors;
  basis_ = sums.to_theta.size() > 0 ? MatrixXd(sums.to_theta * vectors_) : vectors_;
  target_ = dynamics.temperature * (basis_.cwiseAbs2() * values_.cwiseInverse());
  const auto rotated = [&](const MatrixXd& m) { return MatrixXd(vectors_.transpose() * m * vectors_); };
  // After a round of local steps the average has moved by as much as a step of K γ' would move it.
  MatrixXd whole = dynamics.mean_steps * sums.hessian;
  for (const NoisePart& part : sums.noise) {
    if (part.covariance.size() == 0) continue;
    parts_.push_back({part.cause, rotated(part.covariance), part.from_anchor, part.from_memory});
    whole += part.covariance / dynamics.temperature;
  }
  if (sums.delayed.size() > 0) {
    parts_.push_back({Cause::delay, rotated(2 * dynamics.temperature * sums.delayed), false, false});
    whole += 2 * sums.delayed;
  }
  if (sums.squares.size() > 0) squares_ = rotated(sums.squares);
  drift_ = VectorXd::Zero(d);
  if (sums.drift.size() > 0)
    drift_ = dynamics.further_steps * (basis_ * (vectors_.transpose() * sums.drift).cwiseQuotient(values_).eval());
  if (sums.scale.size() > 0) {
    push_ = basis_ * (vectors_.transpose() * sums.scale).cwiseQuotient(values_);
    of_rows_ = rotated(sums.of_rows);
  }
  stable_ = 2 / (math::symmetric_eigenvalues(whole).maxCoeff() * dynamics.unit);
}

// Anchors and memories are as old for all directions as for the stiffest one, which overstates what they leave over.
double Forecaster::shrink(const Part& part, double effective) const {
  const double r = 1 - effective * values_.maxCoeff();
  double factor = 1;
  if (part.from_anchor && dynamics_.anchor_chance > 0) factor *= since_chance(r, dynamics_.anchor_chance);
  if (part.from_anchor && dynamics_.anchor_rounds > 0) factor *= since_refresh(r, dynamics_.anchor_rounds);
  if (part.from_memory) {
    const double rate = dynamics_.memory_rate, kept = 1 - rate * dynamics_.presence;
    const double round = std::pow(std::max(r, 0.0), dynamics_.mean_steps);
    factor *= 2 * (1 - round) / ((1 - kept * round) * (2 - rate * (1 + dynamics_.omega)));
  }
  return factor;
}

// κ T (Q H⁻¹ + H⁻¹ Qᵀ - 2H): what local steps do where the clients' curvatures differ. With control variates whose
// anchor has the autocorrelation ρ with the position, Q(1-ρ) + H²ρ is in the place of Q.
MatrixXd Forecaster::control_part(double effective) const {
  MatrixXd q = squares_;
  if (const double chance = dynamics_.anchor_chance; chance > 0) {
    const VectorXd r = (1 - effective * values_.array()).matrix();
    const VectorXd rho = (chance / (1 - (1 - chance) * r.array())).matrix();
    q = q * (1 - rho.array()).matrix().asDiagonal();
    q.diagonal() += values_.cwiseAbs2().cwiseProduct(rho);
  }
  MatrixXd result = q * values_.cwiseInverse().asDiagonal();
  result += result.transpose().eval();
  result.diagonal() -= 2 * values_;
  return dynamics_.further_steps * dynamics_.temperature * dynamics_.heat * result;
}

namespace {

// Divides by λ_a + λ_b - γ λ_a λ_b.
MatrixXd solved(const MatrixXd& right, const VectorXd& values, double effective) {
  MatrixXd result = right;
  for (Index b = 0; b < values.size(); ++b)
    for (Index a = 0; a < values.size(); ++a) result(a, b) /= values(a) + values(b) - effective * values(a) * values(b);
  return result;
}

}  // namespace

VectorXd Forecaster::variances(const MatrixXd& right, double effective) const {
  return (basis_ * solved(right, values_, effective)).cwiseProduct(basis_).rowwise().sum();
}

// The right-hand side without 2T, by causes; one that occurs twice has two entries.
std::vector<std::pair<Cause, MatrixXd>> Forecaster::terms(double effective) const {
  std::vector<std::pair<Cause, MatrixXd>> all;
  for (const Part& part : parts_) all.emplace_back(part.cause, effective * shrink(part, effective) * part.rotated);
  if (squares_.size() > 0) all.emplace_back(Cause::local_steps, effective * control_part(effective));
  return all;
}

// The mean of ∇U vanishes under the draws, as it does under the posterior. Where U has third derivatives, draws with
// the covariance Σ instead of S are therefore off by -½ H⁻¹ ∇³U:(Σ-S) in the mean. With U = e^(-2λ) RSS(β)/2 + Nλ this
// is tr(R (Σ-S)) H⁻¹ dλ/dψ, R the likelihood's part of H.
VectorXd Forecaster::pushed(const MatrixXd& covariance) const {
  if (push_.size() == 0) return VectorXd::Zero(target_.size());
  const double excess = of_rows_.cwiseProduct(covariance).sum() -
                        dynamics_.temperature * of_rows_.diagonal().cwiseQuotient(values_).sum();
  return excess * push_.cwiseQuotient(target_.cwiseSqrt());
}

Forecast Forecaster::without_causes(double step) const {
  const double effective = step * dynamics_.unit;
  const Index d = values_.size();
  MatrixXd right = 2 * dynamics_.temperature * dynamics_.heat * MatrixXd::Identity(d, d);
  for (const auto& [cause, term] : terms(effective)) right += term;
  const MatrixXd covariance = solved(right, values_, effective);
  const MatrixXd half = (basis_ * covariance).cwiseProduct(basis_);
  Forecast forecast;
  forecast.step = step;
  forecast.ratio = half.rowwise().sum().cwiseQuotient(target_).cwiseMax(0).cwiseSqrt();
  forecast.pushed = pushed(covariance);
  forecast.bias = effective * drift_.cwiseQuotient(target_.cwiseSqrt()) + forecast.pushed;
  forecast.tau = autocorrelation_time(half, effective);
  if (!(effective * values_.maxCoeff() < 2)) forecast.ratio.setConstant(std::numeric_limits<double>::infinity());
  return forecast;
}

Forecast Forecaster::at(double step) const {
  Forecast forecast = without_causes(step);
  const double effective = step * dynamics_.unit;
  const Index d = values_.size();
  for (const auto& [cause, term] : terms(effective)) {
    const VectorXd share = variances(term, effective).cwiseQuotient(target_);
    const auto known = std::ranges::find(forecast.shares, cause, &std::pair<Cause, VectorXd>::first);
    if (known == forecast.shares.end())
      forecast.shares.emplace_back(cause, share);
    else
      known->second += share;
  }
  const VectorXd cold =
      variances(2 * dynamics_.temperature * MatrixXd::Identity(d, d), effective).cwiseQuotient(target_);
  forecast.shares.emplace_back(Cause::step, (cold.array() - 1).matrix());
  if (dynamics_.heat != 1) forecast.shares.emplace_back(Cause::heat, (dynamics_.heat - 1) * cold);
  return forecast;
}

// A draw keeps 1 - γλ of its deviation along an eigenvector per iteration, so that the autocorrelations of a parameter
// add up to a mixture of geometric series. `half` has the eigenvectors' shares of each parameter's variance.
VectorXd Forecaster::autocorrelation_time(const MatrixXd& half, double effective) const {
  const VectorXd kept = (1 - effective * values_.array()).abs().pow(dynamics_.stride).matrix();
  const VectorXd sums = ((1 + kept.array()) / (1 - kept.array()).max(1e-300)).matrix();
  return dynamics_.stride * (half * sums).cwiseQuotient(half.rowwise().sum());
}

Forecast Forecaster::with_law(double step, const VectorXd& mean, const MatrixXd& covariance) const {
  Forecast forecast = at(step);
  const MatrixXd in_basis = vectors_.transpose() * covariance * vectors_;
  forecast.ratio = (basis_ * in_basis).cwiseProduct(basis_).rowwise().sum().cwiseQuotient(target_).cwiseSqrt();
  forecast.pushed = pushed(in_basis);
  forecast.bias = (basis_ * (vectors_.transpose() * mean)).cwiseQuotient(target_.cwiseSqrt()) + forecast.pushed;
  forecast.exact = true;
  return forecast;
}

Forecast Forecaster::unstable(double step) const {
  Forecast forecast = at(step);
  forecast.ratio.setConstant(std::numeric_limits<double>::infinity());
  return forecast;
}

}  // namespace pollen::plan
