// Files that are being written. Every failure is an IoError that names the path and the reason. An object must be used
// by one thread at a time.
//
//   ReplacingFile file("summary.json");   // writes to summary.json.tmp
//   file.write(text);
//   file.commit();                        // syncs and renames: readers see the old file or the new one, never half
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "pollen/types.h"

namespace pollen {

// Throws IoError "<path>: cannot <doing>: <strerror(error)>".
[[noreturn]] void io_failure(const std::string& path, const char* doing, int error);

// A buffered file, opened empty (`replace`) or at its end (`append`).
class OutputFile {
 public:
  enum class Open { replace, append };
  OutputFile(std::string path, Open how, std::size_t buffer_bytes = std::size_t{1} << 18);
  // The destructor does not flush: bytes still in the buffer are lost. A flush that fails removes what it had written.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(const void* data, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  void flush();
  void sync();  // flushes, then waits for the disk; does nothing if nothing was written since the last sync
  void close();
  void truncate(std::int64_t bytes);                   // cuts the file to `bytes`; the next write follows there
  void rewrite(const void* data, std::size_t bytes);   // overwrites the first bytes of the file
  std::int64_t position() const { return position_; }  // length of the file, unflushed bytes included
  const std::string& path() const { return path_; }

 private:
  void put(const std::uint8_t* data, std::size_t bytes, std::int64_t at);

  std::string path_;
  int descriptor_ = -1;
  std::size_t room_ = 0;  // of the buffer, which is written before it is read
  std::unique_ptr<std::uint8_t[]> buffer_;
  std::size_t used_ = 0;
  std::int64_t position_ = 0;
  bool unsynced_ = true;  // something may not be on the disk yet
};

// A file that takes the place of an older one only once it is complete.
class ReplacingFile {
 public:
  explicit ReplacingFile(std::string path);
  ~ReplacingFile();  // deletes the temporary file unless commit() was called
  void write(std::string_view text) { file_.write(text); }
  void write(const void* data, std::size_t bytes) { file_.write(data, bytes); }
  void rewrite(const void* data, std::size_t bytes) { file_.rewrite(data, bytes); }  // overwrites its first bytes
  void commit();

 private:
  std::string path_;
  OutputFile file_;
  bool committed_ = false;
};

// Reserves a folder for one process: the folder itself stays locked while this object lives, also under another name.
// It is made if it does not exist, and nothing is left in it.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder, unsigned mode = 0777);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  // False if another process holds the lock. A file system without locks counts as held.
  bool held() const { return held_; }

 private:
  int descriptor_ = -1;
  bool held_ = false;
};

void replace_file(const std::string& path, std::string_view content);
void sync_folder(const std::string& folder);  // makes a rename in the folder survive a power cut

std::string read_text(const std::string& path);  // the whole file; IoError if it cannot be read
std::string temporary_name(const std::string& path);

}  // namespace pollen
