// What data sets that a model makes would look like: the law of sums over groups of rows, such as the number of rows in
// a class. No data set is drawn. At one draw of the parameters the rows are independent, so that a sum has a known mean
// and variance; over draws, the mean of the variances and the variance of the means add up. Not thread-safe.
#pragma once

#include <span>
#include <vector>

namespace pollen::stats {

class Replicates {
 public:
  explicit Replicates(std::size_t groups) : mean_(groups), variance_(groups), spread_(groups) {}

  // Adds one draw of the parameters: mean and variance of every group's sum there.
  void add(std::span<const double> mean, std::span<const double> variance);

  std::size_t groups() const { return mean_.size(); }
  double mean(std::size_t group) const { return mean_[group]; }
  double variance(std::size_t group) const;

 private:
  std::vector<double> mean_, variance_;  // averages over the draws
  std::vector<double> spread_;           // sum of squared differences of the means from their average
  double draws_ = 0;
};

}  // namespace pollen::stats
