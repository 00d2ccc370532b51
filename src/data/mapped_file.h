// Maps a regular file read-only for as long as the object lives. The kernel may drop the pages and read them again, so
// they do not count as used memory.
#pragma once

#include <string>

#include "pollen/types.h"

namespace pollen::data {

class MappedFile {
 public:
  explicit MappedFile(const std::string& file);  // throws ConfigError if the file is empty or cannot be mapped
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ByteView bytes() const { return {static_cast<const std::uint8_t*>(data_), size_}; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace pollen::data
