// The two halves of an iteration of the averaging family as maps of moments (docs/algorithms.md section 6): the local
// step of every client, and the exchange that moves all clients to the average. All member functions are const and
// pure.
//
// The state is s = (x_1..x_b; Y with control variates; h_1..h_b with a memory; ref with compression), where ref is the
// last average plus the common noise since then. C is affine in Y, so it needs no place in the state.
#pragma once

#include "moment_map.h"
#include "outcomes.h"

namespace pollen::stats {

class AveragingMaps {
 public:
  AveragingMaps(const QuadraticProblem& problem, const AveragingLawOptions& options);

  Eigen::Index size() const;
  MomentMap local_step(double step) const;  // includes the coin toss for a refresh, if there is one
  MomentMap exchange() const;
  MomentMap exchange_or_not(double probability) const;
  Law average(const Law& state) const;               // the law of Σ w_i x_i
  Law start(const Eigen::VectorXd& position) const;  // all x_i and Y are at `position`

 private:
  struct Coefficients;  // the factors of drift and noise in a local step
  Coefficients coefficients(double step) const;
  Eigen::MatrixXd zero() const;
  Eigen::MatrixXd block(Eigen::Index first) const;
  Eigen::MatrixXd constant(const Eigen::VectorXd& value) const;
  Eigen::MatrixXd mean_position() const;  // Σ w_i x_i
  Eigen::MatrixXd gradient(Eigen::Index client, const std::vector<int>& rows, const Eigen::MatrixXd& at) const;
  Spread estimate(Eigen::Index client) const;
  void add_refresh(MomentMap& map) const;
  Spread message(Eigen::Index client) const;
  void add_message(Eigen::Index client, double weight, const Eigen::MatrixXd& message, Eigen::MatrixXd& step) const;
  Eigen::MatrixXd before_messages() const;

  const std::vector<QuadraticTerm>& terms(Eigen::Index client) const {
    return problem_.clients[static_cast<std::size_t>(client)].terms;
  }
  Eigen::Index x(Eigen::Index client) const { return d_ * client; }
  Eigen::Index y() const { return d_ * b_; }
  Eigen::Index h(Eigen::Index client) const { return d_ * (b_ + (control_ ? 1 : 0) + client); }
  Eigen::Index reference() const { return h(memory_ ? b_ : 0); }

  const QuadraticProblem& problem_;
  const AveragingLawOptions& options_;
  Eigen::Index d_, b_;
  bool control_, compressed_, memory_;
  Eigen::VectorXd sizes_;
  std::vector<Eigen::VectorXd> kept_;  // the diagonals that the compressor can draw
  std::vector<Attendance> attendances_;
};

}  // namespace pollen::stats
