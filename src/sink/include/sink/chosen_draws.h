// Draws that are visited repeatedly, once per block of rows. They are held in memory if they fit, otherwise they are
// read from the disk each time. Const calls are thread-safe.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "sink/draw_stream.h"

namespace pollen::sink {

class ChosenDraws {
 public:
  // Chooses at most `most` of a folder's draws, evenly spaced. Throws ConfigError if there are none.
  ChosenDraws(const std::string& path, Index most, Index held_numbers = kHeld);
  // Takes draws that are in memory already, one column per draw.
  explicit ChosenDraws(Panel states) : count_(states.columns()), held_(std::move(states)) {}

  Index count() const { return count_; }
  Index dimension() const { return held_ ? held_->rows() : stream_->dimension(); }
  // Visits the draws in order, several at a time; `first` is the number of the first of them.
  void visit(const std::function<void(ConstPanelView states, Index first)>& use) const;

 private:
  static constexpr Index kHeld = Index{1} << 26;  // limit of numbers in memory: half a gigabyte
  static constexpr Index kAtOnce = 64;            // draws read at a time

  Index count_ = 0;
  std::optional<DrawStream> stream_;
  std::optional<Panel> held_;
};

}  // namespace pollen::sink
