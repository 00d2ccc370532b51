// Mean and covariance of a run, with standard errors from the variation between chains, because chains are independent
// and states of one chain are not.
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

// Averages of first and second moments per chain. `centre` is a point near the mean, which avoids cancellation.
class Moments {
 public:
  explicit Moments(Eigen::VectorXd centre) : centre_(std::move(centre)) {}
  void add(ConstPanelView position);
  void add(Eigen::Index chain, const Eigen::VectorXd& position);
  Estimate estimate() const;
  std::vector<double> squares() const;  // per chain, the average of ‖x - centre‖²

 private:
  Eigen::VectorXd centre_;
  std::vector<Eigen::VectorXd> first_;
  std::vector<Eigen::MatrixXd> second_;
  std::vector<double> count_;
};

// Mean and standard error of one number per chain.
struct Average {
  Eigen::MatrixXd mean, error;
};
Average average(const std::vector<Eigen::MatrixXd>& chains);

// Returns the largest |entry| in standard errors.
double worst(const Eigen::MatrixXd& difference, const Eigen::MatrixXd& error);

// Returns how far the run is from a law: the worst entry of mean and covariance, in standard errors.
double distance(const Estimate& run, const stats::Law& law);
double distance(const Estimate& run, const Estimate& other);
// Returns how far apart the variances of two laws are in the coordinate where they differ least, in the run's standard
// errors.
double spread_between(const Estimate& run, const stats::Law& a, const stats::Law& b);

}  // namespace pollen::laws
