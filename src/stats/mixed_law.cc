// Likelihood and posteriors of the linear mixed model.
//
// Write Δ = diag(σ), G = B'B and M = s² I + Δ G Δ. Then V = s² I + B Δ² B' has the inverse (I - B Δ M⁻¹ Δ B')/s² and
// the determinant s^{2(n-d)} |M|, and Δ B' V⁻¹ = M⁻¹ Δ B'. Hence only d × d systems are solved, and σ near 0 needs no
// division by σ².
#include "stats/mixed_law.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "math/linear_algebra.h"

namespace pollen::stats {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

const MixedClient& checked(const MixedClient& client, const MixedParameters& parameters) {
  const Index p = parameters.phi.size(), d = parameters.mean.size(), rows = client.y.size();
  if (d < 1 || parameters.log_sd.size() != d)
    throw std::invalid_argument(
        fmt::format("mixed model: found mean of size {} and log_sd of size {}, accepted: the same size, at least 1", d,
                    parameters.log_sd.size()));
  if (client.random.rows() != rows || client.random.cols() != d)
    throw std::invalid_argument(
        fmt::format("mixed model: found random of {} × {}, accepted: {} × {}, rows × size of mean",
                    client.random.rows(), client.random.cols(), rows, d));
  if (client.fixed.cols() != p || (p > 0 && client.fixed.rows() != rows))
    throw std::invalid_argument(
        fmt::format("mixed model: found fixed of {} × {}, accepted: {} × {}, rows × size of phi", client.fixed.rows(),
                    client.fixed.cols(), rows, p));
  return client;
}

VectorXd residual_of(const MixedClient& client, const VectorXd& phi, const VectorXd& z) {
  VectorXd result = client.y - client.random * z;
  if (phi.size() > 0) result -= client.fixed * phi;
  return result;
}

// The quantities that the formulas of one client share.
struct Marginal {
  Marginal(const MixedClient& client, const MixedParameters& parameters)
      : random(checked(client, parameters).random),
        sd(parameters.log_sd.array().exp()),
        residual(residual_of(client, parameters.phi, parameters.mean)),
        noise(std::exp(2 * parameters.log_noise)),
        gram(sd.asDiagonal() * (random.transpose() * random) * sd.asDiagonal()),
        m(gram + noise * MatrixXd::Identity(sd.size(), sd.size())),
        pull(m.solve(sd.cwiseProduct(random.transpose() * residual))) {}
  VectorXd weighted() const { return (residual - random * sd.cwiseProduct(pull)) / noise; }  // V⁻¹ r

  const MatrixXd& random;
  VectorXd sd, residual;  // σ; r = y - A φ - B μ
  double noise;           // s²
  MatrixXd gram;          // Δ B'B Δ
  math::LinearSystem m;   // M
  VectorXd pull;          // M⁻¹ Δ B' r = Δ B' V⁻¹ r
};

VectorXd by_phi(const MixedClient& client, const VectorXd& by_location) {
  if (client.fixed.cols() == 0) return VectorXd(0);
  return client.fixed.transpose() * by_location;
}

}  // namespace

double mixed_log_likelihood(const std::vector<MixedClient>& clients, const MixedParameters& parameters) {
  double total = 0;
  for (const MixedClient& client : clients) {
    const Marginal at(client, parameters);
    const auto rows = static_cast<double>(client.y.size()), d = static_cast<double>(at.sd.size());
    const double log_det = 2 * (rows - d) * parameters.log_noise + at.m.log_determinant();
    total -= 0.5 * (rows * std::log(2 * std::numbers::pi) + log_det + at.residual.dot(at.weighted()));
  }
  return total;
}

// Adds up, over clients and with w = V⁻¹ r: A'w, B'w, σ_k² ((b_k'w)² - b_k' V⁻¹ b_k) and s² (w'w - tr V⁻¹).
MixedParameters mixed_gradient(const std::vector<MixedClient>& clients, const MixedParameters& parameters) {
  const Index p = parameters.phi.size(), d = parameters.mean.size();
  MixedParameters total{VectorXd::Zero(p), VectorXd::Zero(d), VectorXd::Zero(d), 0};
  for (const MixedClient& client : clients) {
    const Marginal at(client, parameters);
    const VectorXd w = at.weighted();
    const MatrixXd explained = at.m.solve(at.gram);  // Δ B' V⁻¹ B Δ
    total.phi += by_phi(client, w);
    total.mean += at.pull.cwiseQuotient(at.sd);
    total.log_sd += at.pull.cwiseAbs2() - explained.diagonal();
    total.log_noise += at.noise * w.squaredNorm() - (static_cast<double>(client.y.size()) - explained.trace());
  }
  return total;
}

Law mixed_posterior(const MixedClient& client, const MixedParameters& parameters) {
  const Marginal at(client, parameters);
  const MatrixXd covariance = at.noise * (at.sd.asDiagonal() * at.m.inverse() * at.sd.asDiagonal());
  return {parameters.mean + at.sd.cwiseProduct(at.pull), 0.5 * (covariance + covariance.transpose())};
}

double shrinkage(Index rows, double sd, double noise_sd) {
  const double signal = static_cast<double>(rows) * sd * sd;
  return signal / (signal + noise_sd * noise_sd);
}

MixedParameters langevin_score(const MixedClient& client, const MixedParameters& parameters, double step) {
  const VectorXd mean = mixed_posterior(client, parameters).mean;
  const VectorXd precision = (-2 * parameters.log_sd).array().exp();
  const double noise = std::exp(2 * parameters.log_noise);
  const MatrixXd gram = client.random.transpose() * client.random;
  MatrixXd q = gram / noise;
  q.diagonal() += precision;
  const math::Eigenpairs eigen = math::symmetric_eigen(q);
  const auto lambda = eigen.values.array();
  if (!(step >= 0 && step * lambda.maxCoeff() < 2))
    throw std::domain_error("langevin_score: step times the largest eigenvalue of the precision is in [0, 2)");
  const VectorXd variances = (lambda * (1 - 0.5 * step * lambda)).inverse();
  const MatrixXd covariance = eigen.vectors * variances.asDiagonal() * eigen.vectors.transpose();

  const VectorXd residual = residual_of(client, parameters.phi, mean);
  const VectorXd shift = mean - parameters.mean;
  const double squares = residual.squaredNorm() + gram.cwiseProduct(covariance).sum();  // E‖y - A φ - B z‖²
  const VectorXd spread = shift.cwiseAbs2() + covariance.diagonal();                    // E(z - μ)²
  return {by_phi(client, residual / noise), precision.cwiseProduct(shift),
          (precision.cwiseProduct(spread).array() - 1).matrix(),
          squares / noise - static_cast<double>(client.y.size())};
}

}  // namespace pollen::stats
