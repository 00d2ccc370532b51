// Draws that are gone through again and again, for one block of rows after another: held where they are few enough,
// else read from the disk each time.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "sink/draw_stream.h"

namespace pollen::sink {

class ChosenDraws {
 public:
  // At most `most` of a folder's draws, evenly spaced. ConfigError where there are none.
  ChosenDraws(const std::string& path, Index most, Index held_numbers = kHeld);
  explicit ChosenDraws(Panel states) : count_(states.columns()), held_(std::move(states)) {}  // a column a draw

  Index count() const { return count_; }
  Index dimension() const { return held_ ? held_->rows() : stream_->dimension(); }
  // In their order, some at a time; `first` is the number of the first of them.
  void visit(const std::function<void(ConstPanelView states, Index first)>& use) const;

 private:
  static constexpr Index kHeld = Index{1} << 26;  // numbers: half a gigabyte
  static constexpr Index kAtOnce = 64;            // of those that are read

  Index count_ = 0;
  std::optional<DrawStream> stream_;
  std::optional<Panel> held_;
};

}  // namespace pollen::sink
