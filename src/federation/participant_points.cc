// Points at which a server asks although few rows have a say in the answer there. The rows of a nonlinear model are
// separated at such points, far away from the data, and honest samplers hardly ever come to them. This is a heuristic:
// it makes an attack dearer and does not prevent it (docs/security.md).
#include <fmt/format.h>

#include <algorithm>

#include "participant_parts.h"

namespace pollen {

namespace {

constexpr double kLeastRows = 10, kLeastShare = 0.05;
// A look takes a pass over all rows. Looks at rounds take about this share of the rounds' own work.
constexpr double kShareOfWork = 1.0 / 32;
constexpr double kRarest = 1 << 30;

}  // namespace

double Participant::Parts::gradients_of(const Broadcast& heard) const {
  const auto steps = std::max<std::uint64_t>(1, heard.segment.steps);
  return static_cast<double>(recipe.batch.of(problem->rows[part])) * static_cast<double>(config->run.chains) *
         static_cast<double>(steps);
}

// Looks at one of the points of a question, or now and then at one of a round's, where the answer takes so many
// gradients of rows: the server cannot know when. Returns whether the points may be answered: always if the site has
// given its word that the server is trusted, and is then warned.
bool Participant::Parts::may_answer_at(ConstPanelView points, std::optional<double> gradients, const Send& send) {
  ThinPoints& thin = thin_points;
  if (!thin.watched || personal || points.columns == 0 || points.rows != dimension()) return true;
  const auto rows = static_cast<double>(client().potential().rows());
  const double rarely = gradients ? rows / (kShareOfWork * std::max(1.0, *gradients)) : 1;
  if (rarely > 1 && thin.coins() % static_cast<std::uint64_t>(std::min(kRarest, rarely)) != 0) return true;
  const auto one = static_cast<Index>(thin.coins() % static_cast<std::uint64_t>(points.columns));
  const auto found = client().potential().effective_rows(points.column(one), work.scratch);
  if (!found) return true;
  ++thin.looked;
  const double least = std::min(rows, std::max(kLeastRows, kLeastShare * rows));
  if (*found >= least * (1 - 1e-9) || ++thin.found < thin.tell_at) return true;
  const std::string what = fmt::format(
      "the server asks at a point where few rows have a say in the answer: found {:.3g} of {:.0f} rows, accepted: at "
      "least {:.3g}",
      *found, rows, least);
  if (!options.policy.trust_server) {
    refuse(send, what, "it was asked at a point where too few rows have a say in the answer");
    return false;
  }
  thin.tell_at *= 10;
  options.tell(
      {"point",
       fmt::format("{} ({} such points of {} that were looked at). Rows can be told apart at such points, which "
                   "honest samplers seldom visit; the answers are given, because this site has said that it "
                   "trusts the server",
                   what, thin.found, thin.looked),
       {},
       {},
       Notice::Level::warning});
  return true;
}

}  // namespace pollen
