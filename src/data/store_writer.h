// Writes a store. Tables are built directly in the new file, which is mapped; the other sections follow when the
// federation is complete. Disk space is reserved before it is mapped, so that a full disk is an IoError and not a
// signal. Without finish() no file is left. Not thread-safe.
#pragma once

#include <string>
#include <vector>

#include "store_layout.h"

namespace pollen::data {

class StoreWriter {
 public:
  explicit StoreWriter(const std::string& file);
  ~StoreWriter();
  StoreWriter(const StoreWriter&) = delete;
  StoreWriter& operator=(const StoreWriter&) = delete;

  Numbers zeros(std::size_t count);  // memory for a table
  void finish(const Federation& federation, const Conversion& conversion);

 private:
  struct Region {
    const double* data = nullptr;
    std::uint64_t offset = 0;
  };

  void add(Section section, const void* data);  // fills in offset, bytes and checksum
  void add_table(const std::string& name, const Table& table);
  void add_names(const Federation& federation);
  void write_at(std::uint64_t offset, ByteView bytes);

  std::string file_;
  int descriptor_ = -1;
  std::uint64_t end_ = kStorePage;
  std::vector<Region> regions_;
  StoreHeader header_;
  bool committed_ = false;
};

}  // namespace pollen::data
