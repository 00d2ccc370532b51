// Replies whose vectors are one bit string: what is decoded is what each vector alone would be, the bits are those of
// one string, and both ends learn the same.
#include <algorithm>

#include "cases.h"
#include "compress/qsgd.h"
#include "pollen/errors.h"

namespace pollen::compress_tests {
namespace {

struct Message {
  Bytes payload;
  std::vector<std::vector<double>> decoded;
  CodeMemory memory;
  std::int64_t bits = 0;
};

using Vectors = std::vector<std::vector<double>>;

Message join(const Compressor& compressor, const Vectors& parts, const CodeMemory& memory = {}, bool bytes = true) {
  Message made;
  made.decoded = parts;
  std::vector<Encoding> jobs;
  for (std::size_t p = 0; p < parts.size(); ++p) jobs.push_back({parts[p], stream_of(p), made.decoded[p]});
  static Scratch scratch;
  made.memory =
      compressor.encode_joined(jobs, memory, Compressor::Role::message, bytes ? &made.payload : nullptr, scratch);
  for (const Encoding& job : jobs) made.bits += job.bits;
  return made;
}

Message read(const Compressor& compressor, ByteView payload, std::size_t parts, std::size_t d,
             const CodeMemory& memory = {}) {
  Message made;
  made.decoded.assign(parts, std::vector<double>(d, -99.0));
  std::vector<Decoding> jobs;
  for (auto& part : made.decoded) jobs.push_back({{}, 1, part});
  static Scratch scratch;
  made.memory = compressor.decode_joined(payload, jobs, memory, Compressor::Role::message, scratch);
  return made;
}

Vectors some(Index d, std::size_t parts) {
  const Vectors kinds = vectors(d);
  Vectors all;
  for (std::size_t p = 0; p < parts; ++p) all.push_back(kinds[p % kinds.size()]);
  return all;
}

class Joined : public testing::TestWithParam<Case> {};

TEST_P(Joined, RoundTripWithAMemory) {
  for (const Index d : {1, 6, 50, 700})
    for (const std::size_t parts : {1U, 2U, 4U, 17U}) {
      const auto compressor = GetParam().make(d);
      const Vectors v = some(d, parts);
      CodeMemory memory;
      for (std::uint64_t n = 0; n < 4; ++n) {
        const Message made = join(*compressor, v, memory), counted = join(*compressor, v, memory, false);
        const Message got = read(*compressor, made.payload, parts, v[0].size(), memory);
        ASSERT_EQ(made.bits, 8 * std::ssize(made.payload));
        ASSERT_EQ(counted.bits, made.bits);
        ASSERT_TRUE(counted.memory == made.memory && got.memory == made.memory);
        for (std::size_t p = 0; p < parts; ++p) {
          ASSERT_TRUE(same_bits(made.decoded[p], encode(*compressor, v[p], p).decoded)) << d << ' ' << p;
          ASSERT_TRUE(same_bits(got.decoded[p], made.decoded[p])) << d << ' ' << p;
          ASSERT_TRUE(same_bits(counted.decoded[p], made.decoded[p]));
        }
        memory = made.memory;
        EXPECT_EQ(memory.updates, compressor->learns() ? n + 1 : 0);
      }
    }
}

TEST_P(Joined, HasNoPaddingBetweenParts) {
  for (const Index d : {3, 50}) {
    const auto compressor = GetParam().make(d);
    const Vectors v(20, gaussian(d));
    std::int64_t apart = 0;
    for (std::size_t p = 0; p < v.size(); ++p) apart += encode(*compressor, v[p], p).bits;
    EXPECT_LE(join(*compressor, v).bits, apart);
  }
}

TEST_P(Joined, CutAndFlippedBytesAreRefusedOrFinite) {
  for (const Index d : {1, 7, 300}) {
    const auto compressor = GetParam().make(d);
    const Bytes payload = join(*compressor, some(d, 3)).payload;
    const auto look = [&](const Bytes& bytes) {
      try {
        for (const auto& part : read(*compressor, bytes, 3, static_cast<std::size_t>(d)).decoded)
          for (const double x : part) EXPECT_TRUE(std::isfinite(x));
      } catch (const WireError&) {
      }
    };
    for (std::size_t size = 0; size < payload.size(); size += 1 + payload.size() / 100)
      look(Bytes(payload.begin(), payload.begin() + static_cast<std::ptrdiff_t>(size)));
    for (std::size_t bit = 0; bit < 8 * payload.size(); bit += 1 + payload.size() / 50) {
      Bytes flipped = payload;
      flipped[bit / 8] = static_cast<std::uint8_t>(flipped[bit / 8] ^ (0x80 >> bit % 8));
      look(flipped);
    }
  }
}

std::vector<Case> joining() {
  std::vector<Case> all = cases();
  std::erase_if(all, [](const Case& one) { return !one.make(6)->joins(); });
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, Joined, testing::ValuesIn(joining()), case_name);

TEST(QsgdMessages, ZerosTakeNoBytes) {
  const auto compressor = make_compressor({.kind = "qsgd", .levels = 16}, 5);
  const Message made = join(*compressor, Vectors(3, std::vector<double>(5, 0.0)));
  EXPECT_TRUE(made.payload.empty());
  EXPECT_EQ(made.memory.updates, 1U);
}

TEST(QsgdMessages, TheMemoryDecidesAboutBytesAlone) {
  const auto compressor = make_compressor({.kind = "qsgd", .levels = 16}, 64);
  const CodeMemory learnt{.updates = 9, .mean = std::uint64_t{5} << 32};
  const Message fresh = join(*compressor, {gaussian(64)}), other = join(*compressor, {gaussian(64)}, learnt);
  EXPECT_NE(fresh.payload, other.payload);
  EXPECT_TRUE(same_bits(fresh.decoded[0], other.decoded[0]));
}

TEST(QsgdMessages, TheNormHasEightBitsOfFraction) {
  for (const double norm : {1.0, 1.5, 1.001, 3.9999, 1e-30, 1e30}) {
    const double sent = qsgd_norm(norm), places = std::ldexp(sent, 8 - std::ilogb(sent));
    EXPECT_GE(sent, norm);
    EXPECT_LE(sent, norm * (1 + 0x1p-8));
    EXPECT_EQ(places, std::floor(places));
  }
  EXPECT_EQ(qsgd_norm(1.5), 1.5);
  EXPECT_EQ(qsgd_norm(1e-39), 0);
  EXPECT_TRUE(std::isnan(qsgd_norm(3.4e38)));
}

// Vectors of normal numbers, of Laplace's and of a mixture in which most are small, as gradients of unequal columns
// are.
std::vector<double> shaped(int shape, Index d, std::uint64_t seed) {
  std::vector<double> v = gaussian(d, seed);
  const std::vector<double> u = gaussian(d, seed + 1000), w = gaussian(d, seed + 2000);
  for (std::size_t j = 0; j < v.size(); ++j) {
    if (shape == 1) v[j] *= std::sqrt(u[j] * u[j] + w[j] * w[j]);  // a normal number of Rayleigh's size is Laplace's
    if (shape == 2) v[j] *= j % 4 == 0 ? 1 : 0.1;
  }
  return v;
}

// The entropy of a vector's levels with their signs is that of their frequencies. It is 5 % of what the code may exceed
// it by, norm included, after messages from which the code has learnt.
TEST(QsgdMessages, CloseToTheEntropyOfTheLevels) {
  for (const Index d : {1000, 20'000})
    for (const std::uint32_t s : {1U, 16U, 256U, 4096U})
      for (const int shape : {0, 1, 2}) {
        const auto compressor = make_compressor({.kind = "qsgd", .levels = s}, d);
        CodeMemory memory;
        std::vector<std::size_t> count(2 * std::size_t{s} + 1);
        double bits = 0, entropy = 0;
        for (std::uint64_t n = 0; n < 60; ++n) {
          const Message made = join(*compressor, {shaped(shape, d, n)}, memory);
          memory = made.memory;
          if (n < 20) continue;
          bits += static_cast<double>(made.bits);
          double largest = 0;
          for (const double x : shaped(shape, d, n)) largest += x * x;
          const double unit = qsgd_norm(std::sqrt(largest)) / s;
          for (const double x : made.decoded[0]) ++count[static_cast<std::size_t>(std::lround(x / unit) + s)];
        }
        const double all = 40.0 * static_cast<double>(d);
        for (const std::size_t c : count)
          if (c > 0) entropy -= static_cast<double>(c) * std::log2(static_cast<double>(c) / all);
        EXPECT_LT(bits, 1.05 * entropy + 40 * 24) << "d " << d << ", s " << s << ", shape " << shape;
      }
}

}  // namespace
}  // namespace pollen::compress_tests
