// A participant and its contract: what was asked, in words that can be compared, and whether it is answered.
#include <fmt/format.h>

#include <bit>

#include "model/coordinates.h"
#include "participant_parts.h"

namespace pollen {

namespace {

void add_panel(Sha256& hash, ConstPanelView panel) {
  hash.add_number(static_cast<std::uint64_t>(panel.rows));
  hash.add_number(static_cast<std::uint64_t>(panel.columns));
  for (Index c = 0; c < panel.columns; ++c) {
    const auto column = panel.column(c);
    hash.add({reinterpret_cast<const std::uint8_t*>(column.data()), column.size_bytes()});
  }
}

void add_double(Sha256& hash, double number) { hash.add_number(std::bit_cast<std::uint64_t>(number)); }

}  // namespace

// Everything on which an answer depends besides the rows. The coordinates in force count, because the same position is
// another one in others.
Digest Participant::Parts::content_of(const wire::Ask& message) const {
  Sha256 hash;
  hash.add_number(message.what);
  hash.add_number(static_cast<std::uint64_t>(message.rows));
  hash.add_number(static_cast<std::uint64_t>(message.columns));
  hash.add_number(message.step);
  add_panel(hash, message.at);
  add_panel(hash, message.direction);
  if (static_cast<Query::What>(message.what) != Query::What::coordinates) hash.add(coordinates_print);
  return hash.end();
}

// The same for a broadcast, after the view has received it: a server may also have changed the view by a catch-up.
Digest Participant::Parts::content_of(const Broadcast& heard, std::span<const double> weights) const {
  const ClientView& view = host->view();
  Sha256 hash;
  hash.add_number(heard.round);
  hash.add_number(heard.segment.first);
  hash.add_number(heard.segment.steps);
  hash.add_number((heard.segment.starts ? 1U : 0U) | (heard.segment.ends ? 2U : 0U));
  for (const double x : {heard.step.size, heard.step.smoothness, heard.step.convexity}) add_double(hash, x);
  for (const ConstPanelView panel : {view.position(), view.expected_position(), view.control(), view.anchor()})
    add_panel(hash, panel);
  for (const std::uint32_t present : heard.present) hash.add_number(present);
  for (const double each : weights) add_double(hash, each);
  hash.add(coordinates_print);
  return hash.end();
}

void Participant::Parts::print_coordinates() {
  coordinates_print = "none";
  const auto& known = host->view().coordinates();
  if (!known) return;
  Archive archive;
  Coordinates copy = *known;
  copy.archive(archive, problem->dimension());
  coordinates_print = hex(sha256(archive.take()));
}

std::int64_t Participant::Parts::points_of(const wire::Ask& message, Query::What what) {
  const bool by_points =
      what == Query::What::value || what == Query::What::gradient || what == Query::What::potential_gradient;
  return by_points ? std::max<std::int64_t>(1, message.at.columns()) : 1;
}

bool Participant::Parts::may_answer(const wire::Ask& message, Query::What what, const Send& send) {
  const QuestionCounts::Question question{what, message.step, points_of(message, what)};
  const Verdict verdict = file.counts().question(contract, question, content_of(message));
  if (file.counts().began() && !verdict.again && verdict.refusal.empty() && coordinates_print != state().coordinates) {
    refuse(send,
           fmt::format("the server asked a question of the kind {} in other coordinates than the run's; accepted: "
                       "in those of the first round",
                       name_of(what)));
    return false;
  }
  return may_answer(verdict, send);
}

bool Participant::Parts::may_answer(const Verdict& verdict, const Send& send) {
  if (!verdict.refusal.empty()) {
    refuse(send, verdict.refusal);
    return false;
  }
  const auto& most = options.policy.max_rounds;
  if (most && !verdict.again && file.counts().answered() > *most) {
    stop(send, fmt::format("it has answered {} rounds and questions, its policy's max_rounds", *most));
    return false;
  }
  if (file.counts().began() && file.rounds_under().empty()) file.begin_rounds();
  if (file.counts().must_store()) file.write_counts();
  return true;
}

}  // namespace pollen
