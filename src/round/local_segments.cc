#include "round/local_segments.h"

#include <algorithm>
#include <cmath>

#include "math/math.h"
#include "pollen/archive.h"

namespace pollen {

namespace {

// Draws 1 + the number of failures before a success, which is ⌊log u / log(1 - p)⌋ with u uniform on (0, 1].
std::uint64_t gap(Stream stream, double probability, std::uint32_t which, std::uint64_t count) {
  if (probability >= 1) return 1;
  stream.client = which;
  stream.round = count;
  const double skip = math::log(1.0 - Sequence(stream).uniform()) / math::log1p(-probability);
  return 1 + static_cast<std::uint64_t>(std::min(skip, 1e15));
}

// The iterations between two averages.
std::uint64_t between_averages(const LocalSteps& local, const Stream& stream, std::uint64_t averages) {
  return local.communicate > 0 ? gap(stream, local.communicate, 0, averages) : static_cast<std::uint64_t>(local.steps);
}

}  // namespace

SegmentSchedule::SegmentSchedule(const LocalSteps& local, std::uint64_t seed)
    : local_(local), stream_(make_stream(seed, 0, Purpose::schedule)), refreshes_(local.refresh > 0) {
  average_ = between_averages(local, stream_, 0);
  if (refreshes_) refresh_ = gap(stream_, local.refresh, 1, 0) - 1;  // minus 1: a coin is also tossed at iteration 0
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
  refresh_ += gap(stream_, local_.refresh, 1, refreshes_done_);
}

void SegmentSchedule::done(const LocalSegment& segment) {
  under_way_ = false;
  if (!segment.ends) return;
  ++averages_;
  average_ += between_averages(local_, stream_, averages_);
}

void SegmentSchedule::archive(Archive& archive) {
  for (std::uint64_t* n : {&average_, &refresh_, &averages_, &refreshes_done_}) archive.field(*n);
  archive.field(under_way_);
}

ScheduledSegments::ScheduledSegments(const LocalSteps& local, std::uint64_t seed)
    : local_(local), stream_(make_stream(seed, 0, Purpose::schedule)), average_(between_averages(local, stream_, 0)) {}

// Gaps that were drawn must be added up; equal ones need not be.
void ScheduledSegments::go_to(std::uint64_t iteration) {
  const auto steps = static_cast<std::uint64_t>(local_.steps);
  if (local_.communicate <= 0) {
    begin_ = iteration / steps * steps;
    average_ = begin_ + steps;
    return;
  }
  if (iteration < begin_) {
    begin_ = averages_ = 0;
    average_ = between_averages(local_, stream_, 0);
  }
  while (average_ <= iteration) {
    begin_ = average_;
    average_ += between_averages(local_, stream_, ++averages_);
  }
}

bool ScheduledSegments::has(const LocalSegment& segment) {
  go_to(segment.first);
  const std::uint64_t end = segment.first + segment.steps;
  return segment.starts == (segment.first == begin_) && segment.ends == (end == average_) && end <= average_;
}

}  // namespace pollen
