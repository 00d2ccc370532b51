// A range of clients by their numbers: what one process or one block has.
#pragma once

#include "pollen/types.h"

namespace pollen {

struct ClientRange {
  Index first = 0, last = 0;  // [first, last)
  Index size() const { return last - first; }
  bool operator==(const ClientRange&) const = default;
};

}  // namespace pollen
