// Compares with known payloads, because the format of docs/formats/compressors.md is a contract.
#include "cases.h"

namespace pollen::compress_tests {
namespace {

std::string hex(const Bytes& bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) {
    for (const int digit : {byte >> 4, byte & 15}) text += "0123456789abcdef"[digit];
  }
  return text;
}

std::string payload_of(const CompressorSpec& spec, const std::vector<double>& v) {
  return hex(encode(*make_compressor(spec, static_cast<Index>(v.size())), v).payload);
}

TEST(Format, Identity) {
  EXPECT_EQ(payload_of({.kind = "identity", .bits = 32}, {1, -2}), "0000803f000000c0");
  EXPECT_EQ(payload_of({.kind = "identity", .bits = 64}, {1}), "000000000000f03f");
}

TEST(Format, QsgdRange) {
  EXPECT_EQ(payload_of({.kind = "qsgd", .levels = 5}, {3, 4}), "01138c5c");
  EXPECT_EQ(payload_of({.kind = "qsgd", .levels = 5}, {-3, 4}), "0113a174");
  EXPECT_EQ(payload_of({.kind = "qsgd", .levels = 4}, gaussian(8)), "4ccbd41e14");
  EXPECT_EQ(payload_of({.kind = "qsgd", .levels = 5000}, gaussian(8)), "7f4408a8b731c318bd1ba0cd86e5a3");
}

TEST(Format, QsgdDense) {
  std::vector<double> v(16, 0.0);
  v[2] = v[3] = v[9] = v[12] = -1;
  // The bits are 1 | 10000000 00000000 | 0 | 1 1 0111 0111 1 1 1 1 1 0111 1 1 0111 1 1 1, as four levels are -2.
  EXPECT_EQ(payload_of({.kind = "qsgd", .levels = 4}, v), "c000377fbefc");
}

TEST(Format, QsgdSparse) {
  std::vector<double> v(16, 0.0);
  v[7] = 2;
  // The bits are 1 | 10000000 00000000 | 1 | 0001000 00100 0 | 0001001.
  EXPECT_EQ(payload_of({.kind = "qsgd", .levels = 4}, v), "c000441024");
}

TEST(Format, QsgdZero) { EXPECT_EQ(payload_of({.kind = "qsgd", .levels = 4}, {0, 0, 0}), ""); }

TEST(Format, Natural) {
  // The bits are 0 01111111 | 1 10000000 | 0 00000000.
  EXPECT_EQ(payload_of({.kind = "natural"}, {1, -2, 0}), "3fe00000");
}

TEST(Format, TopK) {
  // With b = 1, indices 1 and 3 both skip one: 1 1 | 1 1.
  EXPECT_EQ(payload_of({.kind = "top-k", .bits = 32, .k = 2}, {1, -5, 2, 3}), "0000a0c000004040f0");
  // With b = 2, index 0 skips nothing: 1 00; index 10 skips nine: 00 1 01.
  EXPECT_EQ(payload_of({.kind = "top-k", .bits = 32, .k = 2}, {7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0}),
            "0000e0400000a04085");
}

TEST(Format, RandK) { EXPECT_EQ(payload_of({.kind = "rand-k", .bits = 32, .k = 2}, {1, 2}), "0000803f00000040c0"); }

TEST(Format, ScaledSendsTheSameBytes) {
  const std::vector<double> v = gaussian(40);
  for (const std::string kind : {"identity", "qsgd", "rand-k", "natural"}) {
    EXPECT_EQ(payload_of({.kind = kind, .k = 9}, v), payload_of({.kind = kind, .k = 9, .scaled = true}, v));
  }
}

}  // namespace
}  // namespace pollen::compress_tests
