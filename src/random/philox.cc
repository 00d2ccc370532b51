#include "random/philox.h"

#include "pollen/random.h"

namespace pollen {

const std::uint64_t kPhiloxKeySteps[kPhiloxRounds][2] = {
    {kPhiloxW0 * 0u, kPhiloxW1 * 0u}, {kPhiloxW0 * 1u, kPhiloxW1 * 1u}, {kPhiloxW0 * 2u, kPhiloxW1 * 2u},
    {kPhiloxW0 * 3u, kPhiloxW1 * 3u}, {kPhiloxW0 * 4u, kPhiloxW1 * 4u}, {kPhiloxW0 * 5u, kPhiloxW1 * 5u},
    {kPhiloxW0 * 6u, kPhiloxW1 * 6u}, {kPhiloxW0 * 7u, kPhiloxW1 * 7u}, {kPhiloxW0 * 8u, kPhiloxW1 * 8u},
    {kPhiloxW0 * 9u, kPhiloxW1 * 9u},
};

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, PhiloxKey key) {
  for (std::uint32_t round = 0; round < kPhiloxRounds; ++round) {
    const std::uint64_t p0 = std::uint64_t{kPhiloxM0} * counter[0];
    const std::uint64_t p1 = std::uint64_t{kPhiloxM1} * counter[2];
    counter = {static_cast<std::uint32_t>(p1 >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(p1),
               static_cast<std::uint32_t>(p0 >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(p0)};
    key[0] += kPhiloxW0;
    key[1] += kPhiloxW1;
  }
  return counter;
}

PhiloxKey derive_key(std::uint64_t seed, std::uint32_t chain, Purpose purpose) {
  const PhiloxKey root{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
  const auto words = philox({chain, static_cast<std::uint32_t>(purpose), 0x6c6c6f70u, 0x00006e65u}, root);
  return {words[0], words[1]};
}

}  // namespace pollen
