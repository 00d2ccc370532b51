#include "base/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "pollen/errors.h"

namespace pollen {

namespace {

constexpr std::size_t kFirstRecord = 16, kRecordHeader = 16;
constexpr std::size_t kLeastRoom = std::size_t{256} << 10, kRecordsPerFile = 64, kMostRoom = std::size_t{16} << 20;

std::size_t padded(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

std::uint32_t sum_of_record(std::uint64_t number, ByteView state) {
  const auto length = static_cast<std::uint32_t>(state.size());
  std::uint8_t head[sizeof number + sizeof length];
  std::memcpy(head, &number, sizeof number);
  std::memcpy(head + sizeof number, &length, sizeof length);
  return checksum(state, checksum(head));
}

struct Record {
  std::uint64_t number;
  ByteView state;
  std::size_t end;
};

// Returns the record at a place if a whole one is there, and of this number if one is given.
std::optional<Record> record_at(ByteView file, std::size_t at, std::optional<std::uint64_t> wanted = {}) {
  if (at > file.size() || file.size() - at < kRecordHeader) return std::nullopt;
  std::uint64_t number = 0;
  std::uint32_t length = 0, sum = 0;
  std::memcpy(&number, file.data() + at, sizeof number);
  std::memcpy(&length, file.data() + at + 8, sizeof length);
  std::memcpy(&sum, file.data() + at + 12, sizeof sum);
  if (length > file.size() - at - kRecordHeader || number != wanted.value_or(number)) return std::nullopt;
  const ByteView state = file.subspan(at + kRecordHeader, length);
  if (sum_of_record(number, state) != sum) return std::nullopt;
  return Record{number, state, at + kRecordHeader + padded(length)};
}

// Whether a whole record follows later although the one with this number is not whole, so that it was whole once.
bool damaged(ByteView file, std::size_t at, std::uint64_t number) {
  for (; at < file.size(); at += 8)
    if (record_at(file, at, number + 1)) return true;
  return false;
}

void put_all(int descriptor, ByteView bytes, std::size_t at, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t done = ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) io_failure(path, "write", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    at += static_cast<std::size_t>(done);
  }
}

}  // namespace

Journal::Journal(std::string path, const Seal& seal, Readers readers)
    : path_(std::move(path)), seal_(seal), readers_(readers) {}

Journal::~Journal() { close(); }

void Journal::close() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

void Journal::write(ByteView state) {
  if (state.size() > std::numeric_limits<std::uint32_t>::max() - kRecordHeader)
    throw IoError(fmt::format("{}: cannot keep a state of {} bytes; at most 4 GiB are possible", path_, state.size()));
  ++number_;
  const auto length = static_cast<std::uint32_t>(state.size());
  const std::uint32_t sum = sum_of_record(number_, state);
  record_.assign(kRecordHeader + padded(state.size()), 0);
  std::memcpy(record_.data(), &number_, sizeof number_);
  std::memcpy(record_.data() + 8, &length, sizeof length);
  std::memcpy(record_.data() + 12, &sum, sizeof sum);
  std::copy(state.begin(), state.end(), record_.begin() + kRecordHeader);
  if (descriptor_ < 0 || record_.size() > room_ - at_) return begin_file(record_);
  put_all(descriptor_, record_, at_, path_);
  if (::fdatasync(descriptor_) != 0) io_failure(path_, "write", errno);
  at_ += record_.size();
}

// Replaces the file by one that has this record and room for more. The room is written with zeros, because a place that
// was never written costs the file system more when it is synced.
void Journal::begin_file(ByteView record) {
  close();
  const std::size_t wanted = std::clamp(kRecordsPerFile * record.size(), kLeastRoom, kMostRoom);
  room_ = kFirstRecord + std::max(wanted, record.size());
  Bytes head(kFirstRecord);
  seal_.write_to(head.data());
  ReplacingFile file(path_);
  if (readers_ == Readers::owner) ::chmod(temporary_name(path_).c_str(), 0600);
  file.write(head.data(), head.size());
  file.write(record.data(), record.size());
  at_ = kFirstRecord + record.size();
  const Bytes zeros(room_ - at_);
  file.write(zeros.data(), zeros.size());
  file.commit();
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor_ < 0) io_failure(path_, "open for writing", errno);
}

Bytes read_journal(const std::string& path, const Seal& seal) {
  const std::string text = read_text(path);
  const ByteView file(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  seal.check(file, path);
  std::optional<Record> latest = record_at(file, kFirstRecord);
  if (!latest) seal.refuse(path, "damaged bytes (the first record is not whole)");
  while (true) {
    const auto next = record_at(file, latest->end, latest->number + 1);
    if (!next) break;
    latest = next;
  }
  if (damaged(file, latest->end, latest->number + 1))
    seal.refuse(path,
                fmt::format("damaged bytes (the record after number {} differs from its checksum)", latest->number));
  return {latest->state.begin(), latest->state.end()};
}

}  // namespace pollen
