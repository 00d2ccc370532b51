// Points at which a server asks although few rows have a say in the answer there. The rows of a nonlinear model are
// separated at such points, far away from the data, and honest samplers hardly ever come to them. This is a heuristic:
// it makes an attack dearer and does not prevent it (docs/security.md).
#include <fmt/format.h>

#include <algorithm>

#include "participant_parts.h"

namespace pollen {

namespace {

constexpr double kLeastRows = 10, kLeastShare = 0.05;
// A round costs more with a look at its point, so only some are looked at. A server cannot know which.
constexpr unsigned kOneRoundIn = 32;

}  // namespace

// Looks at one of the points of a question, or now and then at one of a round's. Returns whether they may be answered:
// always if the site has given its word that the server is trusted, which is then warned of.
bool Participant::Parts::may_answer_at(ConstPanelView points, bool round, const Send& send) {
  ThinPoints& thin = thin_points;
  if (!thin.watched || personal || points.columns == 0 || points.rows != dimension()) return true;
  if (round && thin.coins() % kOneRoundIn != 0) return true;
  const auto one = static_cast<Index>(thin.coins() % static_cast<std::uint64_t>(points.columns));
  const auto found = client().potential().effective_rows(points.column(one), work.scratch);
  if (!found) return true;
  ++thin.looked;
  const auto rows = static_cast<double>(client().potential().rows());
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
