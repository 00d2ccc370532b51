// Fuzzes frames. One that is accepted is encoded again to the same bytes, and a used object decodes the same as a new
// one.
#include "fuzz.h"
#include "pollen/errors.h"
#include "round/frame_size.h"
#include "wire/wire.h"

namespace pollen::fuzz {
namespace {

void broadcast(const Bytes& frame) {
  static Broadcast used;
  static std::vector<std::uint32_t> used_chains;
  static std::vector<double> used_weights;
  Broadcast fresh;
  std::vector<std::uint32_t> chains;
  std::vector<double> weights;
  try {
    wire::decode(frame, fresh, chains, &weights);
  } catch (const WireError&) {
    try {
      wire::decode(frame, used, used_chains, &used_weights);
    } catch (const WireError&) {
      return;
    }
    failed("refused by a new object and not by a used one", __FILE__, __LINE__);
  }
  wire::decode(frame, used, used_chains, &used_weights);
  for (Index c = 0; c + 1 < std::ssize(fresh.offset); ++c) HOLDS(fresh.chain_payload(c).size() <= frame.size());
  HOLDS(chains.empty() || chains.back() + 1 < fresh.offset.size());
  Bytes again;
  wire::encode(fresh, chains, again, weights);
  HOLDS(again == frame);
  wire::encode(used, used_chains, again, used_weights);
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
  HOLDS(frame_bits(fresh) == 8 * static_cast<std::int64_t>(frame.size()));
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
  const pollen::Bytes frame = input.bytes();
  broadcast(frame);
  reply(frame);
  return 0;
}
