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
#include "run/federated.h"

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

// Runs a baseline in this process as ordinary rounds, with the two sides from src/personal.
class BaselineEngine final : public Engine {
 public:
  BaselineEngine(const std::string& name, const PersonalProblem& problem, const BaselineSettings& settings,
                 int threads = 1)
      : problem_(problem), baseline_(make_baseline(name, problem, settings)) {
    recipe_.participation = settings.participation;
    const FederatedSetup setup{.recipe = &recipe_,
                               .prior = &prior_,
                               .sizes = problem_.clients.sizes(),
                               .dimension = baseline_.work.dimension,
                               .chains = problem_.chains,
                               .seed = problem_.seed,
                               .work = &baseline_.work,
                               .with_work = std::ssize(problem_.clients.sizes())};
    link_ = std::make_unique<ClientLink>(
        setup, [threads](ClientView& view, Clients& clients) { return make_thread_transport(view, clients, threads); });
    engine_ = std::make_unique<FederatedEngine>(*link_, std::move(baseline_.step));
  }

  void start(ConstPanelView position) override { engine_->start(position); }
  std::int64_t advance(std::int64_t most) override { return engine_->advance(most); }
  ConstPanelView position() const override { return engine_->position(); }
  std::int64_t iteration() const override { return engine_->iteration(); }
  Counters& counters() override { return engine_->counters(); }
  void archive(Archive& archive) override { engine_->archive(archive); }

  // Writes the model that a client predicts with.
  void model(Index client, Index chain, std::span<double> w) const {
    const auto each = static_cast<std::size_t>(baseline_.work.latents);
    const auto all = engine_->latents().column(client);
    baseline_.model(client, position().column(chain), all.subspan(static_cast<std::size_t>(chain) * each, each), w);
  }

 private:
  PersonalProblem problem_;
  Recipe recipe_;
  Prior prior_ = Prior::flat();
  Baseline baseline_;
  std::unique_ptr<ClientLink> link_;
  std::unique_ptr<FederatedEngine> engine_;
};

inline std::unique_ptr<BaselineEngine> begin(const std::string& name, const Quadratics& on,
                                             const BaselineSettings& settings, Index chains = 1) {
  auto engine = std::make_unique<BaselineEngine>(name, on.problem(chains), settings);
  engine->start(start_of(on.k + on.d, chains));
  return engine;
}

inline std::unique_ptr<BaselineEngine> after(int iterations, const std::string& name, const Quadratics& on,
                                             const BaselineSettings& settings) {
  auto engine = begin(name, on, settings);
  for (int t = 0; t < iterations; ++t) engine->advance(1);
  return engine;
}

inline Vector server_of(const BaselineEngine& engine, Index chain = 0) {
  return vector_of(engine.position().column(chain));
}

// Returns the model that a client predicts with.
inline Vector model_of(const BaselineEngine& engine, const Quadratics& on, std::size_t client, Index chain = 0) {
  Vector w(on.k + on.d);
  engine.model(static_cast<Index>(client), chain, {w.data(), static_cast<std::size_t>(w.size())});
  return w;
}

inline Vector first_position(const Quadratics& on) { return vector_of(start_of(on.k + on.d, 1).column(0)); }

inline void near(const Vector& found, const Vector& expected, double tolerance) {
  EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), tolerance)
      << found.transpose() << " not " << expected.transpose();
}

}  // namespace pollen::testing
