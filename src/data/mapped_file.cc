#include "mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "pollen/errors.h"

namespace pollen::data {

MappedFile::MappedFile(const std::string& file) {
  const auto fault = [&](const std::string& what) { throw ConfigError(file, what); };
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) fault(fmt::format("cannot be read: {}", std::strerror(errno)));
  struct stat info {};
  const bool known = ::fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0;
  void* data = MAP_FAILED;
  if (known) data = ::mmap(nullptr, static_cast<std::size_t>(info.st_size), PROT_READ, MAP_SHARED, descriptor, 0);
  const int error = errno;
  ::close(descriptor);
  if (!known) fault("found no regular file, or an empty one, accepted: a file");
  if (data == MAP_FAILED) fault(fmt::format("cannot be mapped: {}", std::strerror(error)));
  data_ = data;
  size_ = static_cast<std::size_t>(info.st_size);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

}  // namespace pollen::data
