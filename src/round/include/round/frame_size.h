// How long the frame of a reply is (docs/formats/wire.md), whether or not one is made. Runs count by it what their
// messages cost with frames, in simulation too; a test holds it against the frames themselves.
#pragma once

#include <cstdint>
#include <span>

#include "pollen/client.h"

namespace pollen {

inline constexpr std::int64_t kReplyFrame = 4 + 1;  // the header, and the flags of a reply

// The bytes of a number that is written in groups of seven bits.
constexpr std::int64_t short_bytes(std::uint64_t number) {
  std::int64_t bytes = 1;
  for (; number > 127; number >>= 7) ++bytes;
  return bytes;
}

// Whether the chains are 0, 1, 2, ..., so that their number says which they are.
constexpr bool counts_up(std::span<const std::uint32_t> chains) {
  for (std::size_t p = 0; p < chains.size(); ++p)
    if (chains[p] != p) return false;
  return true;
}

std::int64_t frame_bits(const Reply& reply);

}  // namespace pollen
