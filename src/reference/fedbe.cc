// FedBE (Chen and Chao 2021): clients descend from the server's model, and the server takes their models for a sample
// of a posterior. With weights w_i = N_i/N and clients' models y_i after K steps from θ (as in averaging.cc):
//   gaussian    a draw is N(μ, diag s²), μ = Σ w_i y_i, s² = Σ w_i (y_i - μ)²
//   dirichlet   a draw is Σ g_i y_i, g uniform on the simplex
// The next round starts from μ, or with distillation from what μ learns of the averaged predictions of clients' models,
// μ and `samples` draws (distill.h). What is emitted are draws.
#include <algorithm>
#include <cmath>

#include "client_gradients.h"
#include "distill.h"
#include "math/math.h"
#include "pollen/archive.h"
#include "samplers.h"

namespace pollen::reference {

namespace {

class FedBe final : public Kernel {
 public:
  FedBe(const Chains& chains, const ReferenceSettings& settings)
      : step_(*settings.step),
        local_steps_(settings.local_steps),
        draws_(settings.distill ? settings.samples : 1),
        dirichlet_(settings.server_law == "dirichlet"),
        weight_(size_weights(chains.problem)),
        gradients_(chains, settings.batch, weight_),
        center_(chains.problem.dimension, chains.count()),
        local_(center_),
        gradient_(center_),
        mean_(center_),
        other_(static_cast<std::size_t>(dirichlet_ ? draws_ : 1), center_) {
    if (settings.distill)
      teachers_.assign(static_cast<std::size_t>(chains.count()), Distillation(chains.problem.unlabelled, settings));
  }

  void start(Chains& chains) override { copy_into(chains.position, center_); }

  void iterate(Chains& chains) override {
    fill(mean_, 0);
    for (Panel& other : other_) fill(other, 0);
    for (Distillation& teacher : teachers_) teacher.clear();
    const std::vector<std::vector<double>> share = shares(chains);
    for (Index i = 0; i < chains.clients(); ++i) {
      descend(chains, i);
      for (Index c = 0; c < chains.count(); ++c) add(i, c, share);
      for (std::size_t c = 0; c < teachers_.size(); ++c) teachers_[c].add(local_.column(static_cast<Index>(c)), chains);
    }
    for (Index c = 0; c < chains.count(); ++c) {
      draw(chains, c, 0, chains.position.column(c));
      if (!teachers_.empty())
        distill(chains, c);
      else
        math::add(mean_.column(c), center_.column(c));
    }
    chains.count_exchange(1, 1);
  }

  void archive(Archive& archive) override { archive.array(center_.flat()); }

 private:
  // One a client, for each chain and draw: exponential numbers over their sum are uniform on the simplex.
  std::vector<std::vector<double>> shares(const Chains& chains) const {
    std::vector<std::vector<double>> all;
    if (!dirichlet_) return all;
    for (Index c = 0; c < chains.count(); ++c)
      for (Index m = 0; m < draws_; ++m) {
        auto& share = all.emplace_back(weight_.size());
        uniforms(chains.stream(c, Purpose::noise, static_cast<std::uint32_t>(m)), share);
        double total = 0;
        for (double& s : share) total += s = -math::log(1 - s);
        for (double& s : share) s /= total;
      }
    return all;
  }

  void descend(Chains& chains, Index client) {
    copy_into(center_, local_);
    for (Index k = 0; k < local_steps_; ++k) {
      const auto draw = static_cast<std::uint64_t>(chains.iteration * local_steps_ + k);
      gradients_.estimate(chains, client, draw, local_, gradient_);
      for (Index c = 0; c < chains.count(); ++c)
        math::axpy(-step_ / weight_[static_cast<std::size_t>(client)], gradient_.column(c), local_.column(c));
    }
  }

  // How far the client went: into the mean, and into the mean square or the draws.
  void add(Index client, Index chain, const std::vector<std::vector<double>>& share) {
    const auto i = static_cast<std::size_t>(client);
    const auto from = center_.column(chain), to = local_.column(chain), mean = mean_.column(chain);
    for (std::size_t j = 0; j < from.size(); ++j) mean[j] += weight_[i] * (to[j] - from[j]);
    for (std::size_t m = 0; m < other_.size(); ++m) {
      const auto other = other_[m].column(chain);
      const double part = dirichlet_ ? share[static_cast<std::size_t>(chain * draws_) + m][i] : 0;
      for (std::size_t j = 0; j < from.size(); ++j) {
        const double way = to[j] - from[j];
        other[j] += dirichlet_ ? part * way : weight_[i] * way * way;
      }
    }
  }

  void draw(const Chains& chains, Index chain, Index number, std::span<double> at) const {
    const auto center = center_.column(chain), mean = mean_.column(chain);
    const auto other = other_[static_cast<std::size_t>(dirichlet_ ? number : 0)].column(chain);
    if (!dirichlet_) normals(chains.stream(chain, Purpose::noise, static_cast<std::uint32_t>(number)), at);
    for (std::size_t j = 0; j < at.size(); ++j) {
      const double spread = std::sqrt(std::max(0.0, other[j] - mean[j] * mean[j]));
      at[j] = dirichlet_ ? center[j] + other[j] : center[j] + mean[j] + spread * at[j];
    }
  }

  void distill(Chains& chains, Index chain) {
    Distillation& teacher = teachers_[static_cast<std::size_t>(chain)];
    teacher.add(chains.position.column(chain), chains);
    const auto member = gradient_.column(chain), center = center_.column(chain);
    for (Index m = 1; m < draws_; ++m) {
      draw(chains, chain, m, member);
      teacher.add(member, chains);
    }
    math::add(mean_.column(chain), center);
    teacher.add(center, chains);
    teacher.teach(center, chains.stream(chain, Purpose::distillation), chains);
  }

  double step_;
  Index local_steps_, draws_;
  bool dirichlet_;
  std::vector<double> weight_;
  ClientGradients gradients_;
  Panel center_;                        // θ, where the next round starts
  Panel local_, gradient_, mean_;       // of a round
  std::vector<Panel> other_;            // likewise: mean squares, or the draws of a Dirichlet law
  std::vector<Distillation> teachers_;  // one a chain; none: no distillation
};

}  // namespace

KernelPointer make_fedbe(const Chains& chains, const ReferenceSettings& settings) {
  return std::make_unique<FedBe>(chains, settings);
}

}  // namespace pollen::reference
