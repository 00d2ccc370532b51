// Runs hmc with latents in one process, with the two sides of exact/joint.h, and the same posterior as one potential.
#pragma once

#include <memory>

#include "exact/joint.h"
#include "personal/problems.h"
#include "run/federated.h"

namespace pollen::testing {

class JointRun {
 public:
  explicit JointRun(const exact::JointSetup& setup, int threads = 1)
      : setup_(setup), work_(exact::make_joint_work(setup_)), threads_(threads) {
    recipe_.name = "hmc";
    recipe_.personal = recipe_.exact = true;
    auto step = exact::make_joint_step(setup_);
    const PersonalProblem& problem = setup_.problem;
    const FederatedSetup federated{.recipe = &recipe_,
                                   .prior = &prior_,
                                   .sizes = problem.clients.sizes(),
                                   .dimension = work_.dimension,
                                   .chains = problem.chains,
                                   .seed = problem.seed,
                                   .work = &work_,
                                   .with_work = std::ssize(problem.clients.sizes())};
    link_ = std::make_unique<ClientLink>(federated, [this](ClientView& view, Clients& clients) {
      return make_thread_transport(view, clients, threads_);
    });
    engine_ = std::make_unique<FederatedEngine>(*link_, std::move(step));
  }

  FederatedEngine& engine() { return *engine_; }
  // Makes exchanges until one more iteration is complete.
  void iterate() {
    do engine_->advance(1);
    while (!engine_->emits());
  }
  // One column per client: its latents in all chains.
  ConstPanelView latents() { return engine_->latents(); }

 private:
  exact::JointSetup setup_;
  Recipe recipe_;
  Prior prior_ = Prior::flat();
  ClientWork work_;
  int threads_;
  std::unique_ptr<ClientLink> link_;
  std::unique_ptr<FederatedEngine> engine_;
};

// V(φ, β, z_1, ..., z_b), written from its definition. With `placed` it is a function of the places u = (z - μ)/σ, for
// a population with a mean and a spread for each coordinate: where rows say little, trajectories in z do not reach
// small σ.
class PooledJoint final : public Potential {
 public:
  explicit PooledJoint(const exact::JointSetup& setup, bool placed = false) : setup_(setup), placed_(placed) {}

  // (φ, β, z_1, ..., z_b) at a position.
  std::vector<double> state(std::span<const double> at) const {
    std::vector<double> out(at.begin(), at.end());
    for (auto j = static_cast<std::size_t>(problem().dimension()); placed_ && j < out.size(); ++j)
      out[j] = mean(at, j) + sd(at, j) * out[j];
    return out;
  }

  Index dimension() const override {
    return problem().dimension() + static_cast<Index>(problem().clients.size()) * problem().population->latent();
  }
  void value(const ConstPanelView& at, std::span<double> out, Scratch& scratch) const override {
    Panel ignored(at.rows, at.columns);
    value_and_gradient(at, out, ignored, scratch);
  }
  void gradient(const ConstPanelView& at, const PanelView& out, Scratch& scratch) const override {
    std::vector<double> ignored(static_cast<std::size_t>(at.columns));
    value_and_gradient(at, ignored, out, scratch);
  }
  void value_and_gradient(const ConstPanelView& at, std::span<double> values, const PanelView& out,
                          Scratch& scratch) const override {
    for (Index c = 0; c < at.columns; ++c)
      values[static_cast<std::size_t>(c)] = value_at(at.column(c), out.column(c), scratch);
  }

 private:
  const PersonalProblem& problem() const { return setup_.problem; }

  double value_at(std::span<const double> at, std::span<double> g, Scratch& scratch) const {
    const auto k = static_cast<std::size_t>(problem().shared()), d = static_cast<std::size_t>(problem().dimension());
    const auto each = static_cast<std::size_t>(problem().population->latent());
    const auto shared = at.first(k), beta = at.subspan(k, d - k);
    std::ranges::fill(g, 0.0);
    double value = setup_.prior.value(at.first(d));
    setup_.prior.add_gradient(at.first(d), g.first(d));
    std::vector<double> by_z(each), by_shared(k), score(d - k, 0.0);
    const std::vector<double> whole = state(at);
    for (std::size_t i = 0; placed_ && i < problem().clients.size(); ++i) {
      const std::size_t first = d + i * each;
      value += problem().clients[i]->gradient(shared, std::span(whole).subspan(first, each), by_z, by_shared, scratch);
      for (std::size_t j = 0; j < k; ++j) g[j] += by_shared[j];
      for (std::size_t j = 0; j < each; ++j) {
        const double u = at[first + j], s = sd(at, first + j);
        value += 0.5 * u * u;
        g[first + j] = u + s * by_z[j];
        g[k + j] += by_z[j];
        g[k + each + j] += s * u * by_z[j];
      }
    }
    for (std::size_t i = 0; !placed_ && i < problem().clients.size(); ++i) {
      const auto z = at.subspan(d + i * each, each);
      const auto to = g.subspan(d + i * each, each);
      value += problem().clients[i]->gradient(shared, z, by_z, by_shared, scratch);
      value += problem().population->value(beta, z, to);
      problem().population->add_score(beta, z, score);
      for (std::size_t j = 0; j < each; ++j) to[j] += by_z[j];
      for (std::size_t j = 0; j < k; ++j) g[j] += by_shared[j];
    }
    for (std::size_t j = 0; j < score.size(); ++j) g[k + j] -= score[j];
    return value;
  }

  std::size_t latent() const { return static_cast<std::size_t>(problem().population->latent()); }
  double mean(std::span<const double> at, std::size_t j) const {
    return at[static_cast<std::size_t>(problem().shared()) +
              (j - static_cast<std::size_t>(problem().dimension())) % latent()];
  }
  double sd(std::span<const double> at, std::size_t j) const {
    const std::size_t place = (j - static_cast<std::size_t>(problem().dimension())) % latent();
    return std::exp(at[static_cast<std::size_t>(problem().shared()) + latent() + place]);
  }

  exact::JointSetup setup_;
  bool placed_;
};

}  // namespace pollen::testing
