// Broadcast and Reply as bytes: one codec for every transport (docs/formats/wire.md, a contract).
//
// Bytes from outside are hostile: every length is checked against what is there before memory is taken; anything odd is
// a WireError. Decoding into an object reuses its memory.
#pragma once

#include "pollen/round.h"
#include "pollen/types.h"

namespace pollen::wire {

// What one client is sent: the broadcast and the chains it is to work for.
void encode(const Broadcast& broadcast, std::span<const std::uint32_t> chains, Bytes& out);
void decode(ByteView frame, Broadcast& broadcast, std::vector<std::uint32_t>& chains);

void encode(const Reply& reply, Bytes& out);
void decode(ByteView frame, Reply& reply);

// Bytes of a frame before its body; the rest of the overhead depends on the number of chains.
inline constexpr std::size_t kFrameHeader = 16;

// What a frame is (a contract: append, never renumber). Those after `reply` are in wire/messages.h.
enum class Type : std::uint16_t {
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
  seat = 11,
  settings = 12,
  acknowledged = 13,
  catch_up = 14,
  ask = 15,
  answer = 16,
  draws = 17,
  end = 18,
};
Type type_of(ByteView frame);  // WireError where the header is not one of ours

}  // namespace pollen::wire
