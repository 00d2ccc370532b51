// The file format of stores (docs/formats/store.md): a page with the header and the list of sections, then the
// sections.
//
// Header and list are plain bytes in and out, for the reader, the writer and the fuzz target. Little-endian.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/sealed_file.h"
#include "data/store.h"
#include "pollen/data.h"

namespace pollen::data {

inline constexpr const char* kStoreFormat = "pollen";  // as data.format
inline constexpr Seal kStoreSeal{"POLLENST", 1, "a store", "pollen convert writes one"};
constexpr std::size_t kStorePage = 4096;  // the header's size, and what the writer aligns sections to
constexpr std::size_t kMostSections = 62;
constexpr std::size_t kCheckedAtOnce = std::size_t{1} << 26;  // row sections up to this size are checked when mapped

enum class Cells : std::uint32_t { bytes = 0, float64 = 1, int64 = 2 };

struct Section {
  std::string name;  // at most 15 bytes
  Cells cells = Cells::bytes;
  std::uint32_t crc = 0;
  std::uint64_t offset = 0, bytes = 0;              // offset: a multiple of 64
  std::uint64_t rows = 0, columns = 0, stride = 0;  // bytes = rows · stride · (1 or 8)
};

struct StoreHeader {
  std::uint64_t file_bytes = 0;
  TargetKind target = TargetKind::none;
  bool intercept = false;
  std::uint64_t clients = 0, seed = 0;
  std::int64_t setup_bits = 0, level_bits = 0;
  std::vector<Section> sections;
};

Bytes encode_header(const StoreHeader& header);  // kStorePage bytes
// Everything that the page itself can tell is checked, the sections' places against `file_bytes` too. ConfigError
// naming `file`.
StoreHeader decode_header(ByteView page, std::uint64_t file_bytes, const std::string& file);

// A whole store: `bytes` are the file's, of which `keeper` is the owner. Checksums of all but large row sections are
// checked, and everything that sizes, offsets and targets could do harm with. ConfigError naming `file`.
Federation federation_of(ByteView bytes, std::shared_ptr<const void> keeper, TargetKind target,
                         const std::string& file);

Federation map_store(const std::string& file, TargetKind target);

}  // namespace pollen::data
