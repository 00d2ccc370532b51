#include "base/sha256.h"

#include <gtest/gtest.h>

#include <random>

#include "base/sha256_blocks.h"

namespace pollen {
namespace {

// The examples of FIPS 180-4 and of NIST's test vectors.
TEST(Sha256, PublishedExamples) {
  EXPECT_EQ(hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hex(sha256(std::string(1'000'000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesMakeTheWhole) {
  std::mt19937 random(1);
  for (std::size_t length = 0; length < 300; ++length) {
    std::string text(length, 0);
    for (char& c : text) c = static_cast<char>(random());
    Sha256 hash;
    for (std::size_t at = 0; at < length;) {
      const std::size_t piece = 1 + random() % 90;
      hash.add(std::string_view(text).substr(at, piece));
      at += piece;
    }
    EXPECT_EQ(hash.end(), sha256(text)) << length;
  }
}

// The processor's own instructions and the plain ones agree.
TEST(Sha256, BothWaysAreTheSame) {
  std::mt19937 random(2);
  std::vector<std::uint8_t> bytes(64 * 9);
  for (std::size_t blocks = 0; blocks < 10; ++blocks) {
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    std::array<std::uint32_t, 8> one{}, other{};
    for (std::size_t i = 0; i < one.size(); ++i) one[i] = other[i] = static_cast<std::uint32_t>(random());
    sha256_blocks_plain(one.data(), bytes.data(), blocks);
    fastest_sha256_blocks()(other.data(), bytes.data(), blocks);
    EXPECT_EQ(one, other) << blocks;
  }
}

// RFC 4231, test cases 1, 2 and 6.
TEST(Hmac, HasThePublishedValues) {
  EXPECT_EQ(hex(hmac_sha256(std::string(20, '\x0b'), "Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(hex(hmac_sha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hex(hmac_sha256(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

}  // namespace
}  // namespace pollen
