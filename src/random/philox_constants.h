// Philox4x32's constants (Salmon et al. 2011, table 2): the two multipliers and the two Weyl increments of the key.
#pragma once

#include <cstdint>

namespace pollen {

inline constexpr std::uint32_t kPhiloxM0 = 0xD2511F53u;
inline constexpr std::uint32_t kPhiloxM1 = 0xCD9E8D57u;
inline constexpr std::uint32_t kPhiloxW0 = 0x9E3779B9u;
inline constexpr std::uint32_t kPhiloxW1 = 0xBB67AE85u;
inline constexpr std::uint32_t kPhiloxRounds = 10;

}  // namespace pollen
