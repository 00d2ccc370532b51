#include "sink/running_scores.h"

namespace pollen::sink {

std::vector<std::string> running_score_names(const ModelSpec& model) {
  std::vector<std::string> names = score_names(model);
  for (const std::string& name : score_names(model)) names.push_back(name + "_state");
  return names;
}

RunningScores::RunningScores(const ModelSpec& model, const Table& test, int ece_bins)
    : averaged_(model, test), single_(model, test), ece_bins_(ece_bins) {}

Scores RunningScores::row(ConstPanelView states, bool past_burn_in) {
  if (!averaged_.applies()) return {};
  if (past_burn_in && !past_burn_in_) averaged_.restart();
  past_burn_in_ = past_burn_in;
  Scores of_states;
  for (Index c = 0; c < states.columns; ++c) {
    single_.restart();
    single_.add(states.column(c));
    averaged_.add(single_);
    const Scores one = single_.scores(ece_bins_);
    of_states.resize(one.size());
    for (std::size_t i = 0; i < one.size(); ++i) of_states[i].value += one[i].value;
  }
  Scores scores = averaged_.scores(ece_bins_);
  for (std::size_t i = 0; i < of_states.size(); ++i)
    scores.push_back({scores[i].name + "_state", of_states[i].value / static_cast<double>(states.columns)});
  return scores;
}

void RunningScores::archive(Archive& archive) {
  averaged_.archive(archive);
  archive.field(past_burn_in_);
}

}  // namespace pollen::sink
