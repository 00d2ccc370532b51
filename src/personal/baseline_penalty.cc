// Baselines in which every client has a model of its own that is pulled towards a common one.
//   ditto  Li et al. 2021: w as in fedavg, and K times  v_i ← v_i - γ (∇f_i(v_i) + λ (v_i - w)), w as it was received
//   apfl   Deng et al. 2020: K times, with u = α_i v_i + (1-α_i) w_i,
//            w_i ← w_i - γ ∇f_i(w_i),  v_i ← v_i - γ α_i ∇f_i(u);   the w_i are averaged
//          adapted: α_i ← [α_i - γ <v_i - w_i, ∇f_i(u)>] kept in [0, 1], at the first local step of a round
//   l2gd   Hanzely and Richtarik 2020, on Σ (N_i/N) (f_i(w_i) + λ/2 |w_i - w̄|²), w̄ = Σ (N_i/N) w_i:
//            with probability p  w_i ← w_i - (γλ/p) (w_i - w̄),   else  w_i ← w_i - γ/(1-p) ∇f_i(w_i)
//          γ is the paper's step over the number of clients.
#include <algorithm>

#include "baseline_parts.h"
#include "math/math.h"
#include "pollen/archive.h"
#include "pollen/random.h"

namespace pollen::baselines {

namespace {

class Ditto final : public Baseline {
 public:
  Ditto(const PersonalProblem& of, const BaselineSettings& how) : Baseline(of, how, whole_model(of), whole_model(of)) {}

 private:
  void train(Index client, Index chain, std::span<double> w) override {
    const double step = settings().step;
    const auto g = scratch().take<double>(dimension()), apart = scratch().take<double>(dimension());
    const auto v = own(client, chain);
    for (Index m = 0; m < settings().local_steps; ++m) {
      gradient(client, w, g);
      math::axpy(-step, g, w);
      gradient(client, v, g);
      math::subtract(v, server(chain), apart);
      math::axpy(-step, g, v);
      math::axpy(-step * settings().penalty, apart, v);
    }
  }
};

class Apfl final : public Baseline {
 public:
  Apfl(const PersonalProblem& of, const BaselineSettings& how) : Baseline(of, how, whole_model(of), whole_model(of)) {
    if (how.adapt_mixture) alpha_.assign(static_cast<std::size_t>(slots()), how.mixture);
  }

  void archive(Archive& archive) override {
    Baseline::archive(archive);
    archive.array(std::span(alpha_));
  }

 private:
  double alpha(Index client, Index chain) const {
    return alpha_.empty() ? settings().mixture : alpha_[static_cast<std::size_t>(slot(client, chain))];
  }

  static void mix(double alpha, std::span<const double> v, std::span<const double> w, std::span<double> out) {
    for (std::size_t j = 0; j < out.size(); ++j) out[j] = alpha * v[j] + (1 - alpha) * w[j];
  }

  void train(Index client, Index chain, std::span<double> w) override {
    const double step = settings().step;
    const auto at_mix = scratch().take<double>(dimension()), g = scratch().take<double>(dimension());
    const auto u = scratch().take<double>(dimension());
    const auto v = own(client, chain);
    for (Index m = 0; m < settings().local_steps; ++m) {
      const double now_alpha = alpha(client, chain);
      mix(now_alpha, v, w, u);
      gradient(client, u, at_mix);
      gradient(client, w, g);
      if (m == 0 && !alpha_.empty()) {
        math::subtract(v, w, u);
        const double moved = now_alpha - step * math::dot(u, at_mix);
        alpha_[static_cast<std::size_t>(slot(client, chain))] = std::clamp(moved, 0.0, 1.0);
      }
      math::axpy(-step, g, w);
      math::axpy(-step * now_alpha, at_mix, v);
    }
  }

  void personal(Index client, Index chain, std::span<double> w) const override {
    mix(alpha(client, chain), own(client, chain), server(chain), w);
  }

  std::vector<double> alpha_;  // α_i if it is adapted, with client i and chain c at i·R + c
};

class L2gd final : public Baseline {
 public:
  L2gd(const PersonalProblem& of, const BaselineSettings& how)
      : Baseline(of, how, no_part(), whole_model(of)),
        whole_(whole_model(of)),
        aggregates_(static_cast<std::size_t>(of.chains), 0),
        known_(aggregates_) {
    for (Index c = 0; c < of.chains; ++c)
      coins_.push_back(make_stream(of.seed, static_cast<std::uint32_t>(c), Purpose::baseline));
  }

  void archive(Archive& archive) override {
    Baseline::archive(archive);
    archive.array(std::span(known_));
  }

 private:
  void train(Index, Index, std::span<double>) override {}
  bool sends() const override { return true; }

  void toss() {
    for (std::size_t c = 0; c < coins_.size(); ++c) {
      coins_[c].round = now();
      aggregates_[c] = Sequence(coins_[c]).uniform() < settings().aggregate ? 1 : 0;
    }
  }

  // Calls visit(client, chain, place in the roster) for everything in this round, in client order.
  template <class Visit>
  void each(Visit visit) {
    for (const Roster::Entry& entry : roster().clients)
      for (std::uint32_t p = entry.first; p < entry.first + entry.count; ++p)
        visit(static_cast<Index>(entry.client), static_cast<Index>(roster().chain[p]), p);
  }
  bool aggregates(Index chain) const { return aggregates_[static_cast<std::size_t>(chain)] != 0; }

  void round() override {
    toss();
    for (Index c = 0; c < problem().chains; ++c) std::ranges::fill(sum(c), 0.0);
    each([&](Index i, Index c, std::uint32_t p) {
      if (aggregates(c))
        math::axpy(share(i, p), own(i, c), sum(c));
      else
        descend(i, c);
    });
    each([&](Index i, Index c, std::uint32_t) {
      if (aggregates(c)) approach(i, c);
    });
    remember();
  }

  void descend(Index client, Index chain) {
    Scratch::Frame frame(scratch());
    const auto g = scratch().take<double>(dimension());
    gradient(client, own(client, chain), g);
    math::axpy(-settings().step / (1 - settings().aggregate), g, own(client, chain));
    check(own(client, chain), client);
  }

  void approach(Index client, Index chain) {
    Scratch::Frame frame(scratch());
    const auto apart = scratch().take<double>(dimension());
    math::subtract(own(client, chain), sum(chain), apart);
    math::axpy(-settings().step * settings().penalty / settings().aggregate, apart, own(client, chain));
    check(own(client, chain), client);
    if (known_[static_cast<std::size_t>(chain)] == 0) count_message(client, whole_);
  }

  // Remembers which chains' clients know the mean of their models. An aggregation does not move that mean, so a second
  // one in a row needs no messages if the same clients take part.
  void remember() {
    const bool full = settings().participation.policy == ParticipationPolicy::full;
    for (std::size_t c = 0; c < known_.size(); ++c) {
      if (aggregates_[c] != 0 && known_[c] == 0) count_broadcast(static_cast<Index>(c), whole_);
      known_[c] = aggregates_[c] != 0 && full ? 1 : 0;
    }
  }

  Slice whole_;
  std::vector<Stream> coins_;
  std::vector<std::uint8_t> aggregates_;  // this round's coins, one per chain
  std::vector<std::uint8_t> known_;       // one per chain: whether clients know the mean of their models
};

}  // namespace

BaselinePointer make_ditto(const PersonalProblem& problem, const BaselineSettings& settings) {
  return std::make_unique<Ditto>(problem, settings);
}

BaselinePointer make_apfl(const PersonalProblem& problem, const BaselineSettings& settings) {
  return std::make_unique<Apfl>(problem, settings);
}

BaselinePointer make_l2gd(const PersonalProblem& problem, const BaselineSettings& settings) {
  return std::make_unique<L2gd>(problem, settings);
}

}  // namespace pollen::baselines
