// Files being written, with every failure an IoError that names the path and the reason. One thread a file.
//
//   ReplacingFile file("summary.json");   // written as summary.json.tmp
//   file.write(text);
//   file.commit();                        // synced, then renamed: readers see the old file or the new one, never half
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pollen/types.h"

namespace pollen {

// Throws IoError "<path>: cannot <doing>: <strerror(error)>".
[[noreturn]] void io_failure(const std::string& path, const char* doing, int error);

class OutputFile {
 public:
  enum class Open { replace, append };
  OutputFile(std::string path, Open how, std::size_t buffer_bytes = std::size_t{1} << 18);
  ~OutputFile();  // what was not flushed is lost; a flush that fails leaves nothing of what it was to write
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(const void* data, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  void flush();
  void sync();  // flush, then wait for the disk; nothing where nothing was written since
  void close();
  void truncate(std::int64_t bytes);                   // the next write follows there
  void rewrite(const void* data, std::size_t bytes);   // what the file begins with
  std::int64_t position() const { return position_; }  // bytes of the file, unflushed ones included
  const std::string& path() const { return path_; }

 private:
  void put(const std::uint8_t* data, std::size_t bytes, std::int64_t at);

  std::string path_;
  int descriptor_ = -1;
  std::vector<std::uint8_t> buffer_;
  std::size_t used_ = 0;
  std::int64_t position_ = 0;
  bool unsynced_ = true;  // something may not be on the disk yet
};

class ReplacingFile {
 public:
  explicit ReplacingFile(std::string path);
  ~ReplacingFile();  // without commit() nothing is left
  void write(std::string_view text) { file_.write(text); }
  void write(const void* data, std::size_t bytes) { file_.write(data, bytes); }
  void rewrite(const void* data, std::size_t bytes) { file_.rewrite(data, bytes); }  // what it begins with
  void commit();

 private:
  std::string path_;
  OutputFile file_;
  bool committed_ = false;
};

// A folder, made where there is none, for one process at a time: FOLDER/lock is locked while this lives.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder, unsigned mode = 0777);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  bool held() const { return held_; }  // false: another process has it

 private:
  int descriptor_ = -1;
  bool held_ = false;
};

void replace_file(const std::string& path, std::string_view content);
void sync_folder(const std::string& folder);  // so that a rename survives a power cut

std::string read_text(const std::string& path);  // IoError where it cannot be read
std::string temporary_name(const std::string& path);

}  // namespace pollen
