// A file that keeps the latest of many states, for a process that must have each one on the disk before it goes on. A
// state costs one write into room that the file has already, and one sync of the disk. Replacing a file costs several,
// because a new file and its name must be on the disk, too; that is done only when the room is used up. One thread per
// object.
//
//   Journal journal(path, kSeal);
//   journal.write(bytes);                           // durable when it returns
//   const Bytes latest = read_journal(path, kSeal);
//
// Layout, little-endian: the seal (12 bytes), 4 zeros, and then records, followed by zeros up to the end of the file. A
// record: uint64 number, uint32 length of the state, uint32 CRC-32 of these two and of the state, the state, and zeros
// up to a multiple of 8. Numbers increase by one. A last record that is not whole was being written when its process
// was killed, which had not relied on it yet; the record before it is the latest state then.
#pragma once

#include <cstdint>
#include <string>

#include "base/sealed_file.h"
#include "pollen/types.h"

namespace pollen {

class Journal {
 public:
  // Nothing happens to the file before the first write, which replaces it.
  Journal(std::string path, const Seal& seal, Readers readers = Readers::everybody);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  void write(ByteView state);
  const std::string& path() const { return path_; }

 private:
  void begin_file(ByteView record);
  void close();

  std::string path_;
  Seal seal_;
  Readers readers_;
  int descriptor_ = -1;
  std::uint64_t number_ = 0;
  std::size_t at_ = 0, room_ = 0;  // where the next record goes, and the length of the file
  Bytes record_;
};

// Returns the latest state. Throws ConfigError if the file is damaged or of another kind, IoError if it cannot be read.
Bytes read_journal(const std::string& path, const Seal& seal);

}  // namespace pollen
