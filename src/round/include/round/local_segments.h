// Decides when clients that take local steps hear from the server (docs/algorithms.md section 6).
#pragma once

#include <cstdint>

#include "pollen/random.h"
#include "pollen/recipe.h"
#include "pollen/round.h"

namespace pollen {

// The schedule of segments: an average after every K iterations or with probability p_c, and a refresh of the control
// variates with probability q_c. Coins are drawn as geometric gaps.
class SegmentSchedule {
 public:
  SegmentSchedule(const LocalSteps& local, std::uint64_t seed);
  // Returns the next segment, from `iteration` on, with at most `most` steps.
  LocalSegment next(std::uint64_t iteration, std::uint64_t most) const;
  bool refresh_due(std::uint64_t iteration) const { return refreshes_ && iteration == refresh_; }
  // Notes that the refresh that was due has begun. The next segment has one step, after which the new control variates
  // act.
  void refreshed();
  void done(const LocalSegment& segment);
  void archive(Archive& archive);

 private:
  LocalSteps local_;
  Stream stream_;
  bool refreshes_;
  std::uint64_t average_ = 0, refresh_ = 0;  // the iterations of the next average and the next refresh
  std::uint64_t averages_ = 0, refreshes_done_ = 0;
  bool under_way_ = false;
};

// The same schedule as a client sees it. It follows from the configuration, so a client need not believe the server.
class ScheduledSegments {
 public:
  ScheduledSegments(const LocalSteps& local, std::uint64_t seed);
  // Whether the schedule has this segment: it starts from the broadcast position where an average was just taken, ends
  // with a message where the next one is due, and does not go beyond that. A server may cut it into pieces.
  bool has(const LocalSegment& segment);

 private:
  void go_to(std::uint64_t iteration);

  LocalSteps local_;
  Stream stream_;
  std::uint64_t begin_ = 0, average_ = 0;  // the averages between which a segment lies
  std::uint64_t averages_ = 0;             // how many were taken before `average_`
};

}  // namespace pollen
