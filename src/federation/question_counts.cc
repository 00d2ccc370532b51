#include "question_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace pollen {

namespace {

constexpr std::size_t kRemembered = std::size_t{1} << 16;  // turns and steps whose contents are remembered

// How many answers are reserved at a time: few of a kind that may come a few times, else up to 1,000.
std::int64_t block_of(std::int64_t most) { return std::clamp<std::int64_t>(most / 64, 1, 1000); }

}  // namespace

ShortDigest shortened(const Digest& digest) {
  ShortDigest half;
  std::memcpy(half.data(), digest.data(), sizeof half);
  return half;
}

bool QuestionCounts::Count::take_forfeited(std::int64_t points) {
  if (forfeited < points) return false;
  forfeited -= points;
  answered += points;
  return true;
}

void QuestionCounts::add(Count& count, std::int64_t most, std::int64_t points) {
  count.answered += points;
  if (count.answered <= count.reserved) return;
  count.reserved = count.answered - 1 + block_of(most);
  must_store_ = true;
}

// A number that is not known and not later than all others was answered by a process that crashed, or never.
Verdict QuestionCounts::Numbered::take(const char* kind, std::uint64_t number, const ShortDigest& content,
                                       Count& count) {
  if (latest.empty() || number > latest.back().first) {
    latest.emplace_back(number, content);
    if (latest.size() > kRemembered) latest.pop_front();
    return {};
  }
  const auto at = std::ranges::lower_bound(latest, number, {}, [](const auto& entry) { return entry.first; });
  if (at->first == number && at->second == content) return {.again = true};
  if (at->first == number)
    return {
        fmt::format("the server sent {} {} again with another content; accepted: the same as before", kind, number)};
  if (count.take_forfeited()) {
    latest.emplace(at, number, content);
    return {.again = true};
  }
  return {fmt::format("the server sent {} {} after {} {}; accepted: later ones, or one that was answered, as it was",
                      kind, number, kind, latest.back().first)};
}

// Returns the refusal of a question that the contract does not allow now.
std::string QuestionCounts::beyond(const Contract& contract, Query::What what, std::int64_t points) {
  const Phase phase = began_ ? Phase::rounds : Phase::set_up;
  const std::int64_t most = contract.most(phase, what);
  if (most > 0)
    return fmt::format(
        "the server asked for more than the contract has: found {} answers of the kind {} in the phase "
        "{}, accepted: at most {}",
        count_of(phase, what).answered + points, name_of(what), name_of(phase), most);
  const Phase other = began_ ? Phase::set_up : Phase::rounds;
  if (contract.most(other, what) > 0)
    return fmt::format(
        "the server asked a question outside its phase: found the kind {} in the phase {}, accepted: in "
        "the phase {}, at most {} ({} answered)",
        name_of(what), name_of(phase), name_of(other), contract.most(other, what), count_of(other, what).answered);
  return fmt::format(
      "the server asked a question that the contract does not have: found the kind {} in the phase {}, "
      "accepted: 0 of it",
      name_of(what), name_of(phase));
}

Verdict QuestionCounts::warm_up_step(const Contract& contract, std::uint64_t step, const ShortDigest& content) {
  const std::int64_t most = contract.most(Phase::set_up, Query::What::descent);
  const bool late = began_ && (warm_up_.latest.empty() || step > warm_up_.latest.back().first);
  if (most == 0 || late) return {beyond(contract, Query::What::descent)};
  if (step >= static_cast<std::uint64_t>(most))
    return {fmt::format("the server asked for step {} of the warm-up (kind {}), accepted: at most {} steps", step + 1,
                        name_of(Query::What::descent), most)};
  Count& count = count_of(Phase::set_up, Query::What::descent);
  Verdict verdict = warm_up_.take("step", step, content, count);
  if (verdict.refusal.empty() && !verdict.again) add(count, most);
  return verdict;
}

Verdict QuestionCounts::question(const Contract& contract, const Question& question, const Digest& content) {
  const ShortDigest half = shortened(content);
  const auto [what, step, points] = question;
  if (what == Query::What::descent) return warm_up_step(contract, step, half);
  // With the first question of an exact kernel set-up is over, as with the first round of other samplers.
  const bool begins = what == Query::What::potential_gradient && contract.most(Phase::rounds, what) >= points;
  if (begins && !std::exchange(began_, true)) must_store_ = true;
  if (known_.contains(half)) return {.again = true};
  const auto room = [&, what = what, points = points](Phase phase) {
    return count_of(phase, what).all() + points <= contract.most(phase, what);
  };
  // A client that takes part in some rounds only is asked about rounds before its own first one.
  if (!began_ && room(Phase::set_up)) {
    known_.insert(half);
    add(count_of(Phase::set_up, what), contract.most(Phase::set_up, what), points);
  } else if ((began_ || contract.partial()) && room(Phase::rounds)) {
    add(count_of(Phase::rounds, what), contract.most(Phase::rounds, what), points);
  } else if (began_ && count_of(Phase::set_up, what).take_forfeited(points)) {
    known_.insert(half);
    return {.again = true};
  } else {
    return {beyond(contract, what, points)};
  }
  return {};
}

Verdict QuestionCounts::turn(const Contract& contract, std::uint64_t turn, const Digest& content) {
  if (turn > static_cast<std::uint64_t>(contract.rounds()))
    return {fmt::format("the server asked for round {}, accepted: at most the contract's {} rounds", turn,
                        contract.rounds())};
  Verdict verdict = turns_.take("round", turn, shortened(content), turn_count_);
  if (!verdict.refusal.empty() || verdict.again) return verdict;
  add(turn_count_, contract.rounds());
  if (!std::exchange(began_, true)) must_store_ = true;  // the questions of set-up are over and must not be forgotten
  return verdict;
}

std::int64_t QuestionCounts::answered() const {
  std::int64_t all = turn_count_.all();
  for (const auto& phase : counts_)
    for (const Count& count : phase) all += count.all();
  return all;
}

void QuestionCounts::settle() {
  turn_count_.reserved = turn_count_.answered;
  for (auto& phase : counts_)
    for (Count& count : phase) count.reserved = count.answered;
}

void QuestionCounts::Numbered::archive(Archive& archive) {
  std::vector<std::uint64_t> flat;
  for (const auto& [number, content] : latest) flat.insert(flat.end(), {number, content[0], content[1]});
  archive.list(flat);
  if (!archive.reading()) return;
  latest.clear();
  for (std::size_t i = 0; i + 2 < flat.size(); i += 3) latest.push_back({flat[i], {flat[i + 1], flat[i + 2]}});
}

void QuestionCounts::Count::archive(Archive& archive) {
  archive.fields(answered, reserved, forfeited);
  if (!archive.reading()) return;
  forfeited += std::max<std::int64_t>(0, reserved - answered);
  reserved = answered;
}

void QuestionCounts::archive(Archive& archive) {
  turn_count_.archive(archive);
  for (auto& phase : counts_)
    for (Count& count : phase) count.archive(archive);
  std::vector<std::uint64_t> known;
  for (const ShortDigest& half : known_) known.insert(known.end(), half.begin(), half.end());
  archive.list(known);
  if (archive.reading()) known_.clear();
  for (std::size_t i = 0; archive.reading() && i + 1 < known.size(); i += 2) known_.insert({known[i], known[i + 1]});
  warm_up_.archive(archive);
  turns_.archive(archive);
  archive.flag(began_);
  must_store_ = false;
}

}  // namespace pollen
