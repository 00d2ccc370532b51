// A participant's own test rows: sums of scores for the server, and the scores themselves for this site.
#include "participant_parts.h"
#include "sink/score_sums.h"

namespace pollen {

int Participant::Parts::bins() const {
  return personal ? 0 : sink::score_bins(problem->model, config->output.ece_bins);
}

Table Participant::Parts::test_rows() const {
  const std::vector<Index>& begin = problem->data.test_begin;
  if (part + 1 >= begin.size()) return {};
  return problem->data.test.part(begin[part], begin[part + 1] - begin[part]);
}

void Participant::Parts::answer_scores(const wire::Ask& message, PanelView out) {
  fill(out, 0.0);
  SiteScores found = personal ? score_latents(message, out) : score_draws(message.at, out);
  // The mean of the draws follows their average, and has but one score. A server may ask for it again.
  constexpr const char* kMean = "accuracy_mean";
  const bool mean = !personal && message.at.columns() == 1 && own_scores && !own_scores->scores.empty();
  if (mean && !found.scores.empty()) {
    sink::Scores& scores = own_scores->scores;
    std::erase_if(scores, [&](const auto& score) { return score.name == kMean; });
    scores.insert(scores.begin() + 1, {kMean, found.scores.front().value});
  } else {
    own_scores = std::move(found);
  }
  if (options.scored) options.scored(*own_scores);
}

SiteScores Participant::Parts::score_draws(ConstPanelView states, PanelView out) const {
  const Table rows = test_rows();
  SiteScores found{problem->rows[part], rows.rows, {}};
  sink::Predictive averaged(problem->model, rows);
  if (!averaged.applies()) return found;
  averaged.add_all(states, 1);
  const sink::ScoreSums sums = sink::sums_of(averaged, rows, bins());
  sums.write(out.column(0));
  found.scores = sums.scores(problem->model.classifies());
  return found;
}

// The latents are drawn even if there are no test rows, because the site keeps their draws.
SiteScores Participant::Parts::score_latents(const wire::Ask& message, PanelView out) {
  const Table rows = test_rows();
  SiteScores found{problem->rows[part], rows.rows, {}, personal->results(client(), message.at, message.direction)};
  const OwnDraws& own = found.latents->own;
  if (rows.rows == 0 || !asks_for_scores(*config)) return found;
  const std::size_t outputs = own.mean.size() / own.log_density.size();
  sink::ScoreSums sums;
  for (std::size_t r = 0; r < own.log_density.size(); ++r)
    sums.add(rows.y[r], std::span(own.mean).subspan(r * outputs, outputs), own.log_density[r], personal->classifies());
  sums.write(out.column(0));
  found.scores = sums.scores(personal->classifies());
  return found;
}

}  // namespace pollen
