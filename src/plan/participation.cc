// QLSD's proofs (Lemmas S1, S5 and S6) use participation only through Var(Σ w_i v_i) ≤ Σ (1-p_i)/p_i ‖v_i‖². For
// independent coins and weights 1/p_i this is an equality. For the other policies this file computes the p_i that makes
// it true:
//   - S of b clients, weights b/S: Var = (b/S - 1)(b Σ‖v_i‖² - ‖Σ v_i‖²)/(b-1) ≤ (b/S - 1) b/(b-1) Σ‖v_i‖²;
//   - weights b/|A|: the same holds given |A|, so E[b/|A|] takes the place of b/S;
//   - S draws with probabilities c_i, weights m_i/(S c_i): Var = (Σ‖v_i‖²/c_i - ‖Σ v_i‖²)/S ≤ Σ‖v_i‖²/(S c_i).
#include <algorithm>
#include <cmath>

#include "proofs.h"

namespace pollen::plan {

// |A| is binomial(b, p) conditioned on |A| ≥ 1.
double mean_inverse_share(double clients, double p) {
  double sum = 0, total = 0;
  for (double size = 1; size <= clients; ++size) {
    const double log_choose = std::lgamma(clients + 1) - std::lgamma(size + 1) - std::lgamma(clients - size + 1);
    const double rest = clients - size;
    const double mass = std::exp(log_choose + size * std::log(p) + (rest > 0 ? rest * std::log1p(-p) : 0));
    sum += mass * clients / size;
    total += mass;
  }
  return sum / total;
}

namespace {

Presence of_excess(double excess, double present) { return {1 / (1 + excess), present}; }

Presence uniform(double clients, double inverse, double present) {
  return clients > 1 ? of_excess((inverse - 1) * clients / (clients - 1), present) : Presence{};
}

}  // namespace

std::vector<Presence> presences(const Participation& participation, const Constants& constants) {
  const auto count = constants.clients.size();
  const auto b = static_cast<double>(count), s = static_cast<double>(participation.size);
  std::vector<Presence> all(count);
  double rows = 0;
  for (const ClientConstants& client : constants.clients) rows += client.rows;
  const auto probability = [&](std::size_t i) {
    return participation.probability.size() == 1 ? participation.probability[0] : participation.probability.at(i);
  };
  for (std::size_t i = 0; i < count; ++i) {
    switch (participation.policy) {
      case ParticipationPolicy::full:
        break;
      case ParticipationPolicy::bernoulli: {
        const double p = probability(i);
        if (p >= 1) break;
        if (participation.scaling == Scaling::inverse_probability)
          all[i] = {p, p};
        else
          all[i] = i > 0 ? all[0] : uniform(b, mean_inverse_share(b, p), p / (1 - std::pow(1 - p, b)));
        break;
      }
      case ParticipationPolicy::fixed_size: {
        const double share = constants.clients[i].rows / rows;
        all[i] = participation.replacement ? of_excess(1 / (s * share), 1 - std::pow(1 - share, s))
                                           : uniform(b, b / std::min(s, b), std::min(s, b) / b);
        break;
      }
    }
  }
  return all;
}

}  // namespace pollen::plan
