// Per-FedAvg (Fallah et al. 2020): fedavg on F_i(w) = f_i(w - α ∇f_i(w)), whose gradient is (I - α ∇²f_i(w)) g with
// g = ∇f_i(w - α ∇f_i(w)). The variant FO leaves the Hessian out; HF approximates its product with g by
//   [∇f_i(w + δg) - ∇f_i(w - δg)] / 2δ.
// A client predicts with w - α ∇f_i(w) at the server's w.
#include <algorithm>
#include <cmath>

#include "baseline_parts.h"
#include "math/math.h"

namespace pollen::baselines {

namespace {

class PerFedAvg final : public Baseline {
 public:
  PerFedAvg(const PersonalProblem& of, const BaselineSettings& how) : Baseline(of, how, whole_model(of), no_part()) {}

 private:
  void train(Index client, Index, std::span<double> w) override {
    const auto g = scratch().take<double>(dimension()), meta = scratch().take<double>(dimension());
    for (Index m = 0; m < settings().local_steps; ++m) {
      gradient(client, w, g);
      shift(w, -settings().inner_step, g, meta);
      gradient(client, meta, g);
      std::ranges::copy(g, meta.begin());
      if (settings().hessian_free) subtract_curvature(client, w, g, meta);
      math::axpy(-settings().step, meta, w);
    }
  }

  // Computes meta -= α ∇²f_i(w) g by a central difference. δ|g| is, relative to w, near the cube root of the rounding
  // error, where rounding and truncation errors balance.
  void subtract_curvature(Index client, std::span<const double> w, std::span<const double> g, std::span<double> meta) {
    const double norm = std::sqrt(math::squared_norm(g));
    if (!(norm > 0)) return;
    Scratch::Frame frame(scratch());
    const auto at = scratch().take<double>(dimension());
    const auto above = scratch().take<double>(dimension()), below = scratch().take<double>(dimension());
    const double delta = 1e-5 * (1 + std::sqrt(math::squared_norm(w))) / norm;
    shift(w, delta, g, at);
    gradient(client, at, above);
    shift(w, -delta, g, at);
    gradient(client, at, below);
    math::subtract(above, below, above);
    math::axpy(-settings().inner_step / (2 * delta), above, meta);
  }

  static void shift(std::span<const double> w, double by, std::span<const double> g, std::span<double> out) {
    std::ranges::copy(w, out.begin());
    math::axpy(by, g, out);
  }

  void personal(Index client, Index chain, std::span<double> w) const override {
    Scratch::Frame frame(scratch());
    const auto g = scratch().take<double>(dimension());
    mean_gradient(client, server(chain), g);
    shift(server(chain), -settings().inner_step, g, w);
  }
};

}  // namespace

BaselinePointer make_per_fedavg(const PersonalProblem& problem, const BaselineSettings& settings) {
  return std::make_unique<PerFedAvg>(problem, settings);
}

}  // namespace pollen::baselines
