#include "base/sealed_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <zlib.h>

#include <array>
#include <cstring>

#include "pollen/errors.h"

namespace pollen {

namespace {

constexpr std::size_t kVersionAt = Seal::kLetters, kSumAt = 12, kBytesAt = 16, kSealedHeader = 24;

template <class T>
T number_at(ByteView bytes, std::size_t at) {
  T value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

}  // namespace

std::uint32_t checksum(ByteView bytes, std::uint32_t before) {
  if (bytes.empty()) return before;  // zlib would start a new checksum
  return static_cast<std::uint32_t>(crc32_z(before, bytes.data(), bytes.size()));
}

void Seal::write_to(std::uint8_t* at) const {
  std::memcpy(at, letters, kLetters);
  std::memcpy(at + kVersionAt, &version, sizeof version);
}

void Seal::refuse(const std::string& path, const std::string& found) const {
  throw ConfigError(path, fmt::format("found {}, accepted: {} that is whole ({})", found, what, remedy));
}

void Seal::check(ByteView file, const std::string& path) const {
  if (file.size() < kSumAt) refuse(path, fmt::format("{} bytes: a file cut short", file.size()));
  if (std::memcmp(file.data(), letters, kLetters) != 0) refuse(path, "another kind of file");
  const auto found = number_at<std::uint32_t>(file, kVersionAt);
  if (found != version)
    throw ConfigError(
        path, fmt::format("found {} of format version {}, accepted: version {} ({})", what, found, version, remedy));
}

SealedFile::SealedFile(const std::string& path, const Seal& seal, Readers readers) : seal_(seal), file_(path) {
  if (readers == Readers::owner) ::chmod(temporary_name(path).c_str(), 0600);
  const std::array<std::uint8_t, kSealedHeader> room{};
  file_.write(room.data(), room.size());
}

void SealedFile::write(ByteView bytes) {
  sum_ = checksum(bytes, sum_);
  bytes_ += bytes.size();
  file_.write(bytes.data(), bytes.size());
}

void SealedFile::commit() {
  std::array<std::uint8_t, kSealedHeader> header{};
  seal_.write_to(header.data());
  std::memcpy(header.data() + kSumAt, &sum_, sizeof sum_);
  std::memcpy(header.data() + kBytesAt, &bytes_, sizeof bytes_);
  file_.rewrite(header.data(), header.size());
  file_.commit();
}

Bytes read_sealed(const std::string& path, const Seal& seal) {
  const std::string text = read_text(path);
  const ByteView file(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  seal.check(file, path);
  if (file.size() < kSealedHeader) seal.refuse(path, fmt::format("{} bytes: a file cut short", file.size()));
  const ByteView body = file.subspan(kSealedHeader);
  const auto bytes = number_at<std::uint64_t>(file, kBytesAt);
  if (bytes != body.size())
    seal.refuse(path,
                fmt::format("{} bytes where the header says {}: a file cut short or added to", body.size(), bytes));
  if (checksum(body) != number_at<std::uint32_t>(file, kSumAt))
    seal.refuse(path, "damaged bytes (the checksum differs)");
  return {body.begin(), body.end()};
}

}  // namespace pollen
