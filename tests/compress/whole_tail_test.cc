// Tests vectors whose last coordinates are sent whole: these are exact, and the others are what their compressor alone
// makes of them.
#include "cases.h"
#include "pollen/errors.h"

namespace pollen::compress_tests {
namespace {

class WholeTail : public testing::TestWithParam<Case> {
 protected:
  static std::unique_ptr<const Compressor> make(Index head, Index tail) {
    CompressorSpec spec = GetParam().spec;
    spec.k = (head + GetParam().divisor - 1) / GetParam().divisor;
    return make_compressor(spec, head + tail, tail);
  }
};

TEST_P(WholeTail, SendsTheHeadAsItsCompressorDoes) {
  for (const Index head : {1, 7, 64, 1000})
    for (const Index tail : {1, 3, 50}) {
      const auto alone = GetParam().make(head), both = make(head, tail);
      const std::vector<double> v = gaussian(head + tail);
      const std::vector<double> first(v.begin(), v.begin() + head);
      const Encoded made = encode(*both, v), part = encode(*alone, first);
      std::vector<double> expected = part.decoded;
      expected.insert(expected.end(), v.begin() + head, v.end());
      EXPECT_TRUE(same_bits(made.decoded, expected));
      EXPECT_TRUE(same_bits(decode(*both, made.payload, v.size()), expected));
      EXPECT_EQ(made.bits, part.bits + 64 * tail);
      EXPECT_EQ(made.bits, static_cast<std::int64_t>(made.payload.size() * 8));
    }
}

TEST_P(WholeTail, NeedsNoHead) {
  const auto all = make(0, 5);
  const std::vector<double> v = gaussian(5);
  const Encoded made = encode(*all, v);
  EXPECT_TRUE(same_bits(made.decoded, v));
  EXPECT_TRUE(same_bits(decode(*all, made.payload, 5), v));
  EXPECT_EQ(all->bits_bound(5), 5 * 64);
}

TEST_P(WholeTail, RefusesPayloadsThatAreCutShort) {
  const auto both = make(9, 3);
  const Bytes payload = encode(*both, gaussian(12)).payload;
  for (const std::size_t size : {std::size_t{0}, std::size_t{8}, std::size_t{23}, payload.size() - 1})
    EXPECT_THROW(decode(*both, ByteView(payload).first(size), 12), WireError) << size;
  Bytes longer = payload;
  longer.push_back(1);
  EXPECT_THROW(decode(*both, longer, 12), WireError);
}

INSTANTIATE_TEST_SUITE_P(Compressors, WholeTail, testing::ValuesIn(cases()), case_name);

TEST(WholeTailFormat, WordsComeFirst) {
  const auto compressor = make_compressor({.kind = "qsgd", .levels = 5}, 3, 1);
  EXPECT_EQ(encode(*compressor, {3, 4, 1}).payload, Bytes({0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0x01, 0x13, 0x8c, 0x5c}));
}

// A model of which nothing is learnt sends messages without numbers.
TEST(WholeTailFormat, NothingIsAPayloadOfNoBytes) {
  const auto compressor = make_compressor({}, 0, 0);
  EXPECT_TRUE(encode(*compressor, {}).payload.empty());
  EXPECT_TRUE(decode(*compressor, {}, 0).empty());
}

TEST(WholeTailBound, HasTheWordsInIt) {
  const CompressorSpec qsgd{.kind = "qsgd", .levels = 8};
  EXPECT_EQ(make_compressor(qsgd, 12, 4)->bits_bound(12), *make_compressor(qsgd, 8)->bits_bound(8) + 4 * 64);
  EXPECT_EQ(make_compressor({.bits = 32}, 12, 4)->bits_bound(12), 8 * 32 + 4 * 64);
  EXPECT_FALSE(make_compressor({.kind = "natural"}, 12, 4)->bits_bound(12));
}

}  // namespace
}  // namespace pollen::compress_tests
