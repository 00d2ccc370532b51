// Fuzzes checkpoints, read through a file in memory. One that is accepted holds no more than the file did.
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>

#include "fuzz.h"
#include "pollen/errors.h"
#include "sink/checkpoint.h"

namespace pollen::fuzz {
namespace {

constexpr std::size_t kHeader = 32, kChecksumAt = 12, kFieldsAt = 16, kStateAt = 24;

// Corrects checksum and lengths; otherwise only the first check would ever be reached.
void repair(Bytes& file) {
  std::uint64_t fields = 0;
  std::memcpy(&fields, file.data() + kFieldsAt, sizeof fields);
  const std::uint64_t body = file.size() - kHeader;
  fields = std::min(fields, body);
  const std::uint64_t state = body - fields;
  std::memcpy(file.data() + kFieldsAt, &fields, sizeof fields);
  std::memcpy(file.data() + kStateAt, &state, sizeof state);
  const auto checksum = static_cast<std::uint32_t>(crc32_z(crc32_z(0, nullptr, 0), file.data() + kHeader, body));
  std::memcpy(file.data() + kChecksumAt, &checksum, sizeof checksum);
}

int memory_file() {
  static const int descriptor = ::memfd_create("checkpoint", 0);
  HOLDS(descriptor >= 0);
  return descriptor;
}

}  // namespace
}  // namespace pollen::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pollen;
  using namespace pollen::fuzz;
  Input input(data, size);
  const bool repaired = (input.byte() & 1) != 0;
  Bytes file = input.bytes();
  if (repaired && file.size() > kHeader) repair(file);
  const int descriptor = memory_file();
  HOLDS(::ftruncate(descriptor, 0) == 0);
  HOLDS(::pwrite(descriptor, file.data(), file.size(), 0) == static_cast<ssize_t>(file.size()));
  try {
    const auto checkpoint = sink::read_checkpoint("/proc/self/fd/" + std::to_string(descriptor));
    HOLDS(checkpoint.has_value());
    const std::size_t texts =
        checkpoint->config_given.size() + checkpoint->config_used.size() + checkpoint->recorder.size();
    HOLDS(texts + checkpoint->experiment.size() < file.size());
  } catch (const ConfigError&) {
  }
  return 0;
}
