#include "spill.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "pollen/errors.h"

namespace pollen::data {

namespace {

thread_local const std::string* current = nullptr;

// Opens a file without a name, which disappears with its last mapping.
int unnamed_file(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor >= 0) return descriptor;
  std::string name = folder + "/.pollen-convert-XXXXXX";  // for file systems that do not support unnamed files
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

}  // namespace

SpillFolder::SpillFolder(std::string folder) : folder_(folder.empty() ? "." : std::move(folder)) { current = &folder_; }
SpillFolder::~SpillFolder() { current = nullptr; }

void* take_long(std::size_t bytes) {
  void* data = MAP_FAILED;
  if (current == nullptr) {
    data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  } else {
    const int descriptor = unnamed_file(*current);
    const int error = descriptor < 0 ? errno : ::posix_fallocate(descriptor, 0, static_cast<off_t>(bytes));
    if (error == 0) data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (descriptor >= 0) ::close(descriptor);
    if (error != 0)
      throw IoError(
          fmt::format("{}: no room for {} bytes while converting: {}", *current, bytes, std::strerror(error)));
  }
  if (data == MAP_FAILED) throw std::bad_alloc();
  return data;
}

void give_long(void* data, std::size_t bytes) { ::munmap(data, bytes); }

}  // namespace pollen::data
