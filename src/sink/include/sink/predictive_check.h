// The posterior predictive check: would data sets that the model makes at the draws look like the data? Rows are sorted
// into groups (classes, or ranges of a number or count) and by client. A group's observed share, or a client's mean, is
// compared with its law over data sets of the same columns. No data set is drawn (stats/replicates.h), so the result
// depends on nothing but draws and rows.
#pragma once

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "pollen/data.h"
#include "pollen/model.h"
#include "sink/scored_rows.h"
#include "stats/replicates.h"

namespace pollen::sink {

// One comparison: the share of rows that are in a group, or the mean of a client's targets.
struct Replicated {
  std::string client;               // its name, or empty if this is about all rows
  std::string label;                // the class, or the range of a count; empty for other numbers
  double above = NAN, up_to = NAN;  // a number's range, infinite where it is open; NaN for classes
  Index rows = 0;                   // of which this is the share or the mean
  double observed = 0, predicted = 0;
  double lower = 0, upper = 0;  // 90 % of the data sets are between them
  double z = 0;                 // how far off the observed number is, in sds of the data sets
};

struct PredictiveCheck {
  std::string words;           // what was found, or why nothing was checked
  std::string of;              // what groups are: "classes", "numbers" or "counts"; empty if nothing was checked
  bool training = false;       // whether the rows are training rows
  Index rows = 0, in_all = 0;  // rows that were looked at, and rows there are
  Index draws = 0;
  std::vector<Replicated> groups, clients;
};

// Into which groups targets are sorted.
class TargetGroups {
 public:
  enum class Kind { classes, numbers, counts };
  static TargetGroups of_classes(std::vector<std::string> labels);
  static TargetGroups of_numbers(std::span<const double> y, bool counts);

  Kind kind() const { return kind_; }
  std::size_t size() const { return kind_ == Kind::classes ? labels_.size() : edges_.size() + 1; }
  std::size_t group_of(double y) const;
  const std::vector<double>& edges() const { return edges_; }  // of numbers: the groups' upper ends but the last's
  const std::vector<std::string>& labels() const { return labels_; }
  // What is compared for each client: the share of every class (of two, the second one's), or the mean.
  std::size_t per_client() const;
  Replicated describe(std::size_t group) const;  // its name or range

 private:
  Kind kind_ = Kind::classes;
  std::vector<std::string> labels_;
  std::vector<double> edges_;
};

// The law of what is compared, in sums over rows: first all groups, then per client what per_client() says.
struct ReplicatedSums {
  std::vector<double> mean, variance;
};

// Compares the sums with the rows' targets, in all and for the clients of these names, and puts it into words.
PredictiveCheck compare_with_data(const TargetGroups& groups, const ScoredRows& rows, const ClientNames& names,
                                  const ReplicatedSums& sums, Index draws);

inline constexpr Index kCheckedDraws = 200;

// How many clients are compared: the first ones, so that a report keeps its size.
std::size_t checked_clients(const TargetGroups& groups, std::size_t clients);

// Checks a model without latents; `states` has one draw per column, as it is reported.
PredictiveCheck check_predictions(const ModelSpec& model, const ScoredRows& rows, const ClientNames& names,
                                  ConstPanelView states, int threads);

}  // namespace pollen::sink
