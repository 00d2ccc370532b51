// A participant and its site's ledger: a run is entered before anything about its rows is sent, and what is answered is
// entered in blocks before it is sent, so that rounds need no disk and the ledger never has less than what has left.
#include <fmt/format.h>

#include <algorithm>

#include "participant_parts.h"
#include "study.h"

namespace pollen {

LedgerRun Participant::Parts::ledger_run(const SiteStudy& study, const std::string& name,
                                         const Contract& agreed) const {
  LedgerRun entry{.run = name, .contract = agreed.digest(), .data = print_of_data()};
  if (ledger) entry.rows_by = ledger->rows_by(study.told_apart);
  entry.rows = study.rows;
  return entry;
}

// A run that this client has begun and of which it has said nothing yet may go on with another file.
Leave Participant::Parts::leave() const { return {options.new_run, file.state().entered, file.state().data}; }

// Enters the run, and compares the ledger with this client's state, which knows how often it has entered answers. A
// state that was put back from a backup, or is missing, knows less, and its client would answer the same again.
void Participant::Parts::enter_run(LedgerRun entry, const Leave& leave) {
  if (!ledger) return;
  const std::string name = entry.run, data_file = entry.data;
  raise(options.policy, ledger->begin(options.policy, std::move(entry), leave));
  entered = answered = ledger->counts(name, data_file);
  const std::int64_t there = ledger->entries(name, data_file), here = file.ledger_entries();
  const bool written = there == here || there + 1 == here;  // the state is written before the ledger
  if (!written && !leave.new_run)
    throw ConfigError(
        "--state", fmt::format("found a folder that has entered answers of this run {} times, where {} has {} "
                               "({} questions, {} rounds); accepted: the folder and the ledger as this run left them, "
                               "because an older state answers again what was answered, or --new-run to allow that",
                               here, ledger->folder(), there, entered.questions, entered.rounds));
  file.ledger_entries() = there;
}

// Counts an answer that is about to be sent.
void Participant::Parts::enter_answer(std::int64_t questions, std::int64_t rounds, std::optional<double> epsilon) {
  if (!ledger) return;
  answered.questions += questions;
  answered.rounds += rounds;
  if (epsilon) answered.epsilon = std::max(*epsilon, answered.epsilon.value_or(0));
  if (answered.questions <= entered.questions && answered.rounds <= entered.rounds && !entered.ended) return;
  LedgerCounts block = answered;
  block.ended = false;
  if (block.questions > entered.questions) block.questions += kLedgerBlock - 1;
  if (block.rounds > entered.rounds) block.rounds += kLedgerBlock - 1;
  block.questions = std::max(block.questions, entered.questions);
  block.rounds = std::max(block.rounds, entered.rounds);
  enter(block);
}

void Participant::Parts::enter(const LedgerCounts& counts) {
  const std::int64_t made = file.ledger_entries()++;
  file.write_counts();
  ledger->count(counts, made);
  entered = counts;
}

// Enters what was really answered, in place of the block that was begun.
void Participant::Parts::close_ledger(bool complete) {
  if (!ledger || answered.run.empty()) return;
  LedgerCounts exact = answered;
  exact.ended = exact.ended || complete;
  if (exact == entered) return;
  enter(exact);
  answered = exact;
}

// The ε after the last round of a block that begins now.
std::optional<double> Participant::Parts::epsilon_of_block(const Broadcast& heard) const {
  if (!ledger || !meter || answered.rounds < entered.rounds) return std::nullopt;
  const std::uint64_t steps = std::max<std::uint64_t>(1, heard.segment.steps);
  const auto last = static_cast<std::uint64_t>(config->run.iterations);
  return epsilon_after(std::min(last, heard.segment.first + kLedgerBlock * steps));
}

}  // namespace pollen
