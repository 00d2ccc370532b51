// Decodes hostile bytes. The result must be a WireError or finite values, and only payloads that an encoder can produce
// are accepted.
#include <random>

#include "cases.h"
#include "pollen/errors.h"

namespace pollen::compress_tests {
namespace {

class Hostile : public testing::TestWithParam<Case> {};

constexpr Index kDimensions[] = {1, 7, 50, 300};

// Returns whether the payload is accepted, and checks that all its values are finite.
bool accepted(const Compressor& compressor, const Bytes& payload, Index d) {
  try {
    for (const double x : decode(compressor, payload, static_cast<std::size_t>(d))) EXPECT_TRUE(std::isfinite(x));
    return true;
  } catch (const WireError&) {
    return false;
  }
}

// A range code of few numbers that is cut or has one more byte may be another one, and no bytes are one of zeros.
void expect_only_whole(const Compressor& compressor, Bytes payload, Index d) {
  const bool certain = !compressor.learns();
  for (std::size_t size = 0; size < payload.size(); size += 1 + payload.size() / 100) {
    // The copy has exactly this size, so that the address sanitizer notices a read past it.
    const Bytes part(payload.begin(), payload.begin() + static_cast<std::ptrdiff_t>(size));
    const bool yes = accepted(compressor, part, d);
    EXPECT_FALSE(certain && yes) << size;
  }
  payload.push_back(0);
  const bool longer = accepted(compressor, payload, d);
  EXPECT_FALSE(certain && longer);
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
      const std::uint64_t mask = turn % 3 == 0 ? 0xff : random() & random();  // few ones give long runs of zeros
      for (std::uint8_t& byte : payload) byte = static_cast<std::uint8_t>(random() & mask);
      if (turn % 5 == 0 && payload.size() > 4) payload[0] |= 0x80;  // of qsgd: Elias codes
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

// The bits of an Elias code: 1, the norm's 16 bits, the layout, the codes. 5 is 2^2 · 1.25, hence 10000001 01000000.
TEST_F(Qsgd, NormMustBePositiveAndNormal) {
  EXPECT_TRUE(accepted({0b1'1000000, 0b1'0100000, 0b0'0'00100'0, 0b00101'0'00}));
  EXPECT_FALSE(accepted({0b1'1111111, 0b1'0000000, 0b0'0'00100'0, 0b00101'0'00}));  // infinity
  EXPECT_FALSE(accepted({0b1'1111111, 0b1'0000000, 0b1'0'00100'0, 0b00101'0'00}));  // NaN
  EXPECT_FALSE(accepted({0b1'0000000, 0b0'0000000, 0b1'0'00100'0, 0b00101'0'00}));  // subnormal
  EXPECT_FALSE(accepted({0b1'0000000, 0b0'0000000, 0}));                            // zeros need no bytes
  EXPECT_TRUE(accepted({}));
  EXPECT_FALSE(accepted({0}));
}

TEST_F(Qsgd, LevelsEndAtS) {
  EXPECT_TRUE(accepted({0b1'1000000, 0b1'0100000, 0b0'0'00110'0, 0b1'0000000}));    // dense 5, 0
  EXPECT_FALSE(accepted({0b1'1000000, 0b1'0100000, 0b0'0'00111'0, 0b1'0000000}));   // dense 6, 0
  EXPECT_TRUE(accepted({0b1'1000000, 0b1'0100000, 0b0'1'1'00101, 0b0'010'0000}));   // sparse 5 at 0, a gap of 2
  EXPECT_FALSE(accepted({0b1'1000000, 0b1'0100000, 0b0'1'1'00110, 0b0'010'0000}));  // 6
}

TEST_F(Qsgd, GapsEndAtD) {
  EXPECT_TRUE(accepted({0b1'1000000, 0b1'0100000, 0b0'1'011'000}));                 // nothing but the end, a gap of 3
  EXPECT_FALSE(accepted({0b1'1000000, 0b1'0100000, 0b0'1'00100'0}));                // a gap of 4
  EXPECT_FALSE(accepted({0b1'1000000, 0b1'0100000, 0b0'1'1'00101, 0b0'011'0000}));  // past the end
  EXPECT_FALSE(accepted({0b1'1000000, 0b1'0100000, 0b0'1'011'001}));                // padding
}

}  // namespace
}  // namespace pollen::compress_tests
