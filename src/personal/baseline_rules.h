// What tells one personalised baseline from another: the part of w = (φ, z) that the server has, the part that clients
// keep, and how a client trains. The rest is the same for all of them: baseline_work.cc is the client's half of a round
// and baseline_step.cc the server's.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "personal/baselines.h"

namespace pollen::baselines {

// A range of consecutive coordinates of w.
struct Slice {
  std::size_t first = 0, count = 0;
  template <class T>
  std::span<T> of(std::span<T> w) const {
    return w.subspan(first, count);
  }
};

struct Training;

struct Rule {
  enum class Part { none, shared, latent, whole };  // nothing, φ, z, w
  enum class Extra { none, control, mixture, meta, coins };

  PersonalBaseline row;
  Part sent;  // what the server has; clients train it and send how far it moved
  Part kept;  // what every client keeps. In most baselines that is the part it does not send; ditto and apfl send one
              // model and keep another.
  // scaffold has a control variate on both sides, apfl a mixing weight per client, per-fedavg a gradient step before
  // predictions, and l2gd coins that say when clients send their whole models.
  Extra extra;
  void (*train)(Training& training);  // a client's local work in one chain
};

// What a baseline's clients and its server know.
struct Rounds {
  Rounds(const Rule& rule, const PersonalProblem& problem, const BaselineSettings& settings);

  double rows(std::uint32_t client) const { return static_cast<double>(problem.clients.sizes()[client]); }
  bool control() const { return rule.extra == Rule::Extra::control; }
  bool mixes() const { return rule.extra == Rule::Extra::mixture; }
  bool tosses() const { return rule.extra == Rule::Extra::coins; }
  bool aggregates(std::uint32_t chain, std::uint64_t round) const;  // l2gd: the chain's coin of this round
  // Throws NumericError if w is not finite or its log σ ran away. w is a model, or a part of one that begins with φ if
  // `shared` says so.
  void check(std::span<const double> w, bool shared, std::uint64_t round, std::int64_t client) const;

  const Rule& rule;
  PersonalProblem problem;
  BaselineSettings settings;
  std::size_t dimension = 0;  // of w
  Slice phi, z;
  Slice sent, kept;
  Index message = 0;                             // numbers per message
  Index latents = 0;                             // numbers per chain that a client keeps for its predictions
  Index state = 0;                               // numbers per chain that a client keeps in all
  std::vector<Stream> coins;                     // one per chain
  std::shared_ptr<const PersonalPotential> any;  // a client's potential, for what all clients have in common
};

// Computes g = ∇f_i(w).
void mean_gradient(const PersonalPotential& client, std::span<const double> w, std::span<double> g, Scratch& scratch);

// A client's work for one chain in one exchange.
struct Training {
  const Rounds& rounds;
  const PersonalPotential& client;
  std::uint64_t round;
  std::uint32_t chain;
  std::span<const double> server;  // what the server sent: its part of w; for scaffold also c
  std::span<double> own;           // the client's state, which moves if the reply is counted
  std::span<double> message;       // before train(): zero; afterwards the change of the sent part is put in front
  std::span<double> w;             // the server's part and, where it has none, the client's own; to be trained
  Scratch& scratch;
  std::int64_t gradients = 0;  // row gradients so far

  void gradient(std::span<const double> at, std::span<double> g);  // g = ∇f_i(at)
  void descend(Slice part, std::span<double> g);                   // a gradient step on a part of w
  std::span<double> vector() { return scratch.take<double>(static_cast<Index>(w.size())); }
};

const std::vector<Rule>& rules();
// Turns a chain's position, in w, into the model that the client predicts with.
void personalise(const Rounds& rounds, Index client, std::span<const double> latents, std::span<double> w);

ClientWork make_work(const std::shared_ptr<const Rounds>& rounds);
std::unique_ptr<ServerStep> make_step(const std::shared_ptr<const Rounds>& rounds);

}  // namespace pollen::baselines
