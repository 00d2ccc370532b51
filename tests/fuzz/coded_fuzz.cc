// Fuzzes messages of several vectors in one bit string, which are read with random numbers and a memory that the sender
// does not choose. What is accepted is finite, and its numbers are coded again to bytes that mean the same.
#include <cmath>

#include "fuzz.h"
#include "pollen/compress.h"
#include "pollen/errors.h"

namespace pollen::fuzz {
namespace {

using Role = Compressor::Role;

Scratch scratch;  // one for all runs, because making it would take most of the time

struct Setting {
  std::size_t d = 1, parts = 1;
  CodeMemory memory;
  Role role = Role::message;
};

Stream stream_of(std::size_t part) { return make_stream(3, static_cast<std::uint32_t>(part), Purpose::shared_code); }

bool decode(const Compressor& code, const Setting& s, ByteView payload, Panel& out) {
  std::vector<Decoding> jobs;
  for (std::size_t p = 0; p < s.parts; ++p) jobs.push_back({stream_of(p), 0.5, out.column(static_cast<Index>(p))});
  try {
    code.decode_joined(payload, jobs, s.memory, s.role, scratch);
    return true;
  } catch (const WireError&) {
    return false;
  }
}

void round_trip(const Compressor& code, const Setting& s, const Panel& values) {
  Panel said(values.rows(), values.columns()), heard(values.rows(), values.columns());
  std::vector<Encoding> jobs;
  Bytes payload;
  for (std::size_t p = 0; p < s.parts; ++p) {
    const auto c = static_cast<Index>(p);
    jobs.push_back({values.column(c), stream_of(p), said.column(c), &payload});
    jobs.back().spread = 0.5;
  }
  try {
    code.encode_joined(jobs, s.memory, s.role, &payload, scratch);
  } catch (const NumericError&) {
    return;
  }
  HOLDS(payload.size() * 8 <= (98 * s.d + 24) * s.parts + 8);
  HOLDS(decode(code, s, payload, heard));
  for (std::size_t p = 0; p < s.parts; ++p) {
    const auto c = static_cast<Index>(p);
    HOLDS(std::memcmp(said.column(c).data(), heard.column(c).data(), s.d * sizeof(double)) == 0);
  }
}

}  // namespace
}  // namespace pollen::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pollen;
  using namespace pollen::fuzz;
  Input input(data, size);
  Setting s;
  s.d = 1 + input.word() % 200;
  s.parts = 1 + input.byte() % 4;
  s.memory = {input.word(), std::uint64_t{input.word()} << (input.byte() % 40)};
  constexpr const char* kKinds[] = {"coded", "qsgd", "natural", "top-k", "rand-k"};
  constexpr std::uint32_t kLevels[] = {1, 16, 5000, 1U << 24};
  const std::uint8_t flags = input.byte();
  s.role = (flags & 1) != 0 ? Role::reference : Role::message;
  const Bytes rest = input.bytes();
  const CompressorSpec spec{
      .kind = kKinds[(flags >> 1 & 7) % 5], .levels = kLevels[flags >> 4 & 3], .k = static_cast<Index>(1 + s.d / 3)};
  const auto code = make_compressor(spec, static_cast<Index>(s.d));
  Panel values(static_cast<Index>(s.d), static_cast<Index>(s.parts));
  if (decode(*code, s, rest, values))
    for (const double x : values.flat()) HOLDS(std::isfinite(x));
  for (std::size_t j = 0; j < s.d; ++j)
    for (std::size_t p = 0; p < s.parts && rest.size() >= sizeof(double); ++p)
      std::memcpy(&values.column(static_cast<Index>(p))[j], rest.data() + (7 * j + p) % (rest.size() - 7),
                  sizeof(double));
  round_trip(*code, s, values);
  return 0;
}
