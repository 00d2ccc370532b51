// Known payloads: the format of docs/formats/compressors.md is a contract.
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

TEST(Format, QsgdDense) {
  // 0 | 00100 0 | 00101 0
  EXPECT_EQ(payload_of({.kind = "qsgd", .levels = 5}, {3, 4}), "0000a0401050");
  EXPECT_EQ(payload_of({.kind = "qsgd", .levels = 5}, {-3, 4}), "0000a0401250");
}

TEST(Format, QsgdSparse) {
  std::vector<double> v(16, 0.0);
  v[7] = 2;
  // 1 | 0001000 00100 0 | 0001001
  EXPECT_EQ(payload_of({.kind = "qsgd", .levels = 4}, v), "00000040882048");
}

TEST(Format, QsgdZero) { EXPECT_EQ(payload_of({.kind = "qsgd", .levels = 4}, {0, 0, 0}), "00000000"); }

TEST(Format, QsgdRandom) { EXPECT_EQ(payload_of({.kind = "qsgd", .levels = 4}, gaussian(8)), "f2493240568c42b8"); }

TEST(Format, Natural) {
  // 0 01111111 | 1 10000000 | 0 00000000
  EXPECT_EQ(payload_of({.kind = "natural"}, {1, -2, 0}), "3fe00000");
}

TEST(Format, TopK) {
  // b = 1; indices 1 and 3 both skip one: 1 1 | 1 1
  EXPECT_EQ(payload_of({.kind = "top-k", .bits = 32, .k = 2}, {1, -5, 2, 3}), "0000a0c000004040f0");
  // b = 2; index 0 skips nothing: 1 00; index 10 skips nine: 00 1 01
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
