// Provides the memory in which tables are built: the heap, or the file of a new store.
#pragma once

#include <cstddef>

#include "pollen/data.h"

namespace pollen::data {

class TableMemory {
 public:
  virtual ~TableMemory() = default;
  virtual Numbers zeros(std::size_t count) = 0;  // returns writable memory
};

class HeapMemory final : public TableMemory {
 public:
  Numbers zeros(std::size_t count) override { return Numbers(count); }
};

}  // namespace pollen::data
