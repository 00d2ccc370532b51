// Evenly spaced draws of a folder's CSVs, or of one CSV, read from the disk one by one: a network has too many weights
// to hold all of them.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "pollen/types.h"

namespace pollen::sink {

class DrawStream {
 public:
  explicit DrawStream(const std::string& path);  // ConfigError where there are no draws, or chains of different models

  Index dimension() const { return dimension_; }
  Index draws() const { return chains() * length_; }
  // The states that DrawSet::thinned has, in its order; returns how many.
  Index thinned(Index most, const std::function<void(std::span<const double>)>& visit) const;

 private:
  Index chains() const { return static_cast<Index>(files_.size()); }

  std::vector<std::string> files_;
  Index dimension_ = 0, length_ = 0;
};

}  // namespace pollen::sink
