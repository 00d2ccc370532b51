// The step of SHA-256 from one block of 64 bytes to the next, by the processor's own instructions where it has them.
// Both functions compute the same and are thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pollen {

// Updates the eight words of `state` by so many blocks.
using Sha256Blocks = void (*)(std::uint32_t* state, const std::uint8_t* bytes, std::size_t blocks);
void sha256_blocks_plain(std::uint32_t* state, const std::uint8_t* bytes, std::size_t blocks);
Sha256Blocks fastest_sha256_blocks();

}  // namespace pollen
