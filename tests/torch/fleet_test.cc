// All clients together are every client by itself: gradients, messages to the last bit, memories and anchors.
#include <gtest/gtest.h>

#include <numeric>

#include "compress/qsgd.h"
#include "help.h"
#include "pollen/compress.h"

namespace pollen::testing {
namespace {

constexpr std::int64_t kRows = 10, kBatch = 4;

// Clients with rows of one problem, one after the other.
struct Clients {
  Clients(const NetworkSpec& network, std::int64_t count) : whole(network, kRows * count) {
    const Network& n = *whole.network;
    for (std::int64_t i = 0; i < count; ++i) {
      held.push_back(n.hold(whole.x.data() + i * kRows * n.spec().inputs(), whole.y.data() + i * kRows, kRows));
      spec.clients.push_back(held.back().get());
      spec.batch.push_back(kBatch);
    }
    theta.assign(whole.theta.begin(), whole.theta.end());
  }

  static std::vector<std::uint32_t> rows_of(std::size_t client) {
    std::vector<std::uint32_t> rows(kBatch);
    std::iota(rows.begin(), rows.end(), static_cast<std::uint32_t>(client % 5));
    return rows;
  }

  NetworkSums round(NetworkFleet& fleet, const std::vector<std::uint8_t>& present, std::uint64_t k,
                    const std::vector<double>& at, const double* anchor = nullptr, bool at_anchor = false) const {
    std::vector<std::uint32_t> rows;
    for (std::size_t i = 0; i < present.size(); ++i)
      if (present[i] != 0)
        for (const std::uint32_t row : rows_of(i)) rows.push_back(row);
    NetworkFleetRound round;
    round.position = at.data();
    round.anchor = anchor;
    round.at_anchor = at_anchor;
    round.present = present.data();
    round.rows = rows.data();
    round.key[0] = key[0];
    round.key[1] = key[1];
    round.round = k;
    fleet.begin(round);
    return fleet.finish(0);
  }

  std::vector<double> vector_of(const double* from) const { return {from, from + theta.size()}; }

  std::vector<double> gradient(std::size_t client, const std::vector<double>& at, bool all_rows = false) const {
    const std::vector<float> at32(at.begin(), at.end());
    std::vector<float> g(at32.size());
    const auto rows = rows_of(client);
    whole.network->loss(*held[client], all_rows ? nullptr : rows.data(), all_rows ? kRows : kBatch, at32.data(),
                        g.data());
    return {g.begin(), g.end()};
  }

  Case whole;
  std::vector<std::unique_ptr<NetworkRows>> held;
  NetworkFleetSpec spec;
  std::vector<double> theta;
  PhiloxKey key = {17, 4};
};

std::vector<std::uint8_t> only(std::size_t client, std::size_t of) {
  std::vector<std::uint8_t> present(of, 0);
  present[client] = 1;
  return present;
}

NetworkSpec resnet(const std::string& norm) {
  NetworkSpec spec = image_network("resnet20", 3, 8);
  spec.norm = norm;
  return spec;
}

struct Named {
  std::string name;
  NetworkSpec spec;
};
void PrintTo(const Named& named, std::ostream* out) { *out << named.name; }

class Fleets : public ::testing::TestWithParam<Named> {};
INSTANTIATE_TEST_SUITE_P(Kinds, Fleets,
                         ::testing::Values(Named{"mlp", mlp({7, 6}, "tanh")},
                                           Named{"lenet5", image_network("lenet5", 1, 28)},
                                           Named{"cnn5", image_network("cnn5", 3, 16)}, Named{"frn", resnet("frn")},
                                           Named{"group", resnet("group")}),
                         [](const auto& named) { return named.param.name; });

TEST_P(Fleets, EveryClientHasItsOwnGradient) {
  const Clients c(GetParam().spec, 3);
  const auto fleet = c.whole.network->fleet(c.spec);
  ASSERT_NE(fleet, nullptr);
  std::vector<double> sum(c.theta.size());
  for (std::size_t i = 0; i < 3; ++i) {
    std::vector<double> expected = c.gradient(i, c.theta);
    for (double& g : expected) g *= double{kRows} / double{kBatch};
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += expected[j];
    EXPECT_LT(apart(c.vector_of(c.round(*fleet, only(i, 3), 0, c.theta).sums), expected), 2e-5) << i;
  }
  EXPECT_LT(apart(c.vector_of(c.round(*fleet, {1, 1, 1}, 0, c.theta).sums), sum), 2e-5);
}

// Alone, a client's sum is its message; without levels it is what the message is made of.
TEST(Fleet, MessagesAreThoseOfTheCodec) {
  for (const std::uint32_t levels : {1u, 16u, 1000u}) {
    Clients c(mlp({9, 6}), 2);
    const auto plain = c.whole.network->fleet(c.spec);
    c.spec.levels = levels;
    const auto quantised = c.whole.network->fleet(c.spec);
    CompressorSpec qsgd;
    qsgd.kind = "qsgd";
    qsgd.levels = levels;
    const auto d = static_cast<Index>(c.theta.size());
    const auto codec = make_compressor(qsgd, d);
    for (std::size_t i = 0; i < 2; ++i)
      for (const std::uint64_t k : {std::uint64_t{0}, (std::uint64_t{1} << 40) + 3}) {
        const std::vector<double> v = c.vector_of(c.round(*plain, only(i, 2), k, c.theta).sums);
        std::vector<double> decoded(v.size());
        Scratch scratch;
        const std::int64_t bits =
            codec->encode(v, {c.key, k, static_cast<std::uint32_t>(i), 0}, decoded, nullptr, scratch);
        const NetworkSums sums = c.round(*quantised, only(i, 2), k, c.theta);
        EXPECT_EQ(c.vector_of(sums.sums), decoded);
        const NetworkMessage& m = sums.messages[i];
        const QsgdCounts counts{static_cast<std::uint64_t>(d), m.nonzeros, m.dense_logs, m.sparse_logs};
        EXPECT_EQ(qsgd_bits(std::min(qsgd_dense_bits(counts), qsgd_sparse_bits(counts, m.gap_bits))), bits);
      }
  }
}

TEST(Fleet, MemoriesMoveByTheMessage) {
  Clients c(mlp({6}), 2);
  const auto plain = c.whole.network->fleet(c.spec);
  const std::vector<double> v = c.vector_of(c.round(*plain, {1, 0}, 0, c.theta).sums);
  c.spec.memory = true;
  c.spec.rate = 0.25;
  const auto fleet = c.whole.network->fleet(c.spec);
  EXPECT_EQ(c.vector_of(c.round(*fleet, {1, 0}, 0, c.theta).sums), v);
  std::vector<double> second = c.vector_of(c.round(*fleet, {1, 0}, 1, c.theta).sums);
  for (std::size_t j = 0; j < v.size(); ++j) EXPECT_NEAR(second[j], 0.75 * v[j], 1e-12 * (1 + std::abs(v[j])));
  // Saved and loaded, the next round is the same.
  std::vector<double> memory(2 * v.size());
  fleet->save(0, memory.data(), nullptr);
  EXPECT_EQ(std::vector<double>(memory.begin() + static_cast<std::ptrdiff_t>(v.size()), memory.end()),
            std::vector<double>(v.size()));
  const auto again = c.whole.network->fleet(c.spec);
  again->load(0, memory.data(), nullptr, nullptr);
  const std::vector<double> third = c.vector_of(c.round(*fleet, {1, 1}, 2, c.theta).sums);
  EXPECT_EQ(c.vector_of(c.round(*again, {1, 1}, 2, c.theta).sums), third);
}

TEST(Fleet, AnchorsTakeTheirDifferenceAndGiveItBackWhole) {
  Clients c(mlp({6}), 2);
  c.spec.anchored = true;
  const auto fleet = c.whole.network->fleet(c.spec);
  std::vector<double> anchor = c.theta;
  for (double& x : anchor) x *= 0.5;
  const std::vector<double> all = c.gradient(1, anchor, true);
  EXPECT_LT(apart(c.vector_of(c.round(*fleet, {0, 1}, 0, anchor, anchor.data(), true).sums), all), 1e-6);
  const std::vector<double> here = c.gradient(1, c.theta), there = c.gradient(1, anchor);
  std::vector<double> expected(all);
  for (std::size_t j = 0; j < all.size(); ++j) expected[j] += 2.5 * (here[j] - there[j]);
  EXPECT_LT(apart(c.vector_of(c.round(*fleet, {0, 1}, 1, c.theta).sums), expected), 1e-5);
}

TEST(Fleet, BatchStatisticsAndScriptsHaveNone) {
  const Clients c(resnet("batch"), 2);
  EXPECT_EQ(c.whole.network->fleet(c.spec), nullptr);
}

}  // namespace
}  // namespace pollen::testing
