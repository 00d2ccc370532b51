// Reads files into memory, or maps them. Only regular files are accepted; gzip is recognised by its first bytes.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "pollen/errors.h"
#include "readers.h"

namespace pollen::data {

namespace {

constexpr std::size_t kMostDeflated = 1032;  // deflate's highest compression ratio

bool is_gzip(std::string_view bytes) {
  return bytes.size() >= 2 && static_cast<unsigned char>(bytes[0]) == 0x1f &&
         static_cast<unsigned char>(bytes[1]) == 0x8b;
}

// Guesses the inflated size from the trailer of the last gzip member, limited to what that many compressed bytes can
// hold.
std::size_t size_hint(std::string_view bytes, std::size_t most) {
  if (bytes.size() < 18) return 64;
  std::size_t claimed = 0;
  for (std::size_t i = 0; i < 4; ++i)
    claimed |= static_cast<std::size_t>(static_cast<unsigned char>(bytes[bytes.size() - 4 + i])) << (8 * i);
  return std::min({std::max<std::size_t>(claimed, 64), most, kMostDeflated * bytes.size()}) + 1;
}

// Inflates one gzip member after another into `out`.
class Inflater {
 public:
  Inflater(std::string_view bytes, const std::string& file, std::size_t most) : file_(file), most_(most), in_(bytes) {
    if (inflateInit2(&stream_, 16 + MAX_WBITS) != Z_OK) throw IoError(file + ": zlib cannot start");
    out_.resize(size_hint(bytes, most));
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  std::string run() {
    for (;;) {
      const int status = step();
      if (made_ > most_)
        fail(fmt::format("found more than {} bytes when decompressed, accepted: at most so many", most_));
      if (status == Z_STREAM_END) {
        if (!next_member()) break;
      } else if (status == Z_BUF_ERROR && used_ == in_.size()) {
        fail("found gzip data that end too early, accepted: a whole gzip file");
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        fail("found gzip data that are corrupt, accepted: a whole gzip file");
      } else if (made_ == out_.size()) {
        out_.resize(std::min(2 * out_.size(), most_ + 1));
      }
    }
    out_.resize(made_);
    return std::move(out_);
  }

 private:
  int step() {
    constexpr std::size_t kChunk = std::size_t{1} << 30;
    const std::size_t give = std::min(kChunk, in_.size() - used_);
    const std::size_t room = std::min(kChunk, out_.size() - made_);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in_.data() + used_));
    stream_.avail_in = static_cast<uInt>(give);
    stream_.next_out = reinterpret_cast<Bytef*>(out_.data() + made_);
    stream_.avail_out = static_cast<uInt>(room);
    const int status = inflate(&stream_, Z_NO_FLUSH);
    used_ += give - stream_.avail_in;
    made_ += room - stream_.avail_out;
    return status;
  }

  bool next_member() {
    const std::string_view rest = in_.substr(used_);
    // The end of the file, or zeros that pad it.
    if (rest.find_first_not_of('\0') == std::string_view::npos) return false;
    if (!is_gzip(rest)) fail("found other bytes after the gzip data, accepted: gzip data alone");
    inflateReset(&stream_);
    return true;
  }

  [[noreturn]] void fail(const std::string& why) const { throw ConfigError(file_, why); }

  const std::string& file_;
  std::size_t most_;
  std::string_view in_;
  std::size_t used_ = 0;
  std::string out_;
  std::size_t made_ = 0;
  z_stream stream_{};
};

}  // namespace

std::string gunzip(std::string bytes, const std::string& file, std::size_t most) {
  if (!is_gzip(bytes)) return bytes;
  return Inflater(bytes, file, most).run();
}

FileText::FileText(const std::string& path, std::size_t most) {
  constexpr std::uintmax_t kMapped = std::uintmax_t{1} << 26;
  std::error_code unknown;
  const std::uintmax_t size = std::filesystem::file_size(path, unknown);
  if (!unknown && size > kMapped && size <= most) mapped_.emplace(path);
  if (mapped_) {
    const ByteView bytes = mapped_->bytes();
    text_ = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    if (!is_gzip(text_)) return;
  }
  text_ = own_ = read_file(path);
}

std::string read_file(const std::string& path) {
  const auto fault = [&](const std::string& what) { throw ConfigError(path, what); };
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) fault(fmt::format("cannot be read: {}", std::strerror(errno)));
  if (S_ISDIR(info.st_mode)) fault("found a directory, accepted: a file");
  if (!S_ISREG(info.st_mode)) fault("found no regular file, accepted: a regular file");
  if (info.st_size > static_cast<off_t>(kMostBytes))
    fault(fmt::format("found {} bytes, accepted: at most {}", info.st_size, kMostBytes));
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"), std::fclose);
  if (!file) fault(fmt::format("cannot be read: {}", std::strerror(errno)));
  std::string bytes(static_cast<std::size_t>(std::max<off_t>(info.st_size, 0)), '\0');
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file.get()));
  if (std::ferror(file.get()) != 0) fault(fmt::format("cannot be read: {}", std::strerror(errno)));
  if (bytes.empty()) fault("found an empty file, accepted: a file with rows");
  bytes = gunzip(std::move(bytes), path);
  if (bytes.empty()) fault("found an empty file, accepted: a file with rows");
  return bytes;
}

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
  if (!known) fault("found no regular file, or an empty one, accepted: a regular file with bytes");
  if (data == MAP_FAILED) fault(fmt::format("cannot be mapped: {}", std::strerror(error)));
  data_ = data;
  size_ = static_cast<std::size_t>(info.st_size);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

}  // namespace pollen::data
