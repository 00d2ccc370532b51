// The two halves of an iteration of the averaging family as maps of moments (algorithms.md section 6): every client's
// local step, and the exchange that puts all of them at the average.
//
// State s = (x_1..x_b; Y with control variates; h_1..h_b with a memory; ref with compression), ref the last average and
// the common noise since then. C is affine in Y and so needs no place of its own.
#pragma once

#include "moment_map.h"
#include "outcomes.h"

namespace pollen::stats {

class AveragingMaps {
 public:
  AveragingMaps(const QuadraticProblem& problem, const AveragingLawOptions& options);

  Eigen::Index size() const;
  MomentMap local_step(double step) const;  // with the refresh coin's toss, where there is one
  MomentMap exchange() const;
  MomentMap exchange_or_not(double probability) const;
  Law average(const Law& state) const;               // of Σ w_i x_i
  Law start(const Eigen::VectorXd& position) const;  // everybody there, and Y too

 private:
  struct Coefficients;  // what a step's paper puts before drift and noise
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
  std::vector<Eigen::VectorXd> kept_;  // what the compressor may keep
  std::vector<Attendance> attendances_;
};

}  // namespace pollen::stats
