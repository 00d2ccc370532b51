// What an FA-LD run gives away about one row: two accountants of (ε, δ) differential privacy under substitution.
//
// theorem_account: Theorem G.3 of the FA-LD paper. renyi_account: Rényi accounting of the same run, step by step, which
// is smaller for all but short runs. Both give a number only where all they assume holds; otherwise `why` says in
// sentences what does not. docs/privacy.md has assumptions and derivations. Pure functions; nothing is printed.
//
//   PrivacyInputs in{.step = 1e-6, .sensitivity = 2 * clip, .local_steps = 10, .delta = 1e-5};
//   in.clients = privacy_clients(rows, batches);
//   const PrivacyAccount spent = theorem_account(in, rounds_so_far);
//   const Index last = theorem_rounds(in, 8.0, 100000);
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pollen/types.h"

namespace pollen {

enum class PrivacyScheme { full, one, two };  // everybody; S drawn with replacement by p_c; S drawn without, uniformly
enum class Adversary { server, outside };     // the server sees who takes part; outside only averages are seen

// A client as the accountants see it: p_c = N_c/N and γ_c = batch/N_c.
struct PrivacyClient {
  double share = 1;
  double rate = 1;
  friend bool operator==(const PrivacyClient&, const PrivacyClient&) = default;
};

struct PrivacyClients {
  Index count = 0;
  double min_share = 0, max_share = 0;
  double min_rate_squared_share = 0;  // min γ_c² p_c
  double max_rate = 0;
  std::vector<PrivacyClient> distinct;  // every pair once, by share
};

// rows[c] = N_c and batches[c] = rows in a minibatch of client c (N_c or more: all of them). Equal lengths, N_c >= 1.
PrivacyClients privacy_clients(std::span<const Index> rows, std::span<const Index> batches);

struct PrivacyInputs {
  double step = 0;                         // η, the largest of the run
  double temperature = 1;                  // T
  double correlation = 0;                  // ρ
  std::optional<double> sensitivity = {};  // Δ_l = 2·clip; nothing where rows' gradients are not clipped
  Index local_steps = 1;                   // K
  bool random_gaps = false;                // averaging at random times instead of every K steps
  Index chains = 1;                        // R
  bool coupled = false;                    // the chains of a round share who takes part
  PrivacyScheme scheme = PrivacyScheme::full;
  Index drawn = 0;  // S, schemes one and two
  Adversary adversary = Adversary::server;
  std::optional<double> delta = {};  // what δ may be in total; may be absent where the three below are set
  std::optional<double> delta_0 = {}, delta_1 = {}, delta_2 = {};
  PrivacyClients clients = {};
};

// ε and δ are both there, or both absent and `why` is not empty. The rest is there as far as it was computed.
struct PrivacyAccount {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  std::optional<double> epsilon, delta;
  double epsilon_1 = kNone;                           // a local step
  double epsilon_k = kNone;                           // K of them
  double epsilon_round = kNone, delta_round = kNone;  // ε̃ and δ̃: a round of one chain
  double log_delta_0 = kNone;                         // ln δ_0: scheme one may need a δ_0 below the smallest double
  double delta_0 = kNone, delta_1 = kNone, delta_2 = kNone;
  double step_bound = kNone;  // the largest η the theorem takes
  std::vector<std::string> why;
};

// After `rounds` rounds (E) of every chain. `delta` is split anew for this E, so the number is that of a run which ends
// here. A few dozen operations; scheme one seen from outside takes some hundred passes over S terms.
PrivacyAccount theorem_account(const PrivacyInputs& in, Index rounds);

// The largest E <= limit with ε(E) <= epsilon; 0 where not even one round fits.
Index theorem_rounds(const PrivacyInputs& in, double epsilon, Index limit);

// Rényi divergence of order α > 1 between what a step shows of two adjacent data sets. ratio = sensitivity of the
// update over the standard deviation of its noise; rate = γ, a minibatch of fixed size without replacement.
double gaussian_renyi(double order, double ratio);                 // α ratio²/2, exact
double subsampled_renyi(double order, double ratio, double rate);  // Wang, Balle, Kasiviswanathan 2019, Theorem 9
double update_ratio(const PrivacyInputs& in, const PrivacyClient& client);
// The ε at δ of a mechanism with Rényi divergence `renyi` at `order` (Canonne, Kamath, Steinke 2020, Proposition 12).
double renyi_epsilon(double order, double renyi, double delta);

// One local step of one chain, the worst client at each order. Made once for a run, in about 20,000 exponentials for
// each distinct client.
struct RenyiCurve {
  std::vector<double> orders, step;
  Index chains = 1;
  std::vector<std::string> why;  // not empty: no number
};
RenyiCurve renyi_curve(const PrivacyInputs& in);

struct RenyiAccount {
  std::optional<double> epsilon, delta;
  double order = PrivacyAccount::kNone;  // where the smallest ε was found
  std::vector<std::string> why;
};

// After `steps` local steps of every chain: K·E, or as many as there were where the gaps are random. A hundred
// operations.
RenyiAccount renyi_account(const RenyiCurve& curve, Index steps, double delta);

// The largest number of steps <= limit with ε <= epsilon, 0 where not even one fits. Whole rounds: divide by K.
Index renyi_steps(const RenyiCurve& curve, double delta, double epsilon, Index limit);

}  // namespace pollen
