// A regular file's bytes, mapped read-only as long as this lives. Clean pages: the kernel may drop them and read them
// again.
#pragma once

#include <string>

#include "pollen/types.h"

namespace pollen::data {

class MappedFile {
 public:
  explicit MappedFile(const std::string& file);  // ConfigError where it cannot be, or is empty
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ByteView bytes() const { return {static_cast<const std::uint8_t*>(data_), size_}; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace pollen::data
