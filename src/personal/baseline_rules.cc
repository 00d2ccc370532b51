// How the clients of each baseline train. f_i is the client's loss, K is local_steps and γ is step.
//   local      K joint gradient steps on w_i = (φ_i, z_i); nothing is sent
//   fedavg     McMahan et al. 2017: K joint steps on w, all of which is sent
//   lg-fedavg  Liang et al. 2020: the same, but the client keeps its representation φ_i and sends the head z
//   scaffold   Karimireddy et al. 2020, option II:
//     y ← y - γ (∇f_i(y) - c_i + c);   c_i⁺ = c_i - c + (w - y_i)/(Kγ),  c ← c + Σ_active (N_i/N) (c_i⁺ - c_i)
//     With equal N_i this c is the paper's. For any N_i, c = Σ (N_i/N) c_i.
//   fedrep     Collins et al. 2021: head_steps times  z_i ← z_i - γ ∇_z f_i(φ, z_i),  then K times
//     φ_i ← φ_i - γ ∇_φ f_i(φ_i, z_i);  the φ_i are averaged
//   ditto      Li et al. 2021: w as in fedavg, and K times  v_i ← v_i - γ (∇f_i(v_i) + λ (v_i - w)), w as received
//   apfl       Deng et al. 2020: K times, with u = α_i v_i + (1-α_i) w_i,
//     w_i ← w_i - γ ∇f_i(w_i),  v_i ← v_i - γ α_i ∇f_i(u);   the w_i are averaged
//     adapted: α_i ← [α_i - γ <v_i - w_i, ∇f_i(u)>] kept in [0, 1], at the first local step of a round
//   per-fedavg Fallah et al. 2020: fedavg on F_i(w) = f_i(w - α ∇f_i(w)), whose gradient is (I - α ∇²f_i(w)) g with
//     g = ∇f_i(w - α ∇f_i(w)). The variant FO leaves the Hessian out; HF approximates its product with g by
//     [∇f_i(w + δg) - ∇f_i(w - δg)] / 2δ. A client predicts with w - α ∇f_i(w) at the server's w.
//   l2gd       Hanzely and Richtarik 2020, on Σ (N_i/N) (f_i(w_i) + λ/2 |w_i - w̄|²), w̄ = Σ (N_i/N) w_i:
//     with probability p  w_i ← w_i - (γλ/p) (w_i - w̄),   else  w_i ← w_i - γ/(1-p) ∇f_i(w_i)
//     γ is the paper's step over the number of clients.
#include "baseline_rules.h"

#include <algorithm>
#include <cmath>

#include "math/math.h"
#include "round/control_variate.h"

namespace pollen::baselines {

namespace {

void train_jointly(Training& training) {
  const auto g = training.vector();
  for (Index m = 0; m < training.rounds.settings.local_steps; ++m) training.descend({0, training.w.size()}, g);
}

void train_heads_first(Training& training) {
  const auto g = training.vector();
  for (Index m = 0; m < training.rounds.settings.head_steps; ++m) training.descend(training.rounds.z, g);
  for (Index m = 0; m < training.rounds.settings.local_steps; ++m) training.descend(training.rounds.phi, g);
}

void train_controlled(Training& training) {
  const BaselineSettings& s = training.rounds.settings;
  const auto g = training.message.subspan(training.w.size()), c = training.own;
  const auto start = training.server.first(training.w.size()), all = training.server.subspan(training.w.size());
  for (Index m = 0; m < s.local_steps; ++m) {
    training.gradient(training.w, g);
    math::subtract(g, c, g);
    math::add(all, g);
    math::axpy(-s.step, g, training.w);
  }
  renew_control({start, training.w, s.local_steps, s.step}, all, c, g);  // g is the second half of the message
}

void train_ditto(Training& training) {
  const BaselineSettings& s = training.rounds.settings;
  const auto g = training.vector(), apart = training.vector(), v = training.own;
  for (Index m = 0; m < s.local_steps; ++m) {
    training.descend({0, training.w.size()}, g);
    training.gradient(v, g);
    math::subtract(v, training.server, apart);
    math::axpy(-s.step, g, v);
    math::axpy(-s.step * s.penalty, apart, v);
  }
}

void mix(double alpha, std::span<const double> v, std::span<const double> w, std::span<double> out) {
  for (std::size_t j = 0; j < out.size(); ++j) out[j] = alpha * v[j] + (1 - alpha) * w[j];
}

// The client's state is (v_i, α_i).
void train_mixture(Training& training) {
  const BaselineSettings& s = training.rounds.settings;
  const auto at_mix = training.vector(), g = training.vector(), u = training.vector();
  const auto v = training.own.first(training.w.size());
  double& alpha = training.own.back();
  for (Index m = 0; m < s.local_steps; ++m) {
    const double now_alpha = alpha;
    mix(now_alpha, v, training.w, u);
    training.gradient(u, at_mix);
    training.gradient(training.w, g);
    if (m == 0 && s.adapt_mixture) {
      math::subtract(v, training.w, u);
      alpha = std::clamp(now_alpha - s.step * math::dot(u, at_mix), 0.0, 1.0);
    }
    math::axpy(-s.step, g, training.w);
    math::axpy(-s.step * now_alpha, at_mix, v);
  }
}

void shift(std::span<const double> w, double by, std::span<const double> g, std::span<double> out) {
  std::ranges::copy(w, out.begin());
  math::axpy(by, g, out);
}

// Computes meta -= α ∇²f_i(w) g by a central difference. δ|g| is, relative to w, near the cube root of the rounding
// error, where rounding and truncation errors balance.
void subtract_curvature(Training& training, std::span<const double> g, std::span<double> meta) {
  const double norm = std::sqrt(math::squared_norm(g));
  if (!(norm > 0)) return;
  Scratch::Frame frame(training.scratch);
  const auto at = training.vector(), above = training.vector(), below = training.vector();
  const double delta = 1e-5 * (1 + std::sqrt(math::squared_norm(training.w))) / norm;
  shift(training.w, delta, g, at);
  training.gradient(at, above);
  shift(training.w, -delta, g, at);
  training.gradient(at, below);
  math::subtract(above, below, above);
  math::axpy(-training.rounds.settings.inner_step / (2 * delta), above, meta);
}

void train_meta(Training& training) {
  const BaselineSettings& s = training.rounds.settings;
  const auto g = training.vector(), meta = training.vector();
  for (Index m = 0; m < s.local_steps; ++m) {
    training.gradient(training.w, g);
    shift(training.w, -s.inner_step, g, meta);
    training.gradient(meta, g);
    std::ranges::copy(g, meta.begin());
    if (s.hessian_free) subtract_curvature(training, g, meta);
    math::axpy(-s.step, meta, training.w);
  }
}

// In the exchange that collects models a client only sends its own; in the next one it moves and sends nothing.
void train_by_coins(Training& training) {
  const BaselineSettings& s = training.rounds.settings;
  const bool aggregates = training.rounds.aggregates(training.chain, training.round);
  if (!training.message.empty()) {
    if (aggregates) std::ranges::copy(training.w, training.message.begin());
    return;
  }
  const auto g = training.vector();
  if (aggregates) {
    math::subtract(training.w, training.server, g);
    math::axpy(-s.step * s.penalty / s.aggregate, g, training.w);
  } else {
    training.gradient(training.w, g);
    math::axpy(-s.step / (1 - s.aggregate), g, training.w);
  }
}

}  // namespace

const std::vector<Rule>& rules() {
  using Part = Rule::Part;
  using Extra = Rule::Extra;
  static const std::vector<Rule> table = {
      {{"local", "no paper", "every client by itself; nothing is sent", "step local_steps participation"},
       Part::none,
       Part::whole,
       Extra::none,
       train_jointly},
      {{"fedavg", "McMahan et al. 2017", "one model for all: local gradient steps, averaged",
        "step local_steps server_step participation"},
       Part::whole,
       Part::none,
       Extra::none,
       train_jointly},
      {{"scaffold", "Karimireddy et al. 2020", "fedavg with control variates (option II)",
        "step local_steps server_step participation", 2},
       Part::whole,
       Part::none,
       Extra::control,
       train_controlled},
      {{"fedrep", "Collins et al. 2021", "phi is averaged, every client keeps its z",
        "step local_steps head_steps server_step participation"},
       Part::shared,
       Part::latent,
       Extra::none,
       train_heads_first},
      {{"lg-fedavg", "Liang et al. 2020", "z is averaged, every client keeps its phi",
        "step local_steps server_step participation"},
       Part::latent,
       Part::shared,
       Extra::none,
       train_jointly},
      {{"ditto", "Li et al. 2021", "fedavg, and personal models drawn to its model",
        "step local_steps server_step penalty participation"},
       Part::whole,
       Part::whole,
       Extra::none,
       train_ditto},
      {{"apfl", "Deng et al. 2020", "mixtures of personal models and fedavg's",
        "step local_steps server_step mixture adapt_mixture participation"},
       Part::whole,
       Part::whole,
       Extra::mixture,
       train_mixture},
      {{"per-fedavg", "Fallah et al. 2020", "a model that is good after one gradient step (FO or HF)",
        "step local_steps server_step inner_step hessian_free participation"},
       Part::whole,
       Part::none,
       Extra::meta,
       train_meta},
      {{"l2gd", "Hanzely and Richtarik 2020", "personal models drawn to their mean at random times",
        "step penalty aggregate participation"},
       Part::none,
       Part::whole,
       Extra::coins,
       train_by_coins},
  };
  return table;
}

void personalise(const Rounds& rounds, Index client, std::span<const double> latents, std::span<double> w) {
  if (rounds.mixes()) return mix(latents.back(), latents.first(w.size()), w, w);
  if (rounds.rule.extra == Rule::Extra::meta) {
    Scratch scratch;
    Scratch::Frame frame(scratch);
    const auto g = scratch.take<double>(std::ssize(w));
    mean_gradient(*rounds.problem.clients[static_cast<std::size_t>(client)], w, g, scratch);
    return math::axpy(-rounds.settings.inner_step, g, w);
  }
  std::ranges::copy(latents.first(rounds.kept.count), rounds.kept.of(w).begin());
}

}  // namespace pollen::baselines
