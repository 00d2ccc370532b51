// Fuzzes a store's bytes. Checksums would stop the fuzzer, so they are corrected if the flags say so. What remains is a
// file that lies.
#include <cmath>

#include "data/store_layout.h"
#include "fuzz.h"
#include "pollen/errors.h"

namespace pollen::fuzz {
namespace {

using Image = AlignedVector<std::uint8_t>;

void put_word(Image& image, std::size_t at, std::uint32_t value) {
  std::memcpy(image.data() + at, &value, sizeof value);
}

void mend(Image& image) {
  if (image.size() < data::kStorePage) return;
  const std::uint64_t size = image.size();
  std::memcpy(image.data() + 16, &size, sizeof size);
  for (std::size_t i = 0; i < data::kMostSections; ++i) {
    const std::size_t row = 64 * (i + 1);
    std::uint64_t offset = 0, bytes = 0;
    std::memcpy(&offset, image.data() + row + 24, sizeof offset);
    std::memcpy(&bytes, image.data() + row + 32, sizeof bytes);
    if (offset >= data::kStorePage && offset <= size && bytes <= size - offset)
      put_word(image, row + 20, checksum(ByteView(image).subspan(offset, bytes)));
  }
  put_word(image, data::kStorePage - 4, checksum(ByteView(image).first(data::kStorePage - 4)));
}

void check(const Federation& f) {
  const auto clients = static_cast<std::size_t>(f.clients());
  HOLDS(clients > 0 && f.client_names.size() == clients && f.test_begin.size() == clients + 1);
  HOLDS(f.train_begin.front() == 0 && f.train_begin.back() == f.train.rows && f.test_begin.back() <= f.test.rows);
  for (std::size_t i = 0; i < clients; ++i)
    HOLDS(f.train_begin[i] < f.train_begin[i + 1] && f.test_begin[i] <= f.test_begin[i + 1]);
  HOLDS(std::ssize(f.feature_names) == f.train.columns);
  for (const Table* table : {&f.train, &f.test, &f.ood, &f.distill}) {
    HOLDS(static_cast<Index>(table->x.size()) == table->rows * table->stride && table->stride % 8 == 0);
    double sum = 0;  // reads every number, to prove that it is there
    for (const double x : table->x) sum += x;
    HOLDS(same(sum, sum));
  }
  for (const double y : f.train.y)
    HOLDS(std::isfinite(y) && (f.class_names.empty() || y < static_cast<double>(f.class_names.size())));
  HOLDS(f.scaling.mean.size() == f.scaling.sd.size());
}

}  // namespace
}  // namespace pollen::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace pollen;
  fuzz::Input input(bytes, size);
  const std::uint8_t flags = input.byte();
  const Bytes rest = input.bytes();
  fuzz::Image image(rest.begin(), rest.end());
  if ((flags & 1) != 0) fuzz::mend(image);
  const auto target = static_cast<TargetKind>((flags >> 1) % 5);
  try {
    fuzz::check(data::federation_of(image, nullptr, target, "a.pollen"));
  } catch (const ConfigError&) {
  }
  return 0;
}
