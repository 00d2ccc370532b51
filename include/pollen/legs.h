// When clients that take local steps hear from the server.
#pragma once

#include <cstdint>

#include "pollen/random.h"
#include "pollen/recipe.h"

namespace pollen {

class Archive;

// Local steps that clients take without hearing from the server: iterations first .. first + steps - 1.
struct Leg {
  std::uint64_t first = 0;
  std::uint32_t steps = 0;  // 0: the gradient family, which has none
  bool starts = true;       // from the broadcast position; else from where the last leg ended
  bool ends = true;         // with a message; else clients keep where they are
};

// When legs end (algorithms.md section 6): K or p_c, and q_c for refreshes, whose coins are drawn as geometric gaps.
class LegSchedule {
 public:
  LegSchedule(const LocalSteps& local, std::uint64_t seed);
  // The next leg from `iteration` on, of at most `most` steps.
  Leg next(std::uint64_t iteration, std::uint64_t most) const;
  bool refresh_due(std::uint64_t iteration) const { return refreshes_ && iteration == refresh_; }
  void refreshed();  // the one that was due is under way: its leg has one step, then its control variates act
  void done(const Leg& leg);
  void archive(Archive& archive);

 private:
  std::uint64_t gap(double probability, std::uint32_t which, std::uint64_t count) const;

  LocalSteps local_;
  Stream stream_;
  bool refreshes_;
  std::uint64_t average_ = 0, refresh_ = 0;         // iterations at which the next ones happen
  std::uint64_t averages_ = 0, refreshes_done_ = 0;
  bool under_way_ = false;
};

}  // namespace pollen
