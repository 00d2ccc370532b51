// Tests the bit writer, the bit reader and the Elias gamma codes by themselves.
#include "cases.h"
#include "compress/elias.h"
#include "compress/qsgd_code.h"
#include "pollen/errors.h"

namespace pollen::compress_tests {
namespace {

using namespace compress;

std::uint64_t take(BitReader& reader, unsigned length) {
  reader.refill();
  const std::uint64_t value = reader.window() >> (64 - length);
  reader.skip(length);
  return value;
}

TEST(Bits, MostSignificantFirst) {
  Bytes bytes(16);
  BitWriter writer(bytes.data());
  writer.put(1, 1);
  writer.put(0b0011, 4);
  writer.put(0x1ff, 9);
  EXPECT_EQ(bytes[0], 0b10011'111);
  EXPECT_EQ(bytes[1], 0b111111'00);
}

TEST(Bits, AllLengthsAtAllOffsets) {
  std::vector<std::pair<std::uint64_t, unsigned>> codes;
  std::uint64_t value = 0x9e3779b97f4a7c15;
  std::size_t total = 0;
  for (unsigned i = 0; i < 2000; ++i) {
    value = value * 6364136223846793005 + 1442695040888963407;
    const unsigned length = 1 + static_cast<unsigned>(value >> 33) % 56;
    codes.emplace_back(value >> (64 - length), length);
    total += length;
  }
  Bytes bytes(bytes_of_bits(total) + kSpare);
  BitWriter writer(bytes.data());
  for (const auto& [code, length] : codes) writer.put(code, length);
  bytes.resize(bytes_of_bits(total));
  bytes.shrink_to_fit();
  BitReader reader(bytes);
  for (const auto& [code, length] : codes) ASSERT_EQ(take(reader, length), code);
  EXPECT_NO_THROW(reader.finish());
}

TEST(Bits, FinishWantsZeroPaddingAndNoMore) {
  for (const std::size_t size : {1U, 2U, 7U, 8U, 9U, 30U}) {
    Bytes bytes(size, 0);
    const auto finish_after = [&](std::size_t bits) {
      BitReader reader(bytes);
      for (std::size_t i = 0; i < bits; ++i) take(reader, 1);
      reader.finish();
    };
    EXPECT_THROW(finish_after(8 * size - 8), WireError);
    for (std::size_t bits = 8 * size - 7; bits <= 8 * size; ++bits) EXPECT_NO_THROW(finish_after(bits));
    EXPECT_THROW(finish_after(8 * size + 1), WireError);
    EXPECT_THROW(finish_after(8 * size + 100), WireError);
    bytes.back() = 1;
    EXPECT_THROW(finish_after(8 * size - 1), WireError);
    EXPECT_NO_THROW(finish_after(8 * size));
  }
}

TEST(Gamma, RoundTripUpTo2To32) {
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t n = 1; n <= 1000; ++n) numbers.push_back(n);
  for (unsigned b = 10; b <= 32; ++b) {
    for (const std::uint64_t n : {(1ULL << b) - 1, 1ULL << b, (1ULL << b) + 1}) numbers.push_back(n);
  }
  Bytes bytes(numbers.size() * 9);
  BitWriter writer(bytes.data());
  std::size_t total = 0;
  for (const std::uint64_t n : numbers) {
    put_gamma(writer, n);
    total += gamma_length(n);
  }
  bytes.resize(bytes_of_bits(total));
  BitReader reader(bytes);
  for (const std::uint64_t n : numbers) ASSERT_EQ(take_gamma(reader, 32), n);
  EXPECT_NO_THROW(reader.finish());
}

TEST(Gamma, TooLongIsAnError) {
  Bytes bytes(16, 0);
  put_gamma(*std::make_unique<BitWriter>(bytes.data()), 16);
  BitReader reader(bytes);
  EXPECT_THROW(take_gamma(reader, 3), WireError);
  BitReader again(bytes);
  EXPECT_EQ(take_gamma(again, 4), 16U);
  EXPECT_THROW(take_gamma(again, 32), WireError);
}

// Compares the length of the gaps computed by the exponents of doubles with a sum over single gaps.
TEST(Gaps, LengthFromPositions) {
  std::uint64_t state = 1;
  for (const std::size_t d : {1U, 2U, 50U, 63U, 64U, 65U, 128U, 1000U}) {
    for (unsigned sparsity = 0; sparsity < 9; ++sparsity) {
      std::vector<std::uint32_t> positions;
      std::uint64_t expected = 0;
      std::size_t next = 0;
      for (std::size_t j = 0; j <= d; ++j) {
        state = state * 6364136223846793005 + 1442695040888963407;
        if (j < d && sparsity > 0 && state >> (64 - sparsity) != 0) continue;
        expected += gamma_length(j + 1 - next);
        next = j + 1;
        if (j < d) positions.push_back(static_cast<std::uint32_t>(j));
      }
      EXPECT_EQ(gap_length(positions, d), expected) << d << ' ' << sparsity;
    }
  }
}

}  // namespace
}  // namespace pollen::compress_tests
