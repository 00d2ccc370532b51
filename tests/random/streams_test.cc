// Tests the contract of the streams: layout, known answers, prefixes, and equal bits on every instruction set.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <set>

#include "math/targets.h"
#include "pollen/random.h"

namespace pollen {
namespace {

using test::for_each_target;

Stream some_stream() {
  Stream stream = make_stream(42, 7, Purpose::noise);
  stream.round = 0xabc12345678u;
  stream.client = 99;
  stream.step = 0x54321;
  return stream;
}

std::vector<std::uint32_t> words_of(const Stream& stream, std::size_t count, std::uint64_t first = 0) {
  std::vector<std::uint32_t> out(count);
  random_words(stream, out, first);
  return out;
}

template <auto fill>
std::vector<double> doubles_of(const Stream& stream, std::size_t count) {
  std::vector<double> out(count);
  if constexpr (requires { fill(stream, out, 0); })
    fill(stream, out, 0);
  else
    fill(stream, out);
  return out;
}

TEST(Streams, WordsFollowTheLayout) {
  const Stream s = some_stream();
  for_each_target([&] {
    const auto words = words_of(s, 203);
    for (std::uint32_t n = 0; n < words.size(); ++n) {
      const auto block = philox({n / 4, 99, 0x12345678u, 0x54321abcu}, s.key);
      ASSERT_EQ(words[n], block[n % 4]) << n;
    }
  });
}

// The answers are stored here, because a change of them would change every run of every user.
TEST(Streams, KnownAnswers) {
  const Stream s = some_stream();
  EXPECT_EQ(words_of(s, 4), (std::vector<std::uint32_t>{0x83516ae8u, 0x594ff8edu, 0xfda390ebu, 0xc8d30b23u}));
  const auto bits = [](const std::vector<double>& values) {
    std::vector<std::uint64_t> out;
    for (const double v : values) out.push_back(std::bit_cast<std::uint64_t>(v));
    return out;
  };
  using Bits = std::vector<std::uint64_t>;
  EXPECT_EQ(bits(doubles_of<uniforms>(s, 3)), (Bits{0x3fd653fe3b60d45au, 0x3fe91a61647fb472u, 0x3fdeacb1763c44e2u}));
  EXPECT_EQ(bits(doubles_of<normals>(s, 6)), (Bits{0xbfdfeef655d6fe54u, 0xbfe8f9b395bbd92fu, 0x3ff243f73d0a2b81u,
                                                   0xbfa642c4bc74e380u, 0x3fd80927af2e4c53u, 0xbfda229dbb84f597u}));
}

TEST(Streams, FirstWordAddressesTheStream) {
  const Stream s = some_stream();
  for_each_target([&] {
    const auto all = words_of(s, 300);
    for (const std::uint64_t first : {4u, 60u, 128u}) {
      const auto part = words_of(s, 101, first);
      ASSERT_TRUE(std::equal(part.begin(), part.end(), all.begin() + static_cast<std::ptrdiff_t>(first)));
    }
    // The 32-bit block index counts up to the end of the stream.
    const auto late = words_of(s, 8, (std::uint64_t{0xfffffffeu}) * 4);
    const auto block = philox({0xffffffffu, 99, 0x12345678u, 0x54321abcu}, s.key);
    EXPECT_EQ(late[4], block[0]);
    EXPECT_EQ(late[7], block[3]);
  });
}

TEST(Streams, FirstNormalAddressesTheStream) {
  const Stream s = some_stream();
  for_each_target([&] {
    const auto all = doubles_of<normals>(s, 300);
    for (const std::uint64_t first : {2u, 18u, 128u}) {
      std::vector<double> some(150);
      normals(s, some, first);
      EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin() + static_cast<std::ptrdiff_t>(first))) << first;
    }
  });
}

TEST(Streams, UniformsAreTheTop53Bits) {
  const Stream s = some_stream();
  for_each_target([&] {
    const auto words = words_of(s, 400);
    const auto values = doubles_of<uniforms>(s, 200);
    for (std::size_t n = 0; n < values.size(); ++n) {
      const std::uint64_t word = words[2 * n] | std::uint64_t{words[2 * n + 1]} << 32;
      ASSERT_EQ(values[n], static_cast<double>(word >> 11) * 0x1p-53) << n;
    }
  });
}

// Compares with Box-Muller as documented in generate.cc, in long double.
TEST(Streams, NormalsFollowTheirMapping) {
  const Stream s = some_stream();
  const auto words = words_of(s, 4000);
  for_each_target([&] {
    const auto values = doubles_of<normals>(s, 2000);
    for (std::size_t m = 0; m < 1000; ++m) {
      const std::uint64_t a = words[4 * m] | std::uint64_t{words[4 * m + 1]} << 32;
      const std::uint64_t b = words[4 * m + 2] | std::uint64_t{words[4 * m + 3]} << 32;
      const long double u = 1.0L - static_cast<long double>(a >> 11) * 0x1p-53L;
      const long double r = std::sqrt(-2.0L * std::log(u));
      const long double x = static_cast<long double>((b >> 10) & ((std::uint64_t{1} << 52) - 1)) * 0x1p-52L - 0.5L;
      const long double angle = x * 1.57079632679489661923132169163975144L;
      const long double c = (b >> 63 ? -r : r) * std::cos(angle);
      const long double sine = r * std::sin(angle);
      const bool swap = (b >> 62 & 1) != 0;
      ASSERT_NEAR(values[2 * m], static_cast<double>(swap ? sine : c), 4e-15) << m;
      ASSERT_NEAR(values[2 * m + 1], static_cast<double>(swap ? c : sine), 4e-15) << m;
    }
  });
}

TEST(Streams, PrefixesDoNotDependOnTheLength) {
  const Stream s = some_stream();
  for_each_target([&] {
    const auto words = words_of(s, 150);
    const auto values = doubles_of<uniforms>(s, 150);
    const auto gauss = doubles_of<normals>(s, 150);
    for (std::size_t count = 0; count <= 150; ++count) {
      const auto some_words = words_of(s, count);
      const auto some_values = doubles_of<uniforms>(s, count);
      const auto some_gauss = doubles_of<normals>(s, count);
      ASSERT_TRUE(std::equal(some_words.begin(), some_words.end(), words.begin())) << count;
      ASSERT_TRUE(std::equal(some_values.begin(), some_values.end(), values.begin())) << count;
      ASSERT_TRUE(std::equal(some_gauss.begin(), some_gauss.end(), gauss.begin())) << count;
    }
  });
}

TEST(Streams, NothingIsWrittenPastTheEnd) {
  const Stream s = some_stream();
  for_each_target([&] {
    for (std::size_t count = 0; count < 70; ++count) {
      std::vector<double> out(count + 8, -77.0);
      normals(s, std::span(out).subspan(1, count));  // unaligned
      EXPECT_EQ(out[0], -77.0);
      for (std::size_t i = count + 1; i < out.size(); ++i) ASSERT_EQ(out[i], -77.0);
      std::vector<std::uint32_t> words(count + 8, 5);
      random_words(s, std::span(words).subspan(1, count));
      EXPECT_EQ(words[0], 5u);
      for (std::size_t i = count + 1; i < words.size(); ++i) ASSERT_EQ(words[i], 5u);
    }
  });
}

TEST(Streams, SameBitsOnEveryTarget) {
  const Stream s = some_stream();
  const auto gauss = doubles_of<normals>(s, 100001);
  for_each_target([&] {
    const auto again = doubles_of<normals>(s, gauss.size());
    for (std::size_t i = 0; i < gauss.size(); ++i) {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(again[i]), std::bit_cast<std::uint64_t>(gauss[i])) << i;
    }
  });
}

TEST(Streams, EveryAddressFieldCounts) {
  std::set<std::uint32_t> seen;
  const auto note = [&seen](const Stream& stream) { EXPECT_TRUE(seen.insert(words_of(stream, 1)[0]).second); };
  const Stream base = make_stream(1, 2, Purpose::noise);
  note(base);
  note(make_stream(3, 2, Purpose::noise));
  note(make_stream(1 | std::uint64_t{1} << 40, 2, Purpose::noise));
  note(make_stream(1, 3, Purpose::noise));
  for (const Purpose purpose :
       {Purpose::minibatch, Purpose::compress_up, Purpose::compress_down, Purpose::participation, Purpose::partition,
        Purpose::test_split, Purpose::synthetic, Purpose::init, Purpose::power}) {
    note(make_stream(1, 2, purpose));
  }
  for (int bit = 0; bit < 44; ++bit) {
    Stream s = base;
    s.round = std::uint64_t{1} << bit;
    note(s);
  }
  for (int bit = 0; bit < 32; ++bit) {
    Stream s = base;
    s.client = std::uint32_t{1} << bit;
    note(s);
    s = base;
    s.step = std::uint32_t{1} << (bit % 20);
    if (bit < 20) note(s);
  }
}

}  // namespace
}  // namespace pollen
