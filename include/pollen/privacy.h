// Computes how much an FA-LD run discloses about one row: two accountants of (ε, δ) differential privacy when one row
// is substituted.
//
// theorem_account uses Theorem G.3 of the FA-LD paper. renyi_account does Rényi accounting of the same run step by
// step, which gives a smaller ε for all but short runs. Both give a number only where all their assumptions hold;
// otherwise `why` says in sentences which do not. docs/privacy.md has assumptions and derivations. All functions are
// pure and thread-safe, and print nothing.
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

// Who takes part: all clients; S clients drawn with replacement by p_c; S clients drawn uniformly without replacement.
enum class PrivacyScheme { full, one, two };
enum class Adversary { server, outside };  // The server sees who takes part; an adversary outside sees only averages.

// A client as the accountants see it: its share p_c = N_c/N and its minibatch rate γ_c = batch/N_c.
struct PrivacyClient {
  double share = 1;
  double rate = 1;
  friend bool operator==(const PrivacyClient&, const PrivacyClient&) = default;
};

struct PrivacyClients {
  Index count = 0;
  double min_share = 0, max_share = 0;
  double min_rate_squared_share = 0;  // smallest γ_c² p_c
  double max_rate = 0;
  std::vector<PrivacyClient> distinct;  // every pair (share, rate) once, sorted by share
};

// rows[c] is N_c and at least 1; batches[c] is the number of rows in a minibatch of client c, where N_c or more means
// all. Both spans have the same length.
PrivacyClients privacy_clients(std::span<const Index> rows, std::span<const Index> batches);

struct PrivacyInputs {
  double step = 0;                         // η, the largest step of the run
  double temperature = 1;                  // T
  double correlation = 0;                  // ρ
  std::optional<double> sensitivity = {};  // Δ_l = 2·clip; empty if the gradients of rows are not clipped
  Index local_steps = 1;                   // K
  bool random_gaps = false;                // true: clients average at random times instead of every K steps
  Index chains = 1;                        // R
  bool coupled = false;                    // true: the chains of a round share their participants
  PrivacyScheme scheme = PrivacyScheme::full;
  Index drawn = 0;  // S, for schemes one and two
  Adversary adversary = Adversary::server;
  std::optional<double> delta = {};  // the total δ allowed; may be empty if the three below are set
  std::optional<double> delta_0 = {}, delta_1 = {}, delta_2 = {};
  PrivacyClients clients = {};
};

// ε and δ are either both present, or both absent and `why` is not empty. The other fields are set as far as they were
// computed.
struct PrivacyAccount {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  std::optional<double> epsilon, delta;
  double epsilon_1 = kNone;                           // of one local step
  double epsilon_k = kNone;                           // of K local steps
  double epsilon_round = kNone, delta_round = kNone;  // ε̃ and δ̃ of one round of one chain
  double log_delta_0 = kNone;  // ln δ_0, because scheme one may need a δ_0 below the smallest double
  double delta_0 = kNone, delta_1 = kNone, delta_2 = kNone;
  double step_bound = kNone;  // the largest η that the theorem allows
  std::vector<std::string> why;
};

// The account after `rounds` rounds (E) of every chain. `delta` is split anew for this E, so the result is that of a
// run which ends here. It costs a few dozen operations; scheme one with an outside adversary takes some hundred passes
// over S terms.
PrivacyAccount theorem_account(const PrivacyInputs& in, Index rounds);

// Returns the largest E <= limit with ε(E) <= epsilon, or 0 if not even one round fits.
Index theorem_rounds(const PrivacyInputs& in, double epsilon, Index limit);

// Bounds on the Rényi divergence of order α > 1 between what one step shows of two adjacent data sets. `ratio` is the
// sensitivity of the update over the standard deviation of its noise. `rate` is γ, for a minibatch of fixed size drawn
// without replacement.
double gaussian_renyi(double order, double ratio);                 // α ratio²/2, exact
double subsampled_renyi(double order, double ratio, double rate);  // Wang, Balle, Kasiviswanathan 2019, Theorem 9
double update_ratio(const PrivacyInputs& in, const PrivacyClient& client);
// The ε at δ of a mechanism with Rényi divergence `renyi` at `order` (Canonne, Kamath, Steinke 2020, Proposition 12).
double renyi_epsilon(double order, double renyi, double delta);

// The Rényi divergence of one local step of one chain at each order, for the worst client at that order. It is computed
// once per run and costs about 20,000 exponentials per distinct client.
struct RenyiCurve {
  std::vector<double> orders, step;
  Index chains = 1;
  std::vector<std::string> why;  // if not empty, there is no number
};
RenyiCurve renyi_curve(const PrivacyInputs& in);

struct RenyiAccount {
  std::optional<double> epsilon, delta;
  double order = PrivacyAccount::kNone;  // the order at which the smallest ε was found
  std::vector<std::string> why;
};

// The account after `steps` local steps of every chain: K·E steps, or the number actually taken if the gaps between
// averages are random. It costs about a hundred operations.
RenyiAccount renyi_account(const RenyiCurve& curve, Index steps, double delta);

// Returns the largest number of steps <= limit with ε <= epsilon, or 0 if not even one fits. Divide by K for whole
// rounds.
Index renyi_steps(const RenyiCurve& curve, double delta, double epsilon, Index limit);

}  // namespace pollen
