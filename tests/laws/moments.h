// Mean and covariance of a run, with standard errors from the variation between chains: chains are independent, states
// of one chain are not.
#pragma once

#include <Eigen/Dense>
#include <vector>

#include "stats/exact_law.h"
#include "run/experiment.h"

namespace pollen::laws {

struct Estimate {
  Eigen::VectorXd mean, mean_error;
  Eigen::MatrixXd covariance, covariance_error;
};

// Averages of first and second moments, chain by chain. `centre` is a point near the mean, against cancellation.
class Moments {
 public:
  explicit Moments(Eigen::VectorXd centre) : centre_(std::move(centre)) {}
  void add(ConstPanelView position);
  void add(Eigen::Index chain, const Eigen::VectorXd& position);
  Estimate estimate() const;
  std::vector<double> squares() const;  // chain by chain: the average of ‖x - centre‖²

 private:
  Eigen::VectorXd centre_;
  std::vector<Eigen::VectorXd> first_;
  std::vector<Eigen::MatrixXd> second_;
  std::vector<double> count_;
};

// Mean and standard error of numbers that are one a chain.
struct Average {
  Eigen::MatrixXd mean, error;
};
Average average(const std::vector<Eigen::MatrixXd>& chains);

// The largest |entry| in standard errors.
double worst(const Eigen::MatrixXd& difference, const Eigen::MatrixXd& error);

// How far the run is from a law: the worst of all entries of mean and covariance, in standard errors.
double distance(const Estimate& run, const stats::Law& law);
double distance(const Estimate& run, const Estimate& other);
// How far two laws are apart in the variance of the coordinate where they differ least, in the run's standard errors.
double spread_between(const Estimate& run, const stats::Law& a, const stats::Law& b);

}  // namespace pollen::laws
