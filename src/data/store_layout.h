// The file format of stores (docs/formats/store.md): one page with the header and the list of sections, followed by the
// sections, all little-endian. Header and list are encoded to and decoded from plain bytes, so that the reader, the
// writer and the fuzz target share the code. The functions are thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/sealed_file.h"
#include "data/store.h"
#include "pollen/archive.h"
#include "pollen/data.h"

namespace pollen::data {

inline constexpr const char* kStoreFormat = "pollen";  // the value of data.format
inline constexpr Seal kStoreSeal{"POLLENST", 1, "a store", "pollen convert writes one"};
constexpr std::size_t kStorePage = 4096;  // size of the header, and alignment of sections
constexpr std::size_t kMostSections = 62;
constexpr std::size_t kCheckedAtOnce = std::size_t{1} << 26;  // row sections up to this size are verified when mapped

enum class Cells : std::uint32_t { bytes = 0, float64 = 1, int64 = 2 };

struct Section {
  std::string name;  // at most 15 bytes
  Cells cells = Cells::bytes;
  std::uint32_t crc = 0;
  std::uint64_t offset = 0, bytes = 0;              // the offset is a multiple of 64
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
// Decodes the header page and checks everything that the page can tell, including the sections' offsets against
// `file_bytes`. Throws ConfigError naming `file`.
StoreHeader decode_header(ByteView page, std::uint64_t file_bytes, const std::string& file);

// Archives the texts of a store in the order of its section `names`. The archive decides whether they are read or
// written.
void archive_names(Archive& archive, Federation& federation);

// Opens a whole store. `bytes` are the file's, and `keeper` owns them. It verifies all checksums except those of large
// row sections, and every size, offset and target that could cause harm. Throws ConfigError naming `file`.
Federation federation_of(ByteView bytes, std::shared_ptr<const void> keeper, TargetKind target,
                         const std::string& file);

Federation map_store(const std::string& file, TargetKind target);

}  // namespace pollen::data
