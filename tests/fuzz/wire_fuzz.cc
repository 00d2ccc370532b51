// Fuzzes frames. One that is accepted is encoded again to the same bytes, and a used object decodes the same as a new
// one.
#include "fuzz.h"
#include "pollen/errors.h"
#include "wire/wire.h"

namespace pollen::fuzz {
namespace {

void broadcast(const Bytes& frame) {
  static Broadcast used;
  static std::vector<std::uint32_t> used_chains;
  Broadcast fresh;
  std::vector<std::uint32_t> chains;
  try {
    wire::decode(frame, fresh, chains);
  } catch (const WireError&) {
    try {
      wire::decode(frame, used, used_chains);
    } catch (const WireError&) {
      return;
    }
    failed("refused by a new object and not by a used one", __FILE__, __LINE__);
  }
  wire::decode(frame, used, used_chains);
  for (Index c = 0; c + 1 < std::ssize(fresh.offset); ++c) HOLDS(fresh.chain_payload(c).size() <= frame.size());
  HOLDS(chains.empty() || chains.back() + 1 < fresh.offset.size());
  Bytes again;
  wire::encode(fresh, chains, again);
  HOLDS(again == frame);
  wire::encode(used, used_chains, again);
  HOLDS(again == frame);
}

void reply(const Bytes& frame) {
  static Reply used;
  Reply fresh;
  try {
    wire::decode(frame, fresh);
  } catch (const WireError&) {
    try {
      wire::decode(frame, used);
    } catch (const WireError&) {
      return;
    }
    failed("refused by a new object and not by a used one", __FILE__, __LINE__);
  }
  wire::decode(frame, used);
  HOLDS(fresh.bits.size() == (fresh.silent ? 0 : fresh.chains.size()));
  for (std::size_t p = 0; p < fresh.bits.size(); ++p)
    HOLDS(fresh.bits[p] == 8 * static_cast<std::int64_t>(fresh.part(p).size()));
  Bytes again;
  wire::encode(fresh, again);
  HOLDS(again == frame);
  wire::encode(used, again);
  HOLDS(again == frame);
}

}  // namespace
}  // namespace pollen::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pollen::fuzz;
  Input input(data, size);
  const bool fix_length = (input.byte() & 1) != 0;  // without this, most changes would only make the length wrong
  pollen::Bytes frame = input.bytes();
  if (fix_length && frame.size() >= pollen::wire::kFrameHeader) {
    const std::uint64_t body = frame.size() - pollen::wire::kFrameHeader;
    std::memcpy(frame.data() + 8, &body, sizeof body);
  }
  broadcast(frame);
  reply(frame);
  return 0;
}
