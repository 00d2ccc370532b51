// The scores in the rows of metrics.csv, on test rows. At every row the states of all chains join one averaged
// predictive, whose scores are reported. It starts anew at the end of burn-in; until then it averages from the start of
// the run. Beside them stand the scores of the states themselves (accuracy_state, ...), as means over the chains.
// Memory is that of two predictives, whatever the length of the run. Not thread-safe.
#pragma once

#include <string>
#include <vector>

#include "sink/predictive.h"

namespace pollen::sink {

// Returns the names of the scores of a row: those of score_names(), then the same with "_state" behind them.
std::vector<std::string> running_score_names(const ModelSpec& model);

class RunningScores {
 public:
  // `model` and `test` must outlive this object.
  RunningScores(const ModelSpec& model, const Table& test, int ece_bins);

  // Takes the states at a row, one column per chain, and returns the scores of the row. `past_burn_in` says whether the
  // burn-in is over. Returns nothing if the model does not predict or there are no test rows.
  Scores row(ConstPanelView states, bool past_burn_in);
  void archive(Archive& archive);

 private:
  Predictive averaged_, single_;
  int ece_bins_;
  bool past_burn_in_ = false;  // at the last row
};

}  // namespace pollen::sink
