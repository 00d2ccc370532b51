// An OrderedReduce lets a team of threads make results in any order and uses them in a fixed order. It serves sums over
// clients, block by block.
//
// A row is a block, and a place is one client of it. The team goes through all rows at once, one place of each at a
// time, so that members mostly work for different rows. The member that brings the result that a row has been waiting
// for uses it, and then the results behind it that came too early; nobody waits. A result is therefore mostly used by
// the member that made it, while it is in the cache, and there are only a few more results in memory than members.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "pollen/types.h"

namespace pollen {

struct PlaceRow {
  std::size_t first = 0, last = 0;  // the places [first, last)
  std::size_t size() const { return last - first; }
};

template <class Result>
class OrderedReduce {
 public:
  // Calls make(place, result, member) for every place, in any order, and take(place, result, member) in the order of
  // the places of each row. Rows must not overlap.
  template <class Make, class Take>
  void run(const Team& team, std::span<const PlaceRow> rows, const Make& make, const Take& take) {
    lay_out(rows);
    team.run(static_cast<Index>(steps_.size()), [&](Index step, int member) {
      const auto [row, place] = steps_[static_cast<std::size_t>(step)];
      Result* result = borrow();
      make(place, *result, member);
      hand_in(row, place, result, [&](std::size_t next, Result& of_next) { take(next, of_next, member); });
    });
  }

 private:
  struct Step {
    std::size_t row, place;
  };
  struct Row {
    std::size_t next = 0;
    bool busy = false;  // a member is using results
    std::size_t first = 0;
    std::vector<Result*> waiting;  // one per place; null until the result is there
  };

  void lay_out(std::span<const PlaceRow> rows) {
    std::size_t longest = 0;
    rows_.resize(rows.size());
    for (std::size_t r = 0; r < rows.size(); ++r) {
      rows_[r].first = rows_[r].next = rows[r].first;
      rows_[r].busy = false;
      rows_[r].waiting.assign(rows[r].size(), nullptr);
      longest = std::max(longest, rows[r].size());
    }
    steps_.clear();
    for (std::size_t n = 0; n < longest; ++n)
      for (std::size_t r = 0; r < rows.size(); ++r)
        if (n < rows[r].size()) steps_.push_back({r, rows[r].first + n});
    free_.clear();  // an error in the last run may have left results in use; all are free now
    for (const auto& result : results_) free_.push_back(result.get());
  }

  Result* borrow() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) {
      results_.push_back(std::make_unique<Result>());
      free_.push_back(results_.back().get());
    }
    Result* result = free_.back();
    free_.pop_back();
    return result;
  }

  template <class Take>
  void hand_in(std::size_t at, std::size_t place, Result* result, const Take& take) {
    std::unique_lock lock(mutex_);
    Row& row = rows_[at];
    row.waiting[place - row.first] = result;
    if (std::exchange(row.busy, true)) return;
    while (row.next - row.first < row.waiting.size() && row.waiting[row.next - row.first] != nullptr) {
      Result* const next = row.waiting[row.next - row.first];
      lock.unlock();
      take(row.next, *next);
      lock.lock();
      free_.push_back(next);
      ++row.next;
    }
    row.busy = false;
  }

  std::mutex mutex_;
  std::vector<Row> rows_;
  std::vector<Step> steps_;
  std::vector<std::unique_ptr<Result>> results_;
  std::vector<Result*> free_;  // the one that was used last is taken first, because it is in the cache
};

}  // namespace pollen
