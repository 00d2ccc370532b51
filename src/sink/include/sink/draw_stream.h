// Reads evenly spaced draws from a folder's CSVs, or from one CSV, one at a time from the disk, because the draws of a
// network do not fit into memory.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "pollen/types.h"

namespace pollen::sink {

class DrawStream {
 public:
  // Throws ConfigError if there are no draws, or if chains are of different models.
  explicit DrawStream(const std::string& path);

  Index dimension() const { return dimension_; }
  Index draws() const { return chains() * length_; }
  // Visits the states that DrawSet::thinned returns, in the same order, and returns their number.
  Index thinned(Index most, const std::function<void(std::span<const double>)>& visit) const;

 private:
  Index chains() const { return static_cast<Index>(files_.size()); }

  std::vector<std::string> files_;
  Index dimension_ = 0, length_ = 0;
};

}  // namespace pollen::sink
