// The header page of a store, both ways.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "pollen/errors.h"
#include "store_layout.h"

namespace pollen::data {

namespace {

constexpr std::size_t kNameBytes = 16;
constexpr std::size_t kSectionBytes = 64;
constexpr std::size_t kFieldsAt = 12;  // behind the seal
constexpr std::size_t kCrcAt = kStorePage - 4;
constexpr std::uint64_t kMostWide = std::uint64_t{1} << 32;

// Fields one after another, in the order of docs/formats/store.md.
class Writer {
 public:
  explicit Writer(std::uint8_t* at) : at_(at) {}
  template <class T>
  void operator()(const T& value) {
    std::memcpy(at_, &value, sizeof value);
    at_ += sizeof value;
  }

 private:
  std::uint8_t* at_;
};

class Reader {
 public:
  explicit Reader(const std::uint8_t* at) : at_(at) {}
  template <class T>
  void operator()(T& value) {
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
  }

 private:
  const std::uint8_t* at_;
};

template <class Fields, class Header>
void fixed_fields(Fields& fields, std::uint32_t& count, std::uint32_t& target, std::uint32_t& intercept, Header& h) {
  fields(count), fields(h.file_bytes), fields(target), fields(intercept);
  fields(h.clients), fields(h.seed), fields(h.setup_bits), fields(h.level_bits);
}

template <class Fields, class S>
void section_fields(Fields& fields, std::uint32_t& cells, S& s) {
  fields(cells), fields(s.crc), fields(s.offset), fields(s.bytes), fields(s.rows), fields(s.columns), fields(s.stride);
}

// Why the section cannot be; empty where it can.
std::string wrong_with(const Section& s, std::uint32_t cells, std::uint64_t file_bytes) {
  if (cells > static_cast<std::uint32_t>(Cells::int64)) return fmt::format("found cells of kind {}", cells);
  if (s.offset % 64 != 0 || s.offset < kStorePage || s.offset > file_bytes)
    return fmt::format("found it at byte {}", s.offset);
  if (s.bytes > file_bytes - s.offset)
    return fmt::format("found {} bytes at byte {} of a file of {}", s.bytes, s.offset, file_bytes);
  if (s.stride == 0 || s.stride > kMostWide || s.columns > s.stride)
    return fmt::format("found {} columns in rows of {}", s.columns, s.stride);
  const std::uint64_t row = s.stride * (s.cells == Cells::bytes ? 1 : 8);
  if (s.bytes % row != 0 || s.bytes / row != s.rows)
    return fmt::format("found {} bytes for {} rows of {}", s.bytes, s.rows, row);
  return {};
}

Section read_section(const std::uint8_t* at, std::uint64_t file_bytes, const std::string& file) {
  Section s;
  const auto* name = reinterpret_cast<const char*>(at);
  s.name.assign(name, ::strnlen(name, kNameBytes));
  const bool plain = !s.name.empty() && s.name.size() < kNameBytes &&
                     std::ranges::all_of(s.name, [](char c) { return (c >= 'a' && c <= 'z') || c == '.'; });
  if (!plain) throw ConfigError(file, "found a section without a name, accepted: a store that pollen wrote");
  std::uint32_t cells = 0;
  Reader fields(at + kNameBytes);
  section_fields(fields, cells, s);
  s.cells = static_cast<Cells>(cells);
  if (const std::string why = wrong_with(s, cells, file_bytes); !why.empty())
    throw ConfigError(fmt::format("{}: section {}", file, s.name), why + ", accepted: a store that pollen wrote");
  return s;
}

}  // namespace

Bytes encode_header(const StoreHeader& header) {
  Bytes page(kStorePage);
  kStoreSeal.write_to(page.data());
  Writer fields(page.data() + kFieldsAt);
  std::uint32_t count = static_cast<std::uint32_t>(header.sections.size());
  std::uint32_t target = static_cast<std::uint32_t>(header.target), intercept = header.intercept ? 1 : 0;
  fixed_fields(fields, count, target, intercept, header);
  std::uint8_t* at = page.data() + kSectionBytes;
  for (const Section& s : header.sections) {
    std::memcpy(at, s.name.data(), s.name.size());
    Writer row(at + kNameBytes);
    std::uint32_t cells = static_cast<std::uint32_t>(s.cells);
    section_fields(row, cells, s);
    at += kSectionBytes;
  }
  Writer(page.data() + kCrcAt)(checksum({page.data(), kCrcAt}));
  return page;
}

StoreHeader decode_header(ByteView page, std::uint64_t file_bytes, const std::string& file) {
  const auto fault = [&](const std::string& what) { throw ConfigError(file, what); };
  kStoreSeal.check(page, file);
  if (page.size() < kStorePage) kStoreSeal.refuse(file, fmt::format("{} bytes: a file cut short", page.size()));
  StoreHeader h;
  std::uint32_t count = 0, target = 0, intercept = 0, crc = 0;
  Reader fields(page.data() + kFieldsAt);
  fixed_fields(fields, count, target, intercept, h);
  Reader(page.data() + kCrcAt)(crc);
  if (crc != checksum(page.first(kCrcAt))) fault("the header's checksum is wrong: the file is damaged");
  if (h.file_bytes != file_bytes)
    fault(fmt::format("found {} bytes, accepted: the {} of the header: the file is cut or was added to", file_bytes,
                      h.file_bytes));
  if (count > kMostSections || target > static_cast<std::uint32_t>(TargetKind::count) || intercept > 1 ||
      h.clients == 0 || h.clients >= kMostWide || h.setup_bits < 0 || h.level_bits < 0)
    fault("found a header that makes no sense, accepted: a store that pollen wrote");
  h.target = static_cast<TargetKind>(target);
  h.intercept = intercept == 1;
  std::set<std::string> names;
  for (std::uint32_t i = 0; i < count; ++i) {
    h.sections.push_back(read_section(page.data() + kSectionBytes * (1 + i), file_bytes, file));
    if (!names.insert(h.sections.back().name).second)
      fault(fmt::format("found two sections {}, accepted: one", h.sections.back().name));
  }
  return h;
}

}  // namespace pollen::data
