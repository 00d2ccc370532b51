// Baselines in which clients take joint gradient steps on w = (φ, z) and the server averages what they send:
//   local      nothing is sent
//   fedavg     McMahan et al. 2017: all of w is sent, and the client keeps no part of its own
//   lg-fedavg  Liang et al. 2020: the client keeps its representation φ_i, the head z is global (the reverse of fedrep)
//   scaffold   Karimireddy et al. 2020, option II:
//     y ← y - γ (∇f_i(y) - c_i + c);   c_i⁺ = c_i - c + (w - y_i)/(Kγ),  c ← c + Σ_active (N_i/N) (c_i⁺ - c_i)
// With equal N_i this c is the paper's. For any N_i, c = Σ (N_i/N) c_i.
#include <algorithm>

#include "baseline_parts.h"
#include "math/math.h"
#include "pollen/archive.h"

namespace pollen::baselines {

namespace {

class Averaging final : public Baseline {
 public:
  Averaging(const PersonalProblem& of, const BaselineSettings& how, Slice sent, Slice kept)
      : Baseline(of, how, sent, kept), kept_(kept) {}

 private:
  void train(Index client, Index chain, std::span<double> w) override {
    const auto g = scratch().take<double>(dimension());
    for (Index m = 0; m < settings().local_steps; ++m) {
      gradient(client, w, g);
      math::axpy(-settings().step, g, w);
    }
    if (kept_.count > 0) std::ranges::copy(kept_.of(w), own(client, chain).begin());
  }

  Slice kept_;
};

class Scaffold final : public Baseline {
 public:
  Scaffold(const PersonalProblem& of, const BaselineSettings& how)
      : Baseline(of, how, whole_model(of), no_part(), 2),
        controls_(dimension(), slots()),
        control_(dimension(), of.chains),
        change_(control_) {}

  void archive(Archive& archive) override {
    Baseline::archive(archive);
    archive.array(controls_.flat());
    archive.array(control_.flat());
  }

 private:
  void train(Index client, Index chain, std::span<double> w) override {
    const double step = settings().step;
    const auto g = scratch().take<double>(dimension());
    const auto own_control = controls_.column(slot(client, chain)), all = control_.column(chain);
    for (Index m = 0; m < settings().local_steps; ++m) {
      gradient(client, w, g);
      math::subtract(g, own_control, g);
      math::add(all, g);
      math::axpy(-step, g, w);
    }
    const double rate = 1 / (static_cast<double>(settings().local_steps) * step);
    math::subtract(server(chain), w, g);
    math::scale(rate, g);
    math::subtract(g, all, g);  // c_i⁺ - c_i
    math::add(g, own_control);
    math::axpy(portion(client), g, change_.column(chain));
  }

  void close(Index chain) override {
    math::add(change_.column(chain), control_.column(chain));
    std::ranges::fill(change_.column(chain), 0.0);
  }

  Panel controls_, control_;  // c_i, with client i and chain r in column i·R + r; and the common c
  Panel change_;              // how far c moves in this round
};

}  // namespace

BaselinePointer make_local(const PersonalProblem& problem, const BaselineSettings& settings) {
  return std::make_unique<Averaging>(problem, settings, no_part(), whole_model(problem));
}

BaselinePointer make_fedavg(const PersonalProblem& problem, const BaselineSettings& settings) {
  return std::make_unique<Averaging>(problem, settings, whole_model(problem), no_part());
}

BaselinePointer make_lg_fedavg(const PersonalProblem& problem, const BaselineSettings& settings) {
  return std::make_unique<Averaging>(problem, settings, latent_part(problem), shared_part(problem));
}

BaselinePointer make_scaffold(const PersonalProblem& problem, const BaselineSettings& settings) {
  return std::make_unique<Scaffold>(problem, settings);
}

}  // namespace pollen::baselines
