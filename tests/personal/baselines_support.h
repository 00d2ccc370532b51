// Six clients with quadratic losses f_i(w) = wᵀA_i w/2 - r_iᵀw, for which the results of the baselines can be written
// down.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <memory>
#include <string>
#include <vector>

#include "personal/baselines.h"
#include "problems.h"

namespace pollen::testing {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

struct Quadratics {
  explicit Quadratics(Index fixed = 1, Index latent = 1)
      : tables(make_mixed_tables(MixedKind::gaussian, 6, fixed, latent, 0.7)), k(fixed), d(latent) {
    double rows = 0;
    for (std::size_t i = 0; i < 6; ++i) {
      const MixedRows table = tables->rows(i);
      const Index n = table.fixed.rows;
      Matrix x(n, k + d);
      Vector y(n);
      for (Index r = 0; r < n; ++r) {
        for (Index j = 0; j < k; ++j) x(r, j) = table.fixed.row(r)[j];
        for (Index j = 0; j < d; ++j) x(r, k + j) = table.random.row(r)[j];
        y[r] = table.y[r];
      }
      const double scale = 1 / (0.49 * static_cast<double>(n));
      a.push_back(scale * x.transpose() * x);
      b.push_back(scale * x.transpose() * y);
      weight.push_back(static_cast<double>(n));
      rows += weight.back();
    }
    for (double& w : weight) w /= rows;
  }

  PersonalProblem problem(Index chains = 1, std::uint64_t seed = 1) const {
    PersonalProblem out;
    out.clients = PersonalClients(tables->pointers());
    out.chains = chains;
    out.seed = seed;
    return out;
  }
  Vector slope(std::size_t i, const Vector& w) const { return a[i] * w - b[i]; }  // ∇f_i
  Vector optimum(std::size_t i) const { return a[i].ldlt().solve(b[i]); }
  Vector pooled() const {
    Matrix all = Matrix::Zero(k + d, k + d);
    Vector right = Vector::Zero(k + d);
    for (std::size_t i = 0; i < 6; ++i) {
      all += weight[i] * a[i];
      right += weight[i] * b[i];
    }
    return all.ldlt().solve(right);
  }

  std::unique_ptr<MixedTables> tables;
  Index k, d;
  std::vector<Matrix> a;
  std::vector<Vector> b;
  std::vector<double> weight;  // N_i/N
};

// Returns starts in which chain c is at (0.3, 0.3 + 0.1, ...) - 0.2 c.
inline Panel start_of(Index dimension, Index chains) {
  Panel out(dimension, chains);
  for (Index c = 0; c < chains; ++c)
    for (Index j = 0; j < dimension; ++j)
      out.column(c)[static_cast<std::size_t>(j)] = 0.3 + 0.1 * static_cast<double>(j) - 0.2 * static_cast<double>(c);
  return out;
}

inline Vector vector_of(std::span<const double> x) {
  return Eigen::Map<const Vector>(x.data(), static_cast<Index>(x.size()));
}

inline std::unique_ptr<PersonalEngine> begin(const std::string& name, const Quadratics& on,
                                             const BaselineSettings& settings, Index chains = 1) {
  auto engine = make_baseline(name, on.problem(chains), settings);
  engine->start(start_of(on.k + on.d, chains));
  return engine;
}

inline std::unique_ptr<PersonalEngine> after(int iterations, const std::string& name, const Quadratics& on,
                                             const BaselineSettings& settings) {
  auto engine = begin(name, on, settings);
  for (int t = 0; t < iterations; ++t) engine->advance(1);
  return engine;
}

inline Vector server_of(const PersonalEngine& engine, Index chain = 0) {
  return vector_of(engine.position().column(chain));
}

// Returns the model that a client predicts with.
inline Vector model_of(const PersonalEngine& engine, const Quadratics& on, std::size_t client, Index chain = 0) {
  Vector w(on.k + on.d);
  const auto i = static_cast<Index>(client);
  engine.personal_shared(i, chain, {w.data(), static_cast<std::size_t>(on.k)});
  engine.latent(i, chain, {w.data() + on.k, static_cast<std::size_t>(on.d)});
  return w;
}

inline Vector first_position(const Quadratics& on) { return vector_of(start_of(on.k + on.d, 1).column(0)); }

inline void near(const Vector& found, const Vector& expected, double tolerance) {
  EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), tolerance)
      << found.transpose() << " not " << expected.transpose();
}

}  // namespace pollen::testing
