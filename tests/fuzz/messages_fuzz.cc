// Fuzzes every message of a federation's set-up and rounds. One that is accepted is encoded again to the same bytes.
#include "fuzz.h"
#include "pollen/errors.h"
#include "wire/messages.h"

namespace pollen::fuzz {
namespace {

// Decodes a frame as this kind of message. Levels of columns are sorted and empty panels have no columns, so these
// messages may become shorter.
template <class Message>
void message(const Bytes& frame) {
  Message read;
  try {
    read = wire::decode<Message>(frame);
  } catch (const WireError&) {
    return;
  }
  const Bytes again = wire::encode(read);
  const Bytes third = wire::encode(wire::decode<Message>(again));
  HOLDS(again == third);
  HOLDS(again.size() <= frame.size());
}

template <class... Messages>
void each(const Bytes& frame) {
  (message<Messages>(frame), ...);
}

}  // namespace
}  // namespace pollen::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pollen;
  using namespace pollen::fuzz;
  Input input(data, size);
  const Bytes frame = input.bytes();
  each<wire::Hello, wire::Welcome, wire::Refusal, wire::Columns, wire::Layout, wire::Moments, wire::Scaling, wire::Site,
       wire::Seat, wire::Acknowledged, wire::CatchUp, wire::Ask, wire::Answer, wire::Draws, wire::End, wire::CodeSeed>(
      frame);
  return 0;
}
