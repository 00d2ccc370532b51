// FedBE (Chen and Chao 2021): clients descend from the server's model, and the server takes their models for a sample
// of a posterior. With weights w_i = N_i/N and clients' models y_i after K steps from θ (as in averaging.cc):
//   gaussian    a draw is N(μ, diag s²), μ = Σ w_i y_i, s² = Σ w_i (y_i - μ)²
//   dirichlet   a draw is Σ g_i y_i, g uniform on the simplex
// The next round starts from μ (the paper's distillation into one model is left out). What is emitted are draws.
#include <algorithm>
#include <cmath>

#include "client_gradients.h"
#include "pollen/archive.h"
#include "pollen/math.h"
#include "samplers.h"

namespace pollen::centralised {

namespace {

class FedBe final : public Kernel {
 public:
  FedBe(const Chains& chains, const ReferenceSettings& settings)
      : step_(*settings.step),
        local_steps_(settings.local_steps),
        dirichlet_(settings.server_law == "dirichlet"),
        weight_(size_weights(chains.problem)),
        gradients_(chains, settings.batch, weight_),
        center_(chains.problem.dimension, chains.count()),
        local_(center_),
        gradient_(center_),
        mean_(center_),
        other_(center_) {}

  void start(Chains& chains) override { copy(chains.position, center_); }

  void iterate(Chains& chains) override {
    fill(mean_, 0);
    fill(other_, 0);
    const std::vector<std::vector<double>> share = shares(chains);
    for (Index i = 0; i < chains.clients(); ++i) {
      descend(chains, i);
      for (Index c = 0; c < chains.count(); ++c) add(i, c, share[static_cast<std::size_t>(c)]);
    }
    for (Index c = 0; c < chains.count(); ++c) draw(chains, c);
    chains.count_exchange(1, 1);
  }

  void archive(Archive& archive) override { archive.array(center_.flat()); }

 private:
  // One a client, for each chain: exponential numbers over their sum are uniform on the simplex.
  std::vector<std::vector<double>> shares(const Chains& chains) const {
    std::vector<std::vector<double>> all(static_cast<std::size_t>(chains.count()));
    if (!dirichlet_) return all;
    for (Index c = 0; c < chains.count(); ++c) {
      auto& share = all[static_cast<std::size_t>(c)];
      share.resize(weight_.size());
      uniforms(chains.stream(c, Purpose::noise), share);
      double total = 0;
      for (double& s : share) total += s = -math::log(1 - s);
      for (double& s : share) s /= total;
    }
    return all;
  }

  void descend(Chains& chains, Index client) {
    copy(center_, local_);
    for (Index k = 0; k < local_steps_; ++k) {
      const auto draw = static_cast<std::uint64_t>(chains.iteration * local_steps_ + k);
      gradients_.estimate(chains, client, draw, local_, gradient_);
      for (Index c = 0; c < chains.count(); ++c)
        math::axpy(-step_ / weight_[static_cast<std::size_t>(client)], gradient_.column(c), local_.column(c));
    }
  }

  // How far the client went: into the mean, and into the mean square or the draw.
  void add(Index client, Index chain, const std::vector<double>& share) {
    const auto i = static_cast<std::size_t>(client);
    const auto from = center_.column(chain), to = local_.column(chain), mean = mean_.column(chain),
               other = other_.column(chain);
    for (std::size_t j = 0; j < from.size(); ++j) {
      const double way = to[j] - from[j];
      mean[j] += weight_[i] * way;
      other[j] += dirichlet_ ? share[i] * way : weight_[i] * way * way;
    }
  }

  void draw(Chains& chains, Index chain) {
    const auto at = chains.position.column(chain), center = center_.column(chain);
    const auto mean = mean_.column(chain), other = other_.column(chain);
    if (!dirichlet_) normals(chains.stream(chain, Purpose::noise), at);
    for (std::size_t j = 0; j < at.size(); ++j) {
      const double spread = std::sqrt(std::max(0.0, other[j] - mean[j] * mean[j]));
      at[j] = dirichlet_ ? center[j] + other[j] : center[j] + mean[j] + spread * at[j];
      center[j] += mean[j];
    }
  }

  double step_;
  Index local_steps_;
  bool dirichlet_;
  std::vector<double> weight_;
  ClientGradients gradients_;
  Panel center_;                           // θ, where the next round starts
  Panel local_, gradient_, mean_, other_;  // of a round
};

}  // namespace

KernelPointer make_fedbe(const Chains& chains, const ReferenceSettings& settings) {
  return std::make_unique<FedBe>(chains, settings);
}

}  // namespace pollen::centralised
