#include "round/local_segments.h"

#include <algorithm>
#include <cmath>

#include "math/math.h"
#include "pollen/archive.h"

namespace pollen {

SegmentSchedule::SegmentSchedule(const LocalSteps& local, std::uint64_t seed)
    : local_(local), stream_(make_stream(seed, 0, Purpose::schedule)), refreshes_(local.refresh > 0) {
  average_ = local.communicate > 0 ? gap(local.communicate, 0, 0) : static_cast<std::uint64_t>(local.steps);
  if (refreshes_) refresh_ = gap(local.refresh, 1, 0) - 1;  // minus 1, because a coin is also tossed at iteration 0
}

// Draws 1 + the number of failures before a success, which is ⌊log u / log(1 - p)⌋ with u uniform on (0, 1].
std::uint64_t SegmentSchedule::gap(double probability, std::uint32_t which, std::uint64_t count) const {
  if (probability >= 1) return 1;
  Stream stream = stream_;
  stream.client = which;
  stream.round = count;
  const double skip = math::log(1.0 - Sequence(stream).uniform()) / math::log1p(-probability);
  return 1 + static_cast<std::uint64_t>(std::min(skip, 1e15));
}

LocalSegment SegmentSchedule::next(std::uint64_t iteration, std::uint64_t most) const {
  std::uint64_t end = std::min(average_, iteration + most);
  if (refreshes_) end = std::min(end, under_way_ ? iteration + 1 : refresh_);
  LocalSegment segment;
  segment.first = iteration;
  segment.steps = static_cast<std::uint32_t>(std::min<std::uint64_t>(end - iteration, 1u << 20));
  segment.ends = iteration + segment.steps == average_;
  return segment;
}

void SegmentSchedule::refreshed() {
  under_way_ = true;
  ++refreshes_done_;
  refresh_ += gap(local_.refresh, 1, refreshes_done_);
}

void SegmentSchedule::done(const LocalSegment& segment) {
  under_way_ = false;
  if (!segment.ends) return;
  ++averages_;
  average_ += local_.communicate > 0 ? gap(local_.communicate, 0, averages_) : static_cast<std::uint64_t>(local_.steps);
}

void SegmentSchedule::archive(Archive& archive) {
  for (std::uint64_t* n : {&average_, &refresh_, &averages_, &refreshes_done_}) archive.field(*n);
  archive.field(under_way_);
}

}  // namespace pollen
