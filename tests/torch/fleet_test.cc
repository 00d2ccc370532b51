// Computing all clients together equals computing each by itself: gradients and anchors to float32's accuracy, and what
// a channel makes of them (messages, their lengths, memories) to the last bit. Whole runs are in
// fleet_transport_test.cc.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numeric>

#include "compress/qsgd.h"
#include "help.h"
#include "math/math.h"
#include "network/network.h"
#include "pollen/compress.h"

namespace pollen::testing {
namespace {

constexpr std::int64_t kRows = 10, kBatch = 4;

// Clients whose rows are consecutive parts of one problem.
struct Clients {
  Clients(NetworkSpec network, std::int64_t count) : whole(on_device(network), kRows * count) {
    const Network& n = *whole.network;
    for (std::int64_t i = 0; i < count; ++i) {
      held.push_back(n.hold(whole.x.data() + i * kRows * n.spec().inputs(), whole.y.data() + i * kRows, kRows));
      spec.clients.push_back(held.back().get());
      spec.batch.push_back(kBatch);
    }
    theta.assign(whole.theta.begin(), whole.theta.end());
  }

  static NetworkSpec& on_device(NetworkSpec& network) {
    network.device = fleet_device();
    return network;
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

// What a channel is made of.
struct ChannelCase {
  bool anchored;
  bool memory;
  std::uint32_t levels;  // 0: not compressed
};
void PrintTo(const ChannelCase& c, std::ostream* out) {
  *out << (c.anchored ? "svrg" : "minibatch") << (c.memory ? ", memory" : "") << ", levels " << c.levels;
}

class Channels : public ::testing::TestWithParam<ChannelCase> {};
INSTANTIATE_TEST_SUITE_P(All, Channels,
                         ::testing::Values(ChannelCase{false, false, 1}, ChannelCase{false, false, 16},
                                           ChannelCase{false, false, 1000}, ChannelCase{false, true, 0},
                                           ChannelCase{false, true, 16}, ChannelCase{true, false, 0},
                                           ChannelCase{true, false, 16}, ChannelCase{true, true, 0},
                                           ChannelCase{true, true, 1}, ChannelCase{true, true, 16}));

// A client's end of the channel, by the definitions of src/compress and src/round: C(v - h) is sent, and h moves by the
// rate times what was sent.
struct ChannelEnd {
  std::unique_ptr<const Compressor> codec;
  std::vector<double> h;
  double rate = 0;
  std::vector<double> sent;

  std::int64_t send(std::vector<double> v, const Stream& stream) {
    Scratch scratch;
    if (!h.empty()) math::subtract(v, h, v);
    sent.resize(v.size());
    const std::int64_t bits = codec->encode(v, stream, sent, nullptr, scratch);
    if (!h.empty()) math::axpy(rate, sent, h);
    return bits;
  }
};

// Bits of a vector's levels in both layouts, counted code by code from what is decoded of them.
std::uint64_t naive_bits(const std::vector<double>& sent, double unit) {
  const auto gamma = [](std::uint64_t n) { return 2 * (std::bit_width(n) - 1) + 1; };
  std::uint64_t dense = 0, sparse = 0, next = 0;
  for (std::size_t j = 0; j < sent.size(); ++j) {
    const auto level = static_cast<std::uint64_t>(std::llround(std::abs(sent[j]) / unit));
    dense += static_cast<std::uint64_t>(gamma(level + 1)) + (level > 0 ? 1 : 0);
    if (level == 0) continue;
    sparse += static_cast<std::uint64_t>(gamma(j + 1 - next) + gamma(level)) + 1;
    next = j + 1;
  }
  return std::min(dense, sparse + static_cast<std::uint64_t>(gamma(sent.size() + 1 - next)));
}

// The length of the message in Elias codes.
std::int64_t length_of(const NetworkMessage& m, std::size_t dimension) {
  const QsgdCounts counts{dimension, m.nonzeros, m.dense_logs, m.sparse_logs};
  return qsgd_elias_bits(
      qsgd_part_bits(m.norm, std::min(qsgd_dense_bits(counts), qsgd_sparse_bits(counts, m.gap_bits))));
}

// A fleet without compressor and memory says what the others start from: with one client, its sum is H_i.
TEST_P(Channels, MessagesLengthsAndMemoriesAreThoseOfAClient) {
  Clients c(mlp({9, 6}), 2);
  c.spec.anchored = GetParam().anchored;
  const auto plain = c.whole.network->fleet(c.spec);
  c.spec.levels = GetParam().levels;
  c.spec.memory = GetParam().memory;
  c.spec.rate = 0.25;
  const std::size_t d = c.theta.size();
  CompressorSpec how;
  if (c.spec.levels > 0) how.kind = "qsgd", how.levels = c.spec.levels;
  std::vector<ChannelEnd> ends(2);
  for (ChannelEnd& end : ends)
    end = {make_compressor(how, static_cast<Index>(d)), std::vector<double>(c.spec.memory ? d : 0), c.spec.rate, {}};
  auto fleet = c.whole.network->fleet(c.spec);
  std::vector<double> at = c.theta, memory(2 * ends[0].h.size()), anchored(c.spec.anchored ? 2 * d : 0);
  const double* anchor = c.spec.anchored ? c.theta.data() : nullptr;
  std::uint64_t k = 0;
  for (const std::size_t i : std::vector<std::size_t>{0, 1, 0, 0, 1}) {
    const double* moved = k == 0 ? anchor : nullptr;
    const auto v = c.vector_of(c.round(*plain, only(i, 2), k, at, moved, c.spec.anchored && k == 0).sums);
    const std::int64_t shorter = ends[i].send(v, {c.key, k, static_cast<std::uint32_t>(i), 0});
    const NetworkSums sums = c.round(*fleet, only(i, 2), k, at, moved, c.spec.anchored && k == 0);
    EXPECT_EQ(c.vector_of(sums.sums), ends[i].sent) << "round " << k;
    if (c.spec.levels > 0) {
      const NetworkMessage& m = sums.messages[i];
      const double unit = double{m.norm} / c.spec.levels;
      EXPECT_EQ(length_of(m, d), qsgd_elias_bits(qsgd_part_bits(m.norm, naive_bits(ends[i].sent, unit)))) << k;
      EXPECT_GE(length_of(m, d), shorter) << "round " << k;
    }
    // From here on a fleet goes on that has loaded what this one saved.
    fleet->save(0, memory.data(), anchored.data());
    std::vector<double> expected = ends[0].h;
    expected.insert(expected.end(), ends[1].h.begin(), ends[1].h.end());
    EXPECT_EQ(memory, expected) << "round " << k;
    fleet = c.whole.network->fleet(c.spec);
    fleet->load(0, memory.data(), anchored.data(), anchor);
    for (double& x : at) x *= 0.9;
    k = k == 2 ? (std::uint64_t{1} << 40) + 3 : k + 1;
  }
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
