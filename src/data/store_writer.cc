#include "store_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "base/file.h"
#include "pollen/errors.h"

namespace pollen::data {

namespace {

std::uint64_t aligned(std::uint64_t at, std::uint64_t to) { return (at + to - 1) / to * to; }

// Describes a section whose place and checksum are not known yet.
Section section_of(const std::string& name, Cells cells, std::size_t rows, std::size_t columns = 1,
                   std::size_t stride = 1) {
  return {name, cells, 0, 0, (cells == Cells::bytes ? 1 : 8) * rows * stride, rows, columns, stride};
}

// Refuses to replace a file that is not a store.
void check_free(const std::string& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return;
  char letters[Seal::kLetters] = {};
  if (std::FILE* old = std::fopen(file.c_str(), "rbe"); old != nullptr) {
    const std::size_t got = std::fread(letters, 1, sizeof letters, old);
    std::fclose(old);
    if (std::string_view(letters, got) == kStoreSeal.letters) return;
  }
  throw ConfigError(file, "found a file that is not a store, accepted: a new name, or a store to replace");
}

// Takes the lock of the file. Returns false if another conversion holds it, or held it and has renamed the file since.
bool locked(int descriptor, const std::string& name) {
  struct stat ours {
  }, theirs{};
  return ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && ::fstat(descriptor, &ours) == 0 &&
         ::stat(name.c_str(), &theirs) == 0 && ours.st_ino == theirs.st_ino && ours.st_dev == theirs.st_dev;
}

}  // namespace

StoreWriter::StoreWriter(const std::string& file) : file_(file) {
  check_free(file);
  const std::string name = temporary_name(file);
  descriptor_ = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) io_failure(name, "open for writing", errno);
  if (!locked(descriptor_, name)) {
    ::close(descriptor_);
    throw IoError(name + ": another conversion is writing it");
  }
  // Discards what a killed conversion left.
  if (::ftruncate(descriptor_, 0) != 0) io_failure(name, "cut", errno);
}

StoreWriter::~StoreWriter() {
  if (!committed_) ::unlink(temporary_name(file_).c_str());
  ::close(descriptor_);
}

Numbers StoreWriter::zeros(std::size_t count) {
  if (count == 0) return {};
  const std::size_t bytes = count * sizeof(double);
  const std::uint64_t offset = aligned(end_, kStorePage);  // mmap needs this alignment
  if (const int error = ::posix_fallocate(descriptor_, static_cast<off_t>(offset), static_cast<off_t>(bytes)))
    throw IoError(fmt::format("{}: no room for {} bytes more: {}", temporary_name(file_), bytes, std::strerror(error)));
  void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, static_cast<off_t>(offset));
  if (data == MAP_FAILED) io_failure(temporary_name(file_), "map", errno);
  const std::shared_ptr<void> keeper(data, [bytes](void* p) { ::munmap(p, bytes); });
  end_ = offset + bytes;
  regions_.push_back({static_cast<double*>(data), offset});
  return Numbers(static_cast<double*>(data), count, keeper);
}

void StoreWriter::write_at(std::uint64_t offset, ByteView bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) io_failure(temporary_name(file_), "write", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    offset += static_cast<std::uint64_t>(done);
  }
}

void StoreWriter::add(Section section, const void* data) {
  const ByteView bytes(static_cast<const std::uint8_t*>(data), section.bytes);
  const auto region = std::ranges::find(regions_, static_cast<const double*>(data), &Region::data);
  const bool there = region != regions_.end() && !bytes.empty();
  if (!there) end_ = aligned(end_, 64);
  section.offset = there ? region->offset : end_;
  if (!there) {
    write_at(section.offset, bytes);
    end_ += bytes.size();
  }
  section.crc = checksum(bytes);
  header_.sections.push_back(std::move(section));
}

void StoreWriter::add_table(const std::string& name, const Table& table) {
  const auto size = [](Index n) { return static_cast<std::size_t>(n); };
  add(section_of(name + ".x", Cells::float64, size(table.rows), size(table.columns), size(table.stride)),
      table.x.data());
  add(section_of(name + ".y", Cells::float64, table.y.size()), table.y.data());
}

void StoreWriter::add_names(const Federation& federation) {
  Federation words;
  words.feature_names = federation.feature_names;
  words.class_names = federation.class_names;
  words.notes = federation.notes;
  words.layout = federation.layout;
  Archive names;
  archive_names(names, words);
  Bytes bytes = names.take();
  add(section_of("names", Cells::bytes, bytes.size()), bytes.data());
  if (federation.client_names.numbered()) return;
  std::vector<std::string> called = federation.client_names.list();
  Archive clients;
  clients.texts(called);
  bytes = clients.take();
  add(section_of("client.names", Cells::bytes, bytes.size()), bytes.data());
}

void StoreWriter::finish(const Federation& f, const Conversion& conversion) {
  header_.target = conversion.target;
  header_.intercept = f.intercept;
  header_.clients = static_cast<std::uint64_t>(f.clients());
  header_.seed = conversion.seed;
  header_.setup_bits = f.setup_bits;
  header_.level_bits = f.level_bits;
  add(section_of("keys", Cells::bytes, conversion.keys.size()), conversion.keys.data());
  add_names(f);
  std::vector<double> pairs;
  for (std::size_t j = 0; j < f.scaling.mean.size(); ++j)
    pairs.insert(pairs.end(), {f.scaling.mean[j], f.scaling.sd[j]});
  add(section_of("columns", Cells::float64, f.scaling.mean.size(), 2, 2), pairs.data());
  static_assert(sizeof(Index) == 8);
  if (!f.scaling.dropped.empty())
    add(section_of("dropped", Cells::int64, f.scaling.dropped.size()), f.scaling.dropped.data());
  add(section_of("train.begin", Cells::int64, f.train_begin.size()), f.train_begin.data());
  add(section_of("test.begin", Cells::int64, f.test_begin.size()), f.test_begin.data());
  add_table("train", f.train);
  add_table("test", f.test);
  if (f.ood.rows > 0) add_table("ood", f.ood);
  if (f.distill.rows > 0) add_table("distill", f.distill);
  header_.file_bytes = end_ = std::max<std::uint64_t>(end_, kStorePage);
  if (::ftruncate(descriptor_, static_cast<off_t>(end_)) != 0) io_failure(temporary_name(file_), "cut", errno);
  write_at(0, encode_header(header_));
  if (::fsync(descriptor_) != 0) io_failure(temporary_name(file_), "write", errno);
  if (std::rename(temporary_name(file_).c_str(), file_.c_str()) != 0) io_failure(file_, "replace", errno);
  committed_ = true;
  sync_folder(std::filesystem::path(file_).parent_path().string());
}

}  // namespace pollen::data
