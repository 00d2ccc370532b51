#include "staging.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "base/file.h"
#include "pollen/errors.h"

namespace pollen::keys {

namespace {

class Descriptor {
 public:
  Descriptor(const std::string& path, int flags, mode_t mode = 0) : number_(::open(path.c_str(), flags, mode)) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }
  bool close() { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

bool write_all(int descriptor, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t done = ::write(descriptor, text.data() + at, text.size() - at);
    if (done < 0 && errno != EINTR) return false;
    if (done > 0) at += static_cast<std::size_t>(done);
  }
  return true;
}

}  // namespace

Staging::Staging(std::string folder) : folder_(std::move(folder)), hidden_(folder_ + "/.making-XXXXXX") {
  made_folder_ = ::mkdir(folder_.c_str(), 0700) == 0;
  if (!made_folder_ && errno != EEXIST) io_failure(folder_, "make the folder", errno);
  if (::mkdtemp(hidden_.data()) != nullptr) return;
  const int error = errno;
  if (made_folder_) ::rmdir(folder_.c_str());
  io_failure(folder_, "write in it", error);
}

Staging::~Staging() {
  for (const std::string& name : names_) ::unlink(hidden_path(name).c_str());
  ::rmdir(hidden_.c_str());
  if (published_) return;
  for (std::size_t i = 0; i < linked_; ++i) ::unlink(final_path(names_[i]).c_str());
  if (made_folder_) ::rmdir(folder_.c_str());
}

void Staging::add(const std::string& name, const std::string& text, mode_t mode) {
  names_.push_back(name);
  Descriptor file(hidden_path(name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
  // The mode is set again because everyone must be able to read certificates, whatever the umask is.
  if (file.number() < 0 || ::fchmod(file.number(), mode) != 0) io_failure(final_path(name), "make it", errno);
  if (!write_all(file.number(), text) || ::fsync(file.number()) != 0 || !file.close())
    io_failure(final_path(name), "write it", errno);
}

void Staging::publish() {
  for (const std::string& name : names_) {
    if (::link(hidden_path(name).c_str(), final_path(name).c_str()) != 0) {
      if (errno == EEXIST) throw ConfigError(final_path(name), kTaken);
      io_failure(final_path(name), "make it", errno);
    }
    ++linked_;
  }
  sync_folder(folder_);
  if (made_folder_) sync_folder(std::filesystem::path(folder_).parent_path().string());
  published_ = true;
}

}  // namespace pollen::keys
