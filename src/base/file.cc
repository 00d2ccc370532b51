#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "pollen/errors.h"

namespace pollen {

void io_failure(const std::string& path, const char* doing, int error) {
  throw IoError(fmt::format("{}: cannot {}: {}", path, doing, std::strerror(error)));
}

OutputFile::OutputFile(std::string path, Open how, std::size_t buffer_bytes)
    : path_(std::move(path)), room_(buffer_bytes), buffer_(std::make_unique_for_overwrite<std::uint8_t[]>(room_)) {
  const int mode = how == Open::replace ? O_TRUNC : 0;
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | mode, 0666);
  if (descriptor_ < 0) io_failure(path_, "open for writing", errno);
  position_ = static_cast<std::int64_t>(::lseek(descriptor_, 0, SEEK_END));
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void OutputFile::put(const std::uint8_t* data, std::size_t bytes, std::int64_t at) {
  while (bytes > 0) {
    const ssize_t done = ::write(descriptor_, data, bytes);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) {
      const int error = errno;
      // Cut off what was written of this block, so that the file does not end in half a line.
      if (::ftruncate(descriptor_, at) == 0) position_ = ::lseek(descriptor_, at, SEEK_SET);
      io_failure(path_, "write", error);
    }
    data += done;
    bytes -= static_cast<std::size_t>(done);
  }
}

void OutputFile::write(const void* data, std::size_t bytes) {
  unsynced_ = true;
  const auto* from = static_cast<const std::uint8_t*>(data);
  if (used_ + bytes > room_) flush();
  if (bytes >= room_) {
    put(from, bytes, position_);
  } else if (bytes > 0) {
    std::memcpy(buffer_.get() + used_, from, bytes);
    used_ += bytes;
  }
  position_ += static_cast<std::int64_t>(bytes);
}

void OutputFile::flush() {
  const std::size_t bytes = std::exchange(used_, 0);
  put(buffer_.get(), bytes, position_ - static_cast<std::int64_t>(bytes));
}

void OutputFile::sync() {
  if (!unsynced_) return;
  flush();
  // EINVAL means that the descriptor is a pipe or a device, which has no disk to wait for.
  if (::fdatasync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) io_failure(path_, "write", errno);
  unsynced_ = false;
}

void OutputFile::close() {
  flush();
  if (::close(std::exchange(descriptor_, -1)) != 0) io_failure(path_, "close", errno);
}

void OutputFile::truncate(std::int64_t bytes) {
  flush();
  unsynced_ = true;
  if (::ftruncate(descriptor_, bytes) != 0) io_failure(path_, "cut", errno);
  if (::lseek(descriptor_, bytes, SEEK_SET) < 0) io_failure(path_, "seek", errno);
  position_ = bytes;
}

void OutputFile::rewrite(const void* data, std::size_t bytes) {
  flush();
  unsynced_ = true;
  const ssize_t done = ::pwrite(descriptor_, data, bytes, 0);
  if (done != static_cast<ssize_t>(bytes)) io_failure(path_, "write", done < 0 ? errno : ENOSPC);
}

std::string temporary_name(const std::string& path) { return path + ".tmp"; }

ReplacingFile::ReplacingFile(std::string path)
    : path_(std::move(path)), file_(temporary_name(path_), OutputFile::Open::replace) {}

ReplacingFile::~ReplacingFile() {
  if (!committed_) ::unlink(temporary_name(path_).c_str());
}

void ReplacingFile::commit() {
  file_.sync();
  file_.close();
  if (std::rename(temporary_name(path_).c_str(), path_.c_str()) != 0) io_failure(path_, "replace", errno);
  committed_ = true;
  sync_folder(std::filesystem::path(path_).parent_path().string());
}

FolderLock::FolderLock(const std::string& folder, unsigned mode) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(folder).parent_path(), error);
  if (::mkdir(folder.c_str(), mode) != 0 && errno != EEXIST) io_failure(folder, "make the folder", errno);
  descriptor_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor_ < 0) io_failure(folder, "open", errno);
  held_ = ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

FolderLock::~FolderLock() { ::close(descriptor_); }

void replace_file(const std::string& path, std::string_view content) {
  ReplacingFile file(path);
  file.write(content);
  file.commit();
}

void sync_folder(const std::string& folder) {
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;  // a folder that may be written but not read cannot be synced
  ::fsync(descriptor);
  ::close(descriptor);
}

std::string read_text(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rbe");
  if (file == nullptr) io_failure(path, "open", errno);
  std::string text;
  char part[65536];
  for (std::size_t n = 0; (n = std::fread(part, 1, sizeof part, file)) > 0;) text.append(part, n);
  const int error = std::ferror(file) != 0 ? errno : 0;
  std::fclose(file);
  if (error != 0) io_failure(path, "read", error);
  return text;
}

}  // namespace pollen
