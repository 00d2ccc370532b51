// The common base of the personalised baselines. It draws participants, averages what clients send, keeps the clients'
// own parts, counts messages and gradients, and saves the state. One thread per engine.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "math/math.h"
#include "personal/baselines.h"
#include "round/participation.h"
#include "round/traffic.h"

namespace pollen::baselines {

// A range of consecutive coordinates of w = (φ, z).
struct Slice {
  std::size_t first = 0, count = 0;
  template <class T>
  std::span<T> of(std::span<T> w) const {
    return w.subspan(first, count);
  }
};

Slice no_part();
Slice shared_part(const PersonalProblem& problem);  // φ
Slice latent_part(const PersonalProblem& problem);  // z
Slice whole_model(const PersonalProblem& problem);

// In a round every active client receives the server's model, trains it, and sends the `sent` part back; the server
// averages. The client keeps the `kept` part. In most baselines that is the part it does not send; ditto and apfl send
// one model and keep another.
class Baseline : public PersonalEngine {
 public:
  void start(ConstPanelView position) override;
  std::int64_t advance(std::int64_t most) override;
  ConstPanelView position() const override;
  std::int64_t iteration() const override { return static_cast<std::int64_t>(iteration_); }
  Counters& counters() override { return counters_; }
  void listen(TrafficListener listener) override { traffic_.listen(std::move(listener)); }
  void latent(Index client, Index chain, std::span<double> out) const override {
    copy_personal(client, chain, latent_part(problem_), out);
  }
  void personal_shared(Index client, Index chain, std::span<double> out) const override {
    copy_personal(client, chain, shared_part(problem_), out);
  }
  void archive(Archive& archive) override;

 protected:
  // `vectors` is the number of vectors, each of the sent part's size, that a message holds in either direction.
  Baseline(const PersonalProblem& problem, const BaselineSettings& settings, Slice sent, Slice kept, Index vectors = 1);

  // A client's local work for one chain. On entry `w` is the server's model, with the client's own part in place of the
  // server's if there is one. On return the sent part of `w` is the reply. An implementation that changes the client's
  // own part writes it to own().
  virtual void train(Index client, Index chain, std::span<double> w) = 0;
  virtual void close(Index) {}  // called after the server's step on a chain
  virtual void round();
  virtual bool sends() const { return sent_.count > 0; }  // whether clients ever send anything
  // The model that the client predicts with: the server's, with the client's own part in place of the server's.
  virtual void personal(Index client, Index chain, std::span<double> w) const;

  const PersonalProblem& problem() const { return problem_; }
  const BaselineSettings& settings() const { return settings_; }
  const Roster& roster() const { return roster_; }
  Index dimension() const { return static_cast<Index>(whole_.count); }
  Index slots() const { return clients() * problem_.chains; }
  Index clients() const { return static_cast<Index>(problem_.clients.size()); }
  Index slot(Index client, Index chain) const { return client * problem_.chains + chain; }
  double rows(Index client) const {
    return static_cast<double>(problem_.clients[static_cast<std::size_t>(client)]->rows());
  }
  double portion(Index client) const { return rows(client) / all_rows_; }  // N_i/N
  // The client's weight in the average: N_i over the sum of N_j of the clients that take part in this round for this
  // chain. `p` is an entry's place in the roster.
  double share(Index client, std::size_t p) const;
  std::span<const double> server(Index chain) const { return server_.column(chain); }
  std::span<double> own(Index client, Index chain) { return own_.column(slot(client, chain)); }
  std::span<const double> own(Index client, Index chain) const { return own_.column(slot(client, chain)); }
  std::span<double> sum(Index chain) { return sum_.column(chain); }
  std::uint64_t now() const { return iteration_; }
  Scratch& scratch() const { return scratch_; }

  // Computes g = ∇f_i(w); gradient() also counts the work.
  void mean_gradient(Index client, std::span<const double> w, std::span<double> g) const;
  void gradient(Index client, std::span<const double> w, std::span<double> g);
  void count_message(Index client, Slice sent);
  void count_broadcast(Index chain, Slice sent);
  void check(std::span<const double> w, Index client) const;  // NumericError if w is not finite or σ ran away

 private:
  void visit(Index client, Index chain, std::size_t p);
  void copy_personal(Index client, Index chain, Slice part, std::span<double> out) const;
  void weigh();
  void refresh() const;

  PersonalProblem problem_;
  BaselineSettings settings_;
  Slice whole_, sent_, kept_;
  Index vectors_;
  double all_rows_ = 0;  // N
  ParticipationDraw participation_;
  Roster roster_;
  std::vector<double> active_rows_;  // one per chain: the rows of this round's participants
  mutable Panel server_;             // the part that is not sent is the clients' mean, computed when it is asked for
  mutable bool stale_ = false;       // whether that mean must be computed again
  Panel own_;                        // the clients' own parts, with client i and chain c in column i·R + c
  Panel sum_;
  std::uint64_t iteration_ = 0;
  Counters counters_;
  TrafficLog traffic_;
  mutable Scratch scratch_;
};

using BaselinePointer = std::unique_ptr<PersonalEngine>;
BaselinePointer make_local(const PersonalProblem& problem, const BaselineSettings& settings);
BaselinePointer make_fedavg(const PersonalProblem& problem, const BaselineSettings& settings);
BaselinePointer make_scaffold(const PersonalProblem& problem, const BaselineSettings& settings);
BaselinePointer make_fedrep(const PersonalProblem& problem, const BaselineSettings& settings);
BaselinePointer make_lg_fedavg(const PersonalProblem& problem, const BaselineSettings& settings);
BaselinePointer make_ditto(const PersonalProblem& problem, const BaselineSettings& settings);
BaselinePointer make_apfl(const PersonalProblem& problem, const BaselineSettings& settings);
BaselinePointer make_per_fedavg(const PersonalProblem& problem, const BaselineSettings& settings);
BaselinePointer make_l2gd(const PersonalProblem& problem, const BaselineSettings& settings);

}  // namespace pollen::baselines
