// The rows on which a run is scored and checked: the test rows if there are any, otherwise training rows. The
// functions are pure.
#pragma once

#include <vector>

#include "pollen/data.h"

namespace pollen::sink {

struct ScoredRows {
  Table rows;
  std::vector<Index> client;  // one per row; -1 for rows of no client
  bool training = false;
  Index in_all = 0;  // rows there are of this kind

  bool any() const { return rows.rows > 0; }
};

// The limits of what is chosen: evenly spaced rows, so many at most, with so many numbers at most (128 MB).
inline constexpr Index kScoredTraining = 10'000, kCheckedRows = 5000, kScoredCells = Index{1} << 24;

// Chooses at most `most` test rows or, if there are none and `training` allows it, training rows that are in this
// process. `most` limits the numbers as well.
ScoredRows scored_rows(const Federation& data, bool training, Index most);

}  // namespace pollen::sink
