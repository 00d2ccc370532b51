// A range of clients by their numbers, for example those of one process or of one block.
#pragma once

#include "pollen/types.h"

namespace pollen {

struct ClientRange {
  Index first = 0, last = 0;  // [first, last)
  Index size() const { return last - first; }
  bool operator==(const ClientRange&) const = default;
};

}  // namespace pollen
