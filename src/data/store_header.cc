// Encodes and decodes the header page of a store, and archives its texts.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "data/phrases.h"
#include "pollen/errors.h"
#include "store_layout.h"

namespace pollen::data {

namespace {

constexpr std::size_t kNameBytes = 16;
constexpr std::size_t kSectionBytes = 64;
constexpr std::size_t kFieldsAt = 12;  // the fields follow the seal
constexpr std::size_t kCrcAt = kStorePage - 4;
constexpr std::uint64_t kMostWide = std::uint64_t{1} << 32;

// The fields of a header that it stores as other numbers than StoreHeader holds.
struct Stored {
  std::uint32_t sections = 0, target = 0, intercept = 0;
};

// Both functions archive fields in the order of docs/formats/store.md.
void header_fields(Archive& archive, Stored& stored, StoreHeader& h) {
  archive.field(stored.sections), archive.field(h.file_bytes);
  archive.field(stored.target), archive.field(stored.intercept);
  archive.field(h.clients), archive.field(h.seed), archive.field(h.setup_bits), archive.field(h.level_bits);
}

void section_fields(Archive& archive, std::uint32_t& cells, Section& s) {
  archive.field(cells), archive.field(s.crc);
  for (std::uint64_t* field : {&s.offset, &s.bytes, &s.rows, &s.columns, &s.stride}) archive.field(*field);
}

void put(Archive& fields, std::size_t at, Bytes& page) {
  const Bytes bytes = fields.take();
  std::ranges::copy(bytes, page.begin() + static_cast<std::ptrdiff_t>(at));
}

// Returns what is wrong with a section, or an empty text.
std::string wrong_with(const Section& s, std::uint32_t cells, std::uint64_t file_bytes) {
  if (cells > static_cast<std::uint32_t>(Cells::int64))
    return fmt::format("found cells of kind {}, accepted: 0 to {}", cells, static_cast<std::uint32_t>(Cells::int64));
  if (s.offset % 64 != 0 || s.offset < kStorePage || s.offset > file_bytes)
    return fmt::format("found it at byte {}, accepted: a multiple of 64 from {} to {}", s.offset, kStorePage,
                       file_bytes);
  if (s.bytes > file_bytes - s.offset)
    return fmt::format("found {} bytes at byte {}, accepted: at most the {} bytes that follow in the file", s.bytes,
                       s.offset, file_bytes - s.offset);
  if (s.stride == 0 || s.stride > kMostWide || s.columns > s.stride)
    return fmt::format("found {} columns in rows of {} cells, accepted: rows of 1 to {} cells, at least one per column",
                       s.columns, s.stride, kMostWide);
  const std::uint64_t row = s.stride * (s.cells == Cells::bytes ? 1 : 8);
  if (s.bytes % row != 0 || s.bytes / row != s.rows)
    return fmt::format("found {} bytes for {} rows, accepted: {} bytes per row", s.bytes, s.rows, row);
  return {};
}

Section read_section(ByteView bytes, std::uint64_t file_bytes, const std::string& file) {
  Section s;
  const auto* name = reinterpret_cast<const char*>(bytes.data());
  s.name.assign(name, ::strnlen(name, kNameBytes));
  const bool plain = !s.name.empty() && s.name.size() < kNameBytes &&
                     std::ranges::all_of(s.name, [](char c) { return (c >= 'a' && c <= 'z') || c == '.'; });
  if (!plain)
    throw ConfigError(file, fmt::format("found a section named {}, accepted: names of 1 to {} small letters and dots",
                                        in_quotes(s.name), kNameBytes - 1));
  std::uint32_t cells = 0;
  Archive fields(bytes.subspan(kNameBytes));
  section_fields(fields, cells, s);
  s.cells = static_cast<Cells>(cells);
  if (const std::string why = wrong_with(s, cells, file_bytes); !why.empty())
    throw ConfigError(fmt::format("{}: section {}", file, s.name), why);
  return s;
}

}  // namespace

Bytes encode_header(const StoreHeader& header) {
  Bytes page(kStorePage);
  kStoreSeal.write_to(page.data());
  StoreHeader h = header;
  Stored stored{static_cast<std::uint32_t>(h.sections.size()), static_cast<std::uint32_t>(h.target),
                h.intercept ? 1U : 0U};
  Archive fields;
  header_fields(fields, stored, h);
  put(fields, kFieldsAt, page);
  for (std::size_t i = 0; i < h.sections.size(); ++i) {
    Section& s = h.sections[i];
    const std::size_t at = kSectionBytes * (1 + i);
    std::memcpy(page.data() + at, s.name.data(), s.name.size());
    auto cells = static_cast<std::uint32_t>(s.cells);
    section_fields(fields, cells, s);
    put(fields, at + kNameBytes, page);
  }
  std::uint32_t crc = checksum({page.data(), kCrcAt});
  fields.field(crc);
  put(fields, kCrcAt, page);
  return page;
}

StoreHeader decode_header(ByteView page, std::uint64_t file_bytes, const std::string& file) {
  const auto fault = [&](const std::string& what) { throw ConfigError(file, what); };
  kStoreSeal.check(page, file);
  if (page.size() < kStorePage) kStoreSeal.refuse(file, fmt::format("{} bytes: a file cut short", page.size()));
  StoreHeader h;
  Stored stored;
  std::uint32_t crc = 0;
  Archive fields(page.subspan(kFieldsAt)), last(page.subspan(kCrcAt));
  header_fields(fields, stored, h);
  last.field(crc);
  if (const auto right = checksum(page.first(kCrcAt)); crc != right)
    fault(fmt::format("the header's checksum is wrong: found {:#010x}, accepted: {:#010x}; the file is damaged", crc,
                      right));
  if (h.file_bytes != file_bytes)
    fault(fmt::format("found {} bytes, accepted: the {} of the header: the file is cut or was added to", file_bytes,
                      h.file_bytes));
  constexpr auto kLastTarget = static_cast<std::uint32_t>(TargetKind::count);
  if (stored.sections > kMostSections || stored.target > kLastTarget || stored.intercept > 1 || h.clients == 0 ||
      h.clients >= kMostWide || h.setup_bits < 0 || h.level_bits < 0)
    fault(
        fmt::format("found a header with {} sections, target {}, intercept {}, {} clients, {} set-up bits and {} level "
                    "bits, accepted: at most {} sections, target 0 to {}, intercept 0 or 1, 1 to {} clients, and bits "
                    "of 0 or more",
                    stored.sections, stored.target, stored.intercept, h.clients, h.setup_bits, h.level_bits,
                    kMostSections, kLastTarget, kMostWide - 1));
  h.target = static_cast<TargetKind>(stored.target);
  h.intercept = stored.intercept == 1;
  std::set<std::string> names;
  for (std::uint32_t i = 0; i < stored.sections; ++i) {
    h.sections.push_back(read_section(page.subspan(kSectionBytes * (1 + i), kSectionBytes), file_bytes, file));
    if (!names.insert(h.sections.back().name).second)
      fault(fmt::format("found two sections {}, accepted: one", h.sections.back().name));
  }
  return h;
}

void archive_names(Archive& archive, Federation& federation) {
  ColumnFacts& layout = federation.layout;
  archive.texts(federation.feature_names);
  archive.texts(federation.class_names);
  archive.texts(federation.notes);
  archive.texts(layout.columns);
  archive.text(layout.target);
  std::vector<std::string> columns;
  for (const auto& [column, levels] : layout.levels) columns.push_back(column);
  archive.texts(columns);
  for (const std::string& column : columns) archive.texts(layout.levels[column]);
}

}  // namespace pollen::data
