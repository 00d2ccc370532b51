// Counts what a client has answered under its contract, and refuses what goes beyond. It remembers the contents of the
// questions of set-up and of the rounds by digests, so that the same one may be asked again, by a server that was
// started again, and another one in its place may not.
//
// Counts outlive the process: they are reserved in blocks, so that hardly any answer waits for the disk. What a crash
// leaves of a block counts as answered, and serves for what a server may ask again of what was forgotten. Not
// thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <utility>

#include "federation/contract.h"
#include "pollen/archive.h"

namespace pollen {

using ShortDigest = std::array<std::uint64_t, 2>;  // half of a SHA-256
ShortDigest shortened(const Digest& digest);

// Whether and how something is answered.
struct Verdict {
  std::string refusal = {};  // why it is not answered; empty if it is
  bool again = false;        // the same content was answered before
};

class QuestionCounts {
 public:
  // Judges a question, and counts it if it is answered and was not before. `content` covers everything on which the
  // answer depends; `step` is the number of a step of the warm-up. A question at several points counts as many.
  struct Question {
    Query::What what;
    std::uint64_t step = 0;
    std::int64_t points = 1;
  };
  Verdict question(const Contract& contract, const Question& question, const Digest& content);
  // Judges a message of the rounds that would be this client's turn `turn`, from 1 on. Turns only advance.
  Verdict turn(const Contract& contract, std::uint64_t turn, const Digest& content);

  bool began() const { return began_; }            // whether there was a turn
  std::int64_t answered() const;                   // questions and turns, those of lost blocks included
  bool must_store() const { return must_store_; }  // whether the counts must be on the disk before the answer leaves
  void settle();                                   // gives back what is reserved and not used; to be stored afterwards
  // Saves what is reserved, or loads it as answered.
  void archive(Archive& archive);

 private:
  struct Count {
    std::int64_t answered = 0;   // in full knowledge
    std::int64_t reserved = 0;   // on the disk
    std::int64_t forfeited = 0;  // left of the blocks of processes that crashed
    std::int64_t all() const { return answered + forfeited; }
    bool take_forfeited(std::int64_t points = 1);
    void archive(Archive& archive);
  };
  // What has a number, a turn or a step: the contents of the latest, by rising numbers.
  struct Numbered {
    std::deque<std::pair<std::uint64_t, ShortDigest>> latest;
    Verdict take(const char* kind, std::uint64_t number, const ShortDigest& content, Count& count);
    void archive(Archive& archive);
  };
  void add(Count& count, std::int64_t most, std::int64_t points = 1);
  Count& count_of(Phase phase, Query::What what) {
    return counts_[static_cast<std::size_t>(phase)][static_cast<std::size_t>(what)];
  }
  Verdict warm_up_step(const Contract& contract, std::uint64_t step, const ShortDigest& content);
  std::string beyond(const Contract& contract, Query::What what, std::int64_t points = 1);

  std::array<std::array<Count, kKinds>, kPhases> counts_ = {};
  Count turn_count_;
  std::set<ShortDigest> known_;  // the questions of set-up, except steps of a warm-up
  Numbered warm_up_, turns_;
  bool began_ = false, must_store_ = false;
};

}  // namespace pollen
