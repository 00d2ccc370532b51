// Small linear mixed models.
#pragma once

#include <cmath>
#include <initializer_list>
#include <vector>

#include "stats/mixed_law.h"

namespace pollen::stats {

// Returns clients of `sizes` rows with p fixed and d random columns, neither orthogonal nor balanced.
inline std::vector<MixedClient> mixed_clients(std::initializer_list<Eigen::Index> sizes, Eigen::Index p,
                                              Eigen::Index d) {
  std::vector<MixedClient> clients;
  double t = 0, group = 0;
  for (const Eigen::Index rows : sizes) {
    MixedClient client{Eigen::MatrixXd(rows, p), Eigen::MatrixXd(rows, d), Eigen::VectorXd(rows)};
    group += 1;
    for (Eigen::Index j = 0; j < rows; ++j) {
      t += 1;
      for (Eigen::Index k = 0; k < p; ++k) client.fixed(j, k) = std::sin(1.3 * t + static_cast<double>(k * k));
      for (Eigen::Index k = 0; k < d; ++k)
        client.random(j, k) = k == 0 ? 1 : std::cos(0.7 * t * static_cast<double>(k));
      client.y(j) =
          1 + 1.5 * std::sin(5 * group) + std::cos(3 * group) * client.random(j, d - 1) + 0.6 * std::sin(9.1 * t * t);
    }
    clients.push_back(client);
  }
  return clients;
}

inline MixedParameters mixed_point(Eigen::Index p, Eigen::Index d) {
  MixedParameters at{Eigen::VectorXd(p), Eigen::VectorXd(d), Eigen::VectorXd(d), -0.3};
  for (Eigen::Index k = 0; k < p; ++k) at.phi(k) = 0.4 - 0.3 * static_cast<double>(k);
  for (Eigen::Index k = 0; k < d; ++k) {
    at.mean(k) = 0.7 - 0.5 * static_cast<double>(k);
    at.log_sd(k) = 0.2 - 0.6 * static_cast<double>(k);
  }
  return at;
}

inline Eigen::VectorXd flat(const MixedParameters& at) {
  const Eigen::Index p = at.phi.size(), d = at.mean.size();
  Eigen::VectorXd result(p + 2 * d + 1);
  result.head(p) = at.phi;
  result.segment(p, d) = at.mean;
  result.segment(p + d, d) = at.log_sd;
  result(p + 2 * d) = at.log_noise;
  return result;
}

inline MixedParameters unflat(const Eigen::VectorXd& x, Eigen::Index p, Eigen::Index d) {
  return {x.head(p), x.segment(p, d), x.segment(p + d, d), x(p + 2 * d)};
}

// Returns central differences of a function of the parameters, with an error of about 1e-10 for functions of size 10.
template <class Function>
Eigen::VectorXd differences(const Function& function, const MixedParameters& at) {
  constexpr double h = 1e-5;
  const Eigen::Index p = at.phi.size(), d = at.mean.size();
  const Eigen::VectorXd x = flat(at);
  Eigen::VectorXd result(x.size());
  for (Eigen::Index k = 0; k < x.size(); ++k) {
    const Eigen::VectorXd shift = h * Eigen::VectorXd::Unit(x.size(), k);
    result(k) = (function(unflat(x + shift, p, d)) - function(unflat(x - shift, p, d))) / (2 * h);
  }
  return result;
}

}  // namespace pollen::stats
