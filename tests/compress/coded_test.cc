// The compressor coded: the law of its quantiser's error, its range code, and what both ends learn.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cases.h"
#include "pollen/errors.h"

namespace pollen::compress_tests {
namespace {

using Role = Compressor::Role;

std::unique_ptr<const Compressor> coded(Index d) { return make_compressor({.kind = "coded"}, d); }

struct CodedMessage {
  Bytes payload;
  std::vector<std::vector<double>> decoded;
  CodeMemory memory;
  std::int64_t bits = 0;
};

Stream code_stream(std::uint64_t round, std::uint32_t chain) {
  Stream stream = make_stream(11, chain, Purpose::shared_code);
  stream.round = round;
  return stream;
}

CodedMessage code(const std::vector<std::vector<double>>& parts, double spread, std::uint64_t round,
                  const CodeMemory& memory = {}, Role role = Role::message) {
  CodedMessage made;
  made.decoded = parts;
  std::vector<Encoding> jobs;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    jobs.push_back({parts[p], code_stream(round, static_cast<std::uint32_t>(p)), made.decoded[p], &made.payload});
    jobs.back().spread = spread;
  }
  static Scratch scratch;
  made.memory = coded(std::ssize(parts[0]))->encode_joined(jobs, memory, role, &made.payload, scratch);
  made.bits = jobs.front().bits;
  return made;
}

CodedMessage read(ByteView payload, std::size_t d, std::size_t parts, double spread, std::uint64_t round,
                  const CodeMemory& memory = {}, Role role = Role::message) {
  CodedMessage made;
  made.decoded.assign(parts, std::vector<double>(d));
  std::vector<Decoding> jobs;
  for (std::size_t p = 0; p < parts; ++p)
    jobs.push_back({code_stream(round, static_cast<std::uint32_t>(p)), spread, made.decoded[p]});
  static Scratch scratch;
  made.memory = coded(static_cast<Index>(d))->decode_joined(payload, jobs, memory, role, scratch);
  return made;
}

double normal_below(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

// Returns √n times the largest distance between the empirical law of the numbers and N(0, 1).
double distance_to_normal(std::vector<double> x) {
  std::ranges::sort(x);
  const auto n = static_cast<double>(x.size());
  double furthest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double p = normal_below(x[i]), below = static_cast<double>(i) / n;
    furthest = std::max({furthest, p - below, below + 1 / n - p});
  }
  return std::sqrt(n) * furthest;
}

// 40 tests at level 1e-6 each: Kolmogorov's law exceeds 2.7 with that probability.
TEST(CodedQuantiser, ErrorIsNormalWhateverIsSent) {
  constexpr std::size_t kNumbers = 200'000;
  for (const double v : {0.0, 0.37, 5.0, -40.3, 1e6}) {
    for (const double spread : {1.0, 0.02}) {
      const CodedMessage made = code({std::vector<double>(kNumbers, v * spread)}, spread, 3);
      std::vector<double> error(kNumbers);
      double square = 0, with_sign = 0;
      for (std::size_t j = 0; j < kNumbers; ++j) {
        error[j] = (made.decoded[0][j] - v * spread) / spread;
        square += error[j] * error[j] / kNumbers;
        with_sign += error[j] * (j % 2 == 0 ? 1 : -1) / kNumbers;
      }
      EXPECT_LT(distance_to_normal(error), 2.7) << v << ' ' << spread;
      EXPECT_NEAR(square, 1, 5 * std::sqrt(2.0 / kNumbers)) << v;
      EXPECT_NEAR(with_sign, 0, 5 / std::sqrt(1.0 * kNumbers)) << v;
    }
  }
}

// E|k| = E|v|/(s√(2π)) is the identity from which both ends learn r.
TEST(CodedQuantiser, MeanStepIsTheMeanSize) {
  constexpr std::size_t kNumbers = 400'000;
  for (const double size : {0.05, 1.0, 30.0}) {
    std::vector<double> v = gaussian(kNumbers);
    double mean = 0;
    for (double& x : v) mean += std::abs(x *= size) / kNumbers;
    // With 2·10^9 updates before it a message counts 1/400, from which its mean follows.
    const CodedMessage made = code({v}, 1, 0, {.updates = 2'000'000'000, .mean = std::uint64_t{1} << 22});
    const double moved = static_cast<double>(made.memory.mean) / (1 << 22) - 1;
    const double found = 1 + 400 * moved, expected = mean / std::sqrt(2 * M_PI);
    EXPECT_NEAR(found, expected, 5 * std::sqrt((size + 0.2) / kNumbers) * std::sqrt(size + 1) + 400.0 / (1 << 22));
  }
}

TEST(CodedMessages, RoundTrip) {
  for (const Index d : {1, 2, 7, 50, 1000}) {
    for (const double size : {0.0, 0.01, 0.3, 2.0, 50.0, 1e9}) {
      for (const Role role : {Role::message, Role::reference}) {
        std::vector<std::vector<double>> parts(3, gaussian(d));
        for (auto& part : parts)
          for (double& x : part) x *= size;
        CodeMemory memory;
        for (std::uint64_t round = 0; round < 5; ++round) {
          const CodedMessage made = code(parts, 0.7, round, memory, role);
          const CodedMessage got = read(made.payload, static_cast<std::size_t>(d), 3, 0.7, round, memory, role);
          for (std::size_t p = 0; p < 3; ++p)
            ASSERT_TRUE(same_bits(made.decoded[p], got.decoded[p])) << d << ' ' << size;
          ASSERT_EQ(made.memory, got.memory);
          ASSERT_EQ(made.bits, 8 * std::ssize(made.payload));
          ASSERT_TRUE(made.payload.empty() || made.payload.back() != 0);
          memory = made.memory;
        }
        EXPECT_EQ(memory.updates, role == Role::message ? 5U : 0U);
      }
    }
  }
}

TEST(CodedMessages, AllZeroIsEmpty) {
  const CodedMessage made = code({std::vector<double>(1000, 0.0), std::vector<double>(1000, 0.0)}, 1, 0);
  // k = round(-u) is 0 for all dithers within ±½.
  EXPECT_TRUE(made.payload.empty());
  EXPECT_EQ(made.bits, 0);
  EXPECT_EQ(made.memory.updates, 1U);
  EXPECT_LT(made.memory.mean, std::uint64_t{1335088});
}

TEST(CodedMessages, PayloadNeverDecidesWhatIsDecoded) {
  const std::vector<std::vector<double>> parts = {gaussian(64)};
  const CodedMessage fresh = code(parts, 0.1, 9), learnt = code(parts, 0.1, 9, {.updates = 7, .mean = 40'000'000});
  EXPECT_NE(fresh.payload, learnt.payload);
  EXPECT_TRUE(same_bits(fresh.decoded[0], learnt.decoded[0]));
}

// The entropy of k given the layers is that of the table's probabilities. A message may exceed it by what the last byte
// rounds up, and a mean over many messages is near it.
TEST(CodedMessages, CloseToTheEntropy) {
  constexpr Index kDimension = 50;
  constexpr int kMessages = 4000;
  for (const double size : {0.02, 0.2, 1.0}) {
    CodeMemory memory;
    double bits = 0, entropy = 0;
    for (int n = 0; n < kMessages; ++n) {
      std::vector<double> v = gaussian(32 * kDimension, static_cast<std::uint64_t>(100 + n));
      for (double& x : v) x *= size;
      const CodedMessage made = code({v}, 1, static_cast<std::uint64_t>(n), memory);
      memory = made.memory;
      if (n < 1000) continue;
      bits += static_cast<double>(made.bits);
    }
    bits /= (kMessages - 1000) * 32.0 * kDimension;
    // Averages p(k) over layers and dithers, by the stated law of k: Φ differences with width Δ of the layer.
    std::vector<double> x = gaussian(20000, 1), draws(40000);
    uniforms(make_stream(5, 0, Purpose::synthetic), draws);
    for (std::size_t j = 0; j < x.size(); ++j) {
      const double level = x[j] * x[j] / 2 - std::log(std::max(draws[2 * j], 1e-300)), t = std::exp(-level);
      const double width = std::sqrt(2 * level) + std::sqrt(-2 * std::log1p(-t)), u = draws[2 * j + 1] - 0.5;
      for (int k = -200; k <= 200; ++k) {
        const double p = normal_below((k + u + 0.5) * width / size) - normal_below((k + u - 0.5) * width / size);
        if (p > 1e-12) entropy -= p * std::log2(p) / static_cast<double>(x.size());
      }
    }
    EXPECT_GT(bits, 0.95 * entropy - 0.002) << size;
    EXPECT_LT(bits, 1.05 * entropy + 8 / (32.0 * kDimension)) << size;
  }
}

TEST(CodedMessages, RefusesWhatItCannotCode) {
  EXPECT_THROW(code({{0.0, std::nan("")}}, 1, 0), NumericError);
  EXPECT_THROW(code({{HUGE_VAL}}, 1, 0), NumericError);
  EXPECT_THROW(code({{1e14}}, 1, 0), NumericError);
}

TEST(CodedMessages, RefusesHostileBytes) {
  const auto refused = [](const Bytes& bytes, std::size_t d) {
    try {
      read(bytes, d, 1, 1, 0);
    } catch (const WireError&) {
      return true;
    }
    return false;
  };
  EXPECT_TRUE(refused(Bytes(14, 1), 1)) << "more than 98 bits";
  EXPECT_TRUE(refused(Bytes(13, 0xff), 1)) << "above the range";
  EXPECT_TRUE(refused({1, 0}, 4)) << "a zero byte at the end";
  EXPECT_TRUE(refused(Bytes(12, 1), 1)) << "bytes behind the last number";
  // Whatever else comes is decoded to finite numbers or refused.
  for (std::uint64_t n = 0; n < 20000; ++n) {
    std::vector<std::uint32_t> words(16);
    random_words(make_stream(n, 0, Purpose::synthetic), words);
    Bytes bytes;
    for (std::size_t i = 0; i < words[0] % 60; ++i)
      bytes.push_back(static_cast<std::uint8_t>(words[1 + i / 4] >> 8 * (i % 4)));
    try {
      const auto result = read(bytes, 5, 1, 1, n);
      for (const double x : result.decoded[0]) ASSERT_TRUE(std::isfinite(x));
    } catch (const WireError&) {
    }
  }
}

}  // namespace
}  // namespace pollen::compress_tests
