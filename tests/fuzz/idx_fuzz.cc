// Fuzzes the binary files: idx with its labels, cifar, and gzip around anything.
#include "data/readers.h"
#include "pollen/errors.h"
#include "support/gzip.h"
#include "table.h"

namespace pollen::fuzz {
namespace {

constexpr std::size_t kMost = std::size_t{1} << 20;

void idx(Input& input, Index limit) {
  const std::size_t image_bytes = input.word();
  data::IdxFile images{input.text(image_bytes), "images"};
  const data::IdxFile labels{input.text(), "labels"};
  try {
    data::RawTable table = data::parse_idx(std::move(images), labels, limit);
    HOLDS(table.blocks.size() == 1 && !table.columns.empty());
    check_table(table, limit);
    data::add_writers(labels, limit, table);  // QMNIST's label files serve as both
    HOLDS(table.columns.back().number.size() == table.rows.size());
  } catch (const ConfigError&) {
  }
}

void cifar(Input& input, Index limit) {
  const std::string bytes = input.text();
  try {
    const data::RawTable table = data::parse_cifar(bytes, limit, "batch.bin");
    HOLDS(table.width == 3072 && table.columns.size() == 1);
    check_table(table, limit);
    for (const double label : table.columns[0].number) HOLDS(label >= 0 && label <= 9);
  } catch (const ConfigError&) {
  }
}

void gzip(Input& input) {
  const std::string bytes = input.text();
  const bool magic = bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b';
  try {
    const std::string plain = data::gunzip(bytes, "in.gz", kMost);
    HOLDS(magic ? plain.size() <= kMost : plain == bytes);
    HOLDS(data::gunzip(testing::gzipped(plain), "again.gz", kMost) == plain);
  } catch (const ConfigError&) {
    HOLDS(magic);
  }
}

}  // namespace
}  // namespace pollen::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pollen::fuzz;
  Input input(data, size);
  const std::uint8_t flags = input.byte();
  const pollen::Index limit = flags >> 2 & 3;
  if ((flags & 3) == 0)
    cifar(input, limit);
  else if ((flags & 3) == 1)
    gzip(input);
  else
    idx(input, limit);
  return 0;
}
