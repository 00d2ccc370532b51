// Encodes Broadcast and Reply as bytes, for every transport. docs/formats/wire.md fixes the format, which must stay
// compatible. Bytes from outside are not trusted: every length is checked against the bytes at hand before memory is
// allocated, and malformed bytes are a WireError. Decoding into an object reuses its memory. The functions are
// thread-safe.
#pragma once

#include "pollen/round.h"
#include "pollen/types.h"

namespace pollen::wire {

// What one client is sent: the broadcast, the chains that it works for and, if messages are coded, their weights. A
// frame with weights is refused by a receiver that does not ask for them.
void encode(const Broadcast& broadcast, std::span<const std::uint32_t> chains, Bytes& out,
            std::span<const double> weights = {});
void decode(ByteView frame, Broadcast& broadcast, std::vector<std::uint32_t>& chains,
            std::vector<double>* weights = nullptr);

void encode(const Reply& reply, Bytes& out);
void decode(ByteView frame, Reply& reply);

// The number of bytes before the body of a frame. The rest of the overhead depends on the number of chains.
inline constexpr std::size_t kFrameHeader = 4;

// The type of a frame. Types may be appended but never renumbered. Those after `reply` are in wire/messages.h.
enum class Type : std::uint8_t {
  broadcast = 1,
  reply = 2,
  hello = 3,
  welcome = 4,
  refusal = 5,
  columns = 6,
  layout = 7,
  moments = 8,
  scaling = 9,
  site = 10,
  seat = 11,  // 12 is no longer used
  acknowledged = 13,
  catch_up = 14,
  ask = 15,
  answer = 16,
  draws = 17,
  end = 18,
  code_seed = 19,
};
Type type_of(ByteView frame);  // WireError if the header is not pollen's

}  // namespace pollen::wire
