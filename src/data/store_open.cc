// Stores as files: mapped read-only, asked about, checked.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "data/store.h"
#include "pollen/errors.h"
#include "pollen/store.h"

namespace pollen {

namespace data {

namespace {

// A file's bytes as long as this lives. Clean pages: the kernel may drop them and read them again.
class Mapping {
 public:
  explicit Mapping(const std::string& file) {
    const auto fault = [&](const std::string& what) { throw ConfigError(file, what); };
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) fault(fmt::format("cannot be read: {}", std::strerror(errno)));
    struct stat info {};
    const bool known = ::fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0;
    if (known) {
      size_ = static_cast<std::size_t>(info.st_size);
      data_ = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, descriptor, 0);
    }
    const int error = errno;
    ::close(descriptor);
    if (!known) fault("found no regular file, or an empty one, accepted: a store");
    if (data_ == MAP_FAILED) fault(fmt::format("cannot be mapped: {}", std::strerror(error)));
  }
  ~Mapping() {
    if (data_ != MAP_FAILED) ::munmap(data_, size_);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ByteView bytes() const { return {static_cast<const std::uint8_t*>(data_), size_}; }

 private:
  void* data_ = MAP_FAILED;
  std::size_t size_ = 0;
};

StoreHeader header_of(const Mapping& mapping, const std::string& file) {
  const ByteView bytes = mapping.bytes();
  return decode_header(bytes.first(std::min(bytes.size(), kStorePage)), bytes.size(), file);
}

void check(const Section& section, const Mapping& mapping, const std::string& file) {
  if (checksum(mapping.bytes().subspan(section.offset, section.bytes)) != section.crc)
    throw ConfigError(fmt::format("{}: section {}", file, section.name), "the checksum is wrong: the file is damaged");
}

}  // namespace

Federation map_store(const std::string& file, TargetKind target) {
  const auto mapping = std::make_shared<const Mapping>(file);
  return federation_of(mapping->bytes(), mapping, target, file);
}

}  // namespace data

bool is_store(const DataSpec& spec) {
  return spec.sources.size() == 1 && (spec.format == data::kStoreFormat || spec.sources.front().ends_with(".pollen"));
}

StoreFacts store_facts(const std::string& file) {
  const data::Mapping mapping(file);
  const data::StoreHeader header = data::header_of(mapping, file);
  StoreFacts facts{header.target, header.seed, static_cast<Index>(header.clients), 0, 0, 0, 0, {}};
  facts.bytes = static_cast<std::int64_t>(header.file_bytes);
  for (const data::Section& section : header.sections) {
    if (section.name == "train.x") facts.train_rows = static_cast<Index>(section.rows);
    if (section.name == "train.x") facts.columns = static_cast<Index>(section.columns);
    if (section.name == "test.x") facts.test_rows = static_cast<Index>(section.rows);
    if (section.name != "keys") continue;
    data::check(section, mapping, file);
    const ByteView keys = mapping.bytes().subspan(section.offset, section.bytes);
    facts.keys.assign(keys.begin(), keys.end());
  }
  return facts;
}

void check_store(const std::string& file) {
  const auto mapping = std::make_shared<const data::Mapping>(file);
  const data::StoreHeader header = data::header_of(*mapping, file);
  for (const data::Section& section : header.sections) data::check(section, *mapping, file);
  data::federation_of(mapping->bytes(), mapping, header.target, file);
}

}  // namespace pollen
