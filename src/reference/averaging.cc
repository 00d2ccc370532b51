// The optimisers FedAvg (McMahan et al. 2017) and SCAFFOLD (Karimireddy et al. 2020, option II). All clients take part
// in every round. With weights w_i = N_i/N and f_i = U_i/w_i + U_0, so that Σ w_i f_i = U, one round is
//   y ← θ;  K times: y ← y - γ (∇f_i(y) - c_i + c);   θ ← θ + η Σ w_i (y_i - θ)
//   scaffold: c_i⁺ = c_i - c + (θ - y_i)/(Kγ),  c ← c + Σ w_i (c_i⁺ - c_i);  fedavg: c_i = c = 0
// FedAvg with K = 1 and η = 1 is gradient descent on U with step γ. With more local steps its limit is not the mode.
#include <utility>

#include "client_gradients.h"
#include "math/math.h"
#include "pollen/archive.h"
#include "round/control_variate.h"
#include "samplers.h"

namespace pollen::reference {

namespace {

class Averaging final : public Kernel {
 public:
  Averaging(const Chains& chains, const ReferenceSettings& settings, bool controlled)
      : step_(*settings.step),
        server_step_(settings.server_step.value_or(1.0)),
        local_steps_(settings.local_steps),
        weight_(size_weights(chains.problem)),
        gradients_(chains, settings.batch, weight_),
        gradient_(chains.problem.dimension, chains.count()),
        local_(gradient_),
        change_(gradient_) {
    if (!controlled) return;
    control_ = gradient_;
    control_change_ = gradient_;
    controls_.assign(weight_.size(), gradient_);
  }

  void iterate(Chains& chains) override {
    fill(change_, 0);
    fill(control_change_, 0);
    for (Index i = 0; i < chains.clients(); ++i) {
      copy_into(chains.position, local_);
      for (Index k = 0; k < local_steps_; ++k) step_client(chains, i, k);
      if (!controls_.empty()) move_control(chains, i);
      for (Index c = 0; c < chains.count(); ++c) {
        const double weight = weight_[static_cast<std::size_t>(i)];
        math::axpy(weight, local_.column(c), change_.column(c));
        math::axpy(-weight, chains.position.column(c), change_.column(c));
      }
    }
    for (Index c = 0; c < chains.count(); ++c) {
      math::axpy(server_step_, change_.column(c), chains.position.column(c));
      if (!controls_.empty()) math::add(control_change_.column(c), control_.column(c));
    }
    const Index vectors = controls_.empty() ? 1 : 2;  // SCAFFOLD sends a control beside the model
    chains.count_exchange(vectors, vectors);
  }

  void archive(Archive& archive) override {
    archive.array(control_.flat());
    for (Panel& control : controls_) archive.array(control.flat());
  }

 private:
  void step_client(Chains& chains, Index client, Index k) {
    const auto i = static_cast<std::size_t>(client);
    const auto draw = static_cast<std::uint64_t>(chains.iteration * local_steps_ + k);
    gradients_.estimate(chains, client, draw, local_, gradient_);
    for (Index c = 0; c < chains.count(); ++c) {
      math::axpy(-step_ / weight_[i], gradient_.column(c), local_.column(c));
      if (controls_.empty()) continue;
      math::axpy(step_, controls_[i].column(c), local_.column(c));
      math::axpy(-step_, control_.column(c), local_.column(c));
    }
  }

  void move_control(const Chains& chains, Index client) {
    const auto i = static_cast<std::size_t>(client);
    for (Index c = 0; c < chains.count(); ++c) {
      const auto move = gradient_.column(c), sum = control_change_.column(c);
      renew_control({chains.position.column(c), local_.column(c), local_steps_, step_}, control_.column(c),
                    controls_[i].column(c), move);
      for (std::size_t j = 0; j < move.size(); ++j) sum[j] += weight_[i] * move[j];
    }
  }

  double step_, server_step_;
  Index local_steps_;
  std::vector<double> weight_;
  ClientGradients gradients_;
  Panel gradient_, local_, change_;
  Panel control_, control_change_;  // c and its change in one round; empty for fedavg
  std::vector<Panel> controls_;     // c_i
};

}  // namespace

KernelPointer make_fedavg(const Chains& chains, const ReferenceSettings& settings) {
  return std::make_unique<Averaging>(chains, settings, false);
}

KernelPointer make_scaffold(const Chains& chains, const ReferenceSettings& settings) {
  return std::make_unique<Averaging>(chains, settings, true);
}

}  // namespace pollen::reference
