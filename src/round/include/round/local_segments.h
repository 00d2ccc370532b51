// When clients that take local steps hear from the server.
#pragma once

#include <cstdint>

#include "pollen/random.h"
#include "pollen/recipe.h"
#include "pollen/round.h"

namespace pollen {

// When segments end (algorithms.md section 6): K or p_c, and q_c for refreshes, whose coins are drawn as geometric
// gaps.
class SegmentSchedule {
 public:
  SegmentSchedule(const LocalSteps& local, std::uint64_t seed);
  // The next segment from `iteration` on, of at most `most` steps.
  LocalSegment next(std::uint64_t iteration, std::uint64_t most) const;
  bool refresh_due(std::uint64_t iteration) const { return refreshes_ && iteration == refresh_; }
  void refreshed();  // the one that was due is under way: its segment has one step, then its control variates act
  void done(const LocalSegment& segment);
  void archive(Archive& archive);

 private:
  std::uint64_t gap(double probability, std::uint32_t which, std::uint64_t count) const;

  LocalSteps local_;
  Stream stream_;
  bool refreshes_;
  std::uint64_t average_ = 0, refresh_ = 0;  // iterations at which the next ones happen
  std::uint64_t averages_ = 0, refreshes_done_ = 0;
  bool under_way_ = false;
};

}  // namespace pollen
