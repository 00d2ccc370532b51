// The running mean by which both ends of a code learn how long its numbers are. It is a whole number in units of the
// code, so that both ends hold the same one, and moves only with messages that were counted.
#pragma once

#include <algorithm>

#include "pollen/compress.h"

namespace pollen::compress {

using Wide = unsigned __int128;

struct RunningMean {
  std::uint64_t unit;   // what a mean of 1 is
  std::uint64_t first;  // before the first message
  std::uint64_t least, most;

  std::uint64_t of(const CodeMemory& memory) const {
    return std::clamp(memory.updates == 0 ? first : memory.mean, least, most);
  }

  // The memory after a message of `count` numbers whose magnitudes add up to `sum`. The newest message weighs as much
  // as each earlier one, but at least 1/400.
  CodeMemory after(const CodeMemory& memory, Wide sum, std::uint64_t count) const {
    const std::uint64_t mean = of(memory);
    const auto found = static_cast<std::uint64_t>(sum * unit / count);
    const std::uint64_t slow = std::min(std::uint64_t{400}, memory.updates + 2);
    const std::uint64_t moved =
        found >= mean ? mean + (found - mean + slow / 2) / slow : mean - (mean - found + slow / 2) / slow;
    return {memory.updates + 1, std::clamp(moved, least, most)};
  }
};

}  // namespace pollen::compress
