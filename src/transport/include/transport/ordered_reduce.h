// Results that a team of threads makes in any order and that are used in a fixed order: sums over clients, block by
// block.
//
// A row is a block, a place is one client of it. The team goes through all rows at once, one place of each at a time,
// so that members mostly work for different rows. Whoever brings the result that a row has been waiting for uses it,
// and then the results behind it that came too early; nobody waits. A result is therefore mostly used by the member
// that made it, while it is in the cache, and there are few more results in memory than members.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "base/team.h"

namespace pollen {

struct PlaceRow {
  std::size_t first = 0, last = 0;  // places
  std::size_t size() const { return last - first; }
};

template <class Result>
class OrderedReduce {
 public:
  // Calls make(place, result, member) for every place, and take(place, result, member) in the order of the places of
  // each row. Rows do not overlap.
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
    std::vector<Result*> waiting;  // by place
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
    free_.clear();  // an error may have left results with rows: all are free again
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
  std::vector<Result*> free_;  // the one that was used last is taken first
};

}  // namespace pollen
