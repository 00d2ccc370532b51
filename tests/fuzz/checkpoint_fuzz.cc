// Checkpoints, read through a file in memory. One that is accepted holds no more than the file did.
#include <sys/mman.h>
#include <unistd.h>

#include "base/sealed_file.h"
#include "fuzz.h"
#include "pollen/errors.h"
#include "sink/checkpoint.h"

namespace pollen::fuzz {
namespace {

constexpr std::size_t kHeader = 24, kChecksumAt = 12, kBytesAt = 16;

// A right checksum and length, or nothing but the first check would ever be reached.
void repair(Bytes& file) {
  const ByteView body = ByteView(file).subspan(kHeader);
  const std::uint64_t bytes = body.size();
  const std::uint32_t sum = checksum(body);
  std::memcpy(file.data() + kBytesAt, &bytes, sizeof bytes);
  std::memcpy(file.data() + kChecksumAt, &sum, sizeof sum);
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
