// Where the numbers of tables lie while they are made: on the heap, or in the file that they are for.
#pragma once

#include <cstddef>

#include "pollen/data.h"

namespace pollen::data {

class TableMemory {
 public:
  virtual ~TableMemory() = default;
  virtual Numbers zeros(std::size_t count) = 0;  // writable
};

class HeapMemory final : public TableMemory {
 public:
  Numbers zeros(std::size_t count) override { return Numbers(count); }
};

}  // namespace pollen::data
