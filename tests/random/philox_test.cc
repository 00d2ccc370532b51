// Compares Philox4x32-10 with Random123: with its published answers, and with its header over many counters.
#include <Random123/philox.h>
#include <gtest/gtest.h>

#include "pollen/random.h"

namespace pollen {
namespace {

using Words = std::array<std::uint32_t, 4>;

TEST(Philox, KnownAnswers) {
  const std::uint32_t ones = 0xffffffffu;
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}));
  EXPECT_EQ(philox({ones, ones, ones, ones}, {ones, ones}),
            (Words{0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu}));
  EXPECT_EQ(philox({0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}, {0xa4093822u, 0x299f31d0u}),
            (Words{0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}));
}

TEST(Philox, AgreesWithRandom123) {
  r123::Philox4x32 reference;
  Words counter{1, 2, 3, 4};
  PhiloxKey key{5, 6};
  for (int i = 0; i < 20000; ++i) {
    const auto expected = reference({{counter[0], counter[1], counter[2], counter[3]}}, {{key[0], key[1]}});
    const Words actual = philox(counter, key);
    for (std::size_t j = 0; j < 4; ++j) ASSERT_EQ(actual[j], expected[j]);
    counter = actual;  // walks over arbitrary counters
    key = {actual[1] ^ key[0], actual[2] + key[1]};
  }
}

TEST(Philox, KeyFollowsTheLayout) {
  const std::uint64_t seed = 0x0123456789abcdefu;
  r123::Philox4x32 reference;
  const auto expected = reference({{17, 3, 0x6c6c6f70u, 0x00006e65u}}, {{0x89abcdefu, 0x01234567u}});
  const PhiloxKey key = derive_key(seed, 17, Purpose::compress_up);
  EXPECT_EQ(key[0], expected[0]);
  EXPECT_EQ(key[1], expected[1]);
}

}  // namespace
}  // namespace pollen
