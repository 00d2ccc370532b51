// decode(encode(v)) equals what the encoder reports, bit for bit, and counting bits without making bytes changes
// nothing.
#include "cases.h"

namespace pollen::compress_tests {
namespace {

constexpr Index kDimensions[] = {1, 2, 7, 8, 50, 63, 64, 1000, 5003};

class RoundTrip : public testing::TestWithParam<Case> {};

TEST_P(RoundTrip, DecodeGivesDecoded) {
  for (const Index d : kDimensions) {
    const auto compressor = GetParam().make(d);
    for (const std::vector<double>& v : vectors(d)) {
      for (std::uint64_t round = 0; round < 3; ++round) {
        const Encoded made = encode(*compressor, v, round);
        EXPECT_EQ(made.bits, static_cast<std::int64_t>(made.payload.size() * 8));
        EXPECT_TRUE(same_bits(made.decoded, decode(*compressor, made.payload, v.size())));
      }
    }
  }
}

TEST_P(RoundTrip, DecodeAddIsAFusedSum) {
  for (const Index d : kDimensions) {
    const auto compressor = GetParam().make(d);
    Scratch scratch;
    for (const std::vector<double>& v : vectors(d)) {
      const Encoded made = encode(*compressor, v);
      std::vector<double> sum = gaussian(d, 8), expected = sum;
      for (std::size_t j = 0; j < sum.size(); ++j) expected[j] = std::fma(0.3, made.decoded[j], sum[j]);
      compressor->decode_add(made.payload, 0.3, sum, scratch);
      EXPECT_TRUE(same_bits(sum, expected));
    }
  }
}

TEST_P(RoundTrip, LengthsModeAgrees) {
  for (const Index d : kDimensions) {
    const auto compressor = GetParam().make(d);
    Scratch scratch;
    for (const std::vector<double>& v : vectors(d)) {
      const Encoded made = encode(*compressor, v);
      std::vector<double> decoded(v.size());
      EXPECT_EQ(compressor->encode(v, stream_of(0), decoded, nullptr, scratch), made.bits);
      EXPECT_TRUE(same_bits(decoded, made.decoded));
    }
  }
}

TEST_P(RoundTrip, InPlaceAndTogetherAreTheSame) {
  for (const Index d : kDimensions) {
    const auto compressor = GetParam().make(d);
    Scratch scratch;
    std::vector<std::vector<double>> memory = vectors(d);
    std::vector<Encoding> jobs;
    Bytes together, apart;
    for (std::size_t i = 0; i < memory.size(); ++i) jobs.push_back({memory[i], stream_of(i), memory[i], &together});
    compressor->encode_all(jobs, scratch);
    for (std::size_t i = 0; i < memory.size(); ++i) {
      const Encoded alone = encode(*compressor, vectors(d)[i], i);
      apart.insert(apart.end(), alone.payload.begin(), alone.payload.end());
      EXPECT_EQ(jobs[i].bits, alone.bits);
      EXPECT_TRUE(same_bits(memory[i], alone.decoded));
    }
    EXPECT_EQ(together, apart);
  }
}

TEST_P(RoundTrip, AppendsAndKeepsCapacity) {
  const auto compressor = GetParam().make(50);
  const std::vector<double> v = gaussian(50);
  const Encoded made = encode(*compressor, v);
  Bytes payload{1, 2, 3};
  payload.reserve(made.payload.size() + 64);
  const std::uint8_t* before = payload.data();
  std::vector<double> decoded(v.size());
  Scratch scratch;
  compressor->encode(v, stream_of(0), decoded, &payload, scratch);
  EXPECT_EQ(payload.data(), before);
  Bytes expected{1, 2, 3};
  expected.insert(expected.end(), made.payload.begin(), made.payload.end());
  EXPECT_EQ(payload, expected);
}

TEST_P(RoundTrip, ZeroStaysZero) {
  for (const Index d : kDimensions) {
    const std::vector<double> zero(static_cast<std::size_t>(d), 0.0);
    EXPECT_TRUE(same_bits(encode(*GetParam().make(d), zero).decoded, zero));
  }
}

INSTANTIATE_TEST_SUITE_P(All, RoundTrip, testing::ValuesIn(cases()), case_name);

// Tests all codes of qsgd, near the points where two are equally long and far from them. Without a memory vectors with
// few non-zeros are far from what the range code expects.
TEST(QsgdLayouts, AnyNumberOfNonZeros) {
  for (const std::uint32_t s : {1U, 4U, 256U, 1U << 20}) {
    const auto compressor = make_compressor({.kind = "qsgd", .levels = s}, 400);
    int elias = 0, sparse = 0;
    for (std::size_t nonzeros = 1; nonzeros <= 400; nonzeros += 3) {
      std::vector<double> v = gaussian(400, nonzeros);
      for (std::size_t j = 0; j < v.size(); ++j) {
        if (j * 7919 % 400 >= nonzeros) v[j] = 0;
      }
      const Encoded made = encode(*compressor, v, nonzeros);
      EXPECT_TRUE(same_bits(made.decoded, decode(*compressor, made.payload, v.size())));
      elias += made.payload[0] >> 7;
      sparse += made.payload[0] >> 7 & made.payload[2] >> 6;
    }
    EXPECT_GT(sparse, s == 1 ? 1 : 5) << s;
    EXPECT_LE(sparse, elias);
    EXPECT_LT(elias, 100) << s;  // out of 134
  }
}

TEST(QsgdLayouts, LargeVectorsInBlocks) {
  for (const std::uint32_t s : {16U, 4096U, 1U << 20}) {
    const auto compressor = make_compressor({.kind = "qsgd", .levels = s}, 300'001);
    const std::vector<double> v = gaussian(300'001);
    const Encoded made = encode(*compressor, v);
    EXPECT_TRUE(same_bits(made.decoded, decode(*compressor, made.payload, v.size())));
  }
}

}  // namespace
}  // namespace pollen::compress_tests
