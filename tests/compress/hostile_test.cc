// Bytes from outside: a WireError or finite values, never anything else; and only what an encoder can make is accepted.
#include <random>

#include "cases.h"
#include "pollen/errors.h"

namespace pollen::compress_tests {
namespace {

class Hostile : public testing::TestWithParam<Case> {};

constexpr Index kDimensions[] = {1, 7, 50, 300};

// Whether the payload is accepted; then all values must be finite.
bool accepted(const Compressor& compressor, const Bytes& payload, Index d) {
  try {
    for (const double x : decode(compressor, payload, static_cast<std::size_t>(d))) EXPECT_TRUE(std::isfinite(x));
    return true;
  } catch (const WireError&) {
    return false;
  }
}

void expect_only_whole(const Compressor& compressor, Bytes payload, Index d) {
  for (std::size_t size = 0; size < payload.size(); size += 1 + payload.size() / 100) {
    // A copy of just that size, so that the address sanitizer sees a read past it.
    const Bytes part(payload.begin(), payload.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(accepted(compressor, part, d)) << size;
  }
  payload.push_back(0);
  EXPECT_FALSE(accepted(compressor, payload, d));
  payload.insert(payload.end(), 20, 0x5a);
  EXPECT_FALSE(accepted(compressor, payload, d));
}

TEST_P(Hostile, TruncatedOrTooLong) {
  for (const Index d : kDimensions) {
    const auto compressor = GetParam().make(d);
    for (const std::vector<double>& v : vectors(d)) expect_only_whole(*compressor, encode(*compressor, v).payload, d);
  }
}

TEST_P(Hostile, FlippedBits) {
  for (const Index d : kDimensions) {
    const auto compressor = GetParam().make(d);
    for (const std::vector<double>& v : vectors(d)) {
      const Bytes payload = encode(*compressor, v).payload;
      for (std::size_t bit = 0; bit < payload.size() * 8; bit += 1 + payload.size() / 100) {
        Bytes flipped = payload;
        flipped[bit / 8] = static_cast<std::uint8_t>(flipped[bit / 8] ^ (0x80 >> bit % 8));
        accepted(*compressor, flipped, d);
      }
    }
  }
}

TEST_P(Hostile, RandomBytes) {
  std::mt19937_64 random(5);
  for (const Index d : kDimensions) {
    const auto compressor = GetParam().make(d);
    const std::size_t usual = encode(*compressor, gaussian(d)).payload.size();
    for (int turn = 0; turn < 1000; ++turn) {
      Bytes payload(turn % 2 == 0 ? usual : random() % (2 * usual + 12));
      const std::uint64_t mask = turn % 3 == 0 ? 0xff : random() & random();  // few ones: long runs of zeros
      for (std::uint8_t& byte : payload) byte = static_cast<std::uint8_t>(random() & mask);
      if (turn % 5 == 0 && payload.size() > 4) payload[3] = 0x40;  // a norm of about two
      accepted(*compressor, payload, d);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Hostile, testing::ValuesIn(cases()), case_name);

class Qsgd : public testing::Test {
 protected:
  std::unique_ptr<const Compressor> compressor_ = make_compressor({.kind = "qsgd", .levels = 5}, 2);

  bool accepted(const Bytes& payload) { return compress_tests::accepted(*compressor_, payload, 2); }
};

TEST_F(Qsgd, NormMustBePositiveAndNormal) {
  EXPECT_TRUE(accepted({0, 0, 0xa0, 0x40, 0x10, 0x50}));
  EXPECT_FALSE(accepted({0, 0, 0xa0, 0xc0, 0x10, 0x50}));  // -5
  EXPECT_FALSE(accepted({0, 0, 0x80, 0x7f, 0x10, 0x50}));  // infinity
  EXPECT_FALSE(accepted({1, 0, 0x80, 0x7f, 0x10, 0x50}));  // NaN
  EXPECT_FALSE(accepted({1, 0, 0, 0, 0x10, 0x50}));        // subnormal
  EXPECT_FALSE(accepted({0, 0, 0, 0x80}));                 // -0
  EXPECT_TRUE(accepted({0, 0, 0, 0}));
  EXPECT_FALSE(accepted({0, 0, 0, 0, 0}));
}

TEST_F(Qsgd, LevelsEndAtS) {
  EXPECT_TRUE(accepted({0, 0, 0xa0, 0x40, 0b0'00110'0'1}));                // dense 5, 0
  EXPECT_FALSE(accepted({0, 0, 0xa0, 0x40, 0b0'00111'0'1}));               // dense 6, 0
  EXPECT_TRUE(accepted({0, 0, 0xa0, 0x40, 0b1'1'00101'0, 0b010'00000}));   // sparse 5 at 0, then a gap of 2
  EXPECT_FALSE(accepted({0, 0, 0xa0, 0x40, 0b1'1'00110'0, 0b010'00000}));  // 6
}

TEST_F(Qsgd, GapsEndAtD) {
  EXPECT_TRUE(accepted({0, 0, 0xa0, 0x40, 0b1'011'0000}));                 // nothing but the end, a gap of 3
  EXPECT_FALSE(accepted({0, 0, 0xa0, 0x40, 0b1'00100'00}));                // a gap of 4
  EXPECT_FALSE(accepted({0, 0, 0xa0, 0x40, 0b1'1'00101'0, 0b011'00000}));  // past the end
  EXPECT_FALSE(accepted({0, 0, 0xa0, 0x40, 0b1'011'0001}));                // padding
}

}  // namespace
}  // namespace pollen::compress_tests
