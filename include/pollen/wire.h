// Broadcast and Reply as bytes: one codec for every transport (docs/formats/wire.md, a contract).
//
// Bytes from outside are hostile: every length is checked against what is there before memory is taken; anything odd is a
// WireError. Decoding into an object reuses its memory.
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

}  // namespace pollen::wire
