#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "base/file.h"
#include "pollen/errors.h"
#include "round/frame_size.h"
#include "support/source_dir.h"
#include "wire/messages.h"
#include "wire/wire.h"

namespace pollen {
namespace {

Broadcast broadcast() {
  Broadcast b;
  b.round = 77;
  b.refresh = true;
  b.whole = false;
  b.offset = {0, 3, 3, 7};
  b.payload = {1, 2, 3, 4, 5, 6, 7};
  b.segment = {300, 5, true, false};
  b.control = {8, 9};
  b.step = {2, 1, 0.5};
  return b;
}

Reply reply() {
  Reply r;
  r.round = 9;
  r.first = 45;
  r.client = 4;
  r.whole = true;
  r.gradients = 1234;
  r.chains = {0, 2};
  r.offset = {0, 2, 5};
  r.payload = {9, 8, 7, 6, 5};
  return r;
}

// The two tests that pin the bytes below say what every field becomes, so a frame that is encoded again is the same
// frame only if every field came back.
TEST(Frames, BroadcastRoundTrip) {
  Bytes frame, again;
  wire::encode(broadcast(), std::vector<std::uint32_t>{0, 2}, frame);
  Broadcast got;
  std::vector<std::uint32_t> mine;
  wire::decode(frame, got, mine);
  wire::encode(got, mine, again);
  EXPECT_EQ(again, frame);
}

TEST(Frames, ReplyRoundTrip) {
  Bytes frame, again;
  wire::encode(reply(), frame);
  Reply got;
  wire::decode(frame, got);
  wire::encode(got, again);
  EXPECT_EQ(again, frame);
  EXPECT_EQ(got.bits, (std::vector<std::int64_t>{16, 24}));
}

// The segment does not end: the chains are named, but nothing is sent for them.
TEST(Frames, SilentReplyRoundTrip) {
  Reply sent = reply();
  sent.silent = true;
  sent.whole = false;
  sent.offset = {0};
  sent.payload.clear();
  Bytes frame;
  wire::encode(sent, frame);
  Reply got;
  wire::decode(frame, got);
  EXPECT_TRUE(got.silent);
  EXPECT_EQ(got.chains, sent.chains);
  EXPECT_TRUE(got.bits.empty());
  EXPECT_TRUE(got.payload.empty());
}

TEST(Frames, AnswersMayBeInSinglePrecision) {
  wire::Answer answer{7, Panel(3, 2), true};
  for (Index c = 0; c < 2; ++c)
    for (std::size_t j = 0; j < 3; ++j)
      answer.values.column(c)[j] = static_cast<float>(0.1 * static_cast<double>(j) - 1e20 * static_cast<double>(c));
  const Bytes single = wire::encode(answer);
  const auto back = wire::decode<wire::Answer>(single);
  EXPECT_TRUE(std::ranges::equal(back.values.flat(), answer.values.flat()));
  answer.single = false;
  EXPECT_EQ(wire::encode(answer).size(), single.size() + 6 * 4);
  Bytes cut(single.begin(), single.end() - 1);
  EXPECT_THROW(wire::decode<wire::Answer>(cut), WireError);
}

// One bit string for all chains, and references before it. Only the number of updates says which memory it was coded
// with.
Reply joined_reply() {
  Reply r = reply();
  r.whole = false;
  r.joined = r.refreshes = true;
  r.chains = {0, 1};
  r.code = {300, 99};
  r.reference_bytes = 2;
  r.offset = {0, 5, 5};
  return r;
}

TEST(Frames, JoinedReplyRoundTrip) {
  Bytes frame, again;
  wire::encode(joined_reply(), frame);
  Reply got;
  wire::decode(frame, got);
  wire::encode(got, again);
  EXPECT_EQ(again, frame);
  EXPECT_TRUE(got.joined && got.refreshes);
  EXPECT_EQ(got.code, (CodeMemory{300, 0}));
  EXPECT_EQ(got.reference_bytes, 2U);
  EXPECT_EQ(got.bits, (std::vector<std::int64_t>{40, 0}));
  EXPECT_EQ(got.part(0).size(), 5U);
}

TEST(Frames, WeightsRoundTrip) {
  Broadcast sent = broadcast();
  sent.present = {3, 3, 2};
  const std::vector<double> weights = {1.5, 2};
  const std::vector<std::uint32_t> chains = {0, 2};
  Bytes frame;
  wire::encode(sent, chains, frame, weights);
  Broadcast got;
  std::vector<std::uint32_t> mine;
  std::vector<double> told;
  wire::decode(frame, got, mine, &told);
  EXPECT_EQ(got.present, sent.present);
  EXPECT_EQ(told, weights);
  EXPECT_THROW(wire::decode(frame, got, mine), WireError) << "a receiver that does not know weights";
  for (const double wrong : {0.0, -1.0, std::numeric_limits<double>::infinity()}) {
    wire::encode(sent, chains, frame, std::vector<double>{1, wrong});
    EXPECT_THROW(wire::decode(frame, got, mine, &told), WireError) << wrong;
  }
}

// Runs count what replies cost with their frames, whether or not these are made.
TEST(Frames, SizesAreCountedWithoutFrames) {
  Reply silent = reply();
  silent.silent = true;
  silent.offset = {0};
  silent.payload.clear();
  Reply large = reply();
  large.round = 1U << 30;
  large.client = 1U << 20;
  large.first = std::uint64_t{1} << 50;
  large.gradients = std::int64_t{1} << 40;
  large.chains = {5, 700};
  large.payload.resize(400);
  large.offset = {0, 300, 400};
  for (Reply sent : {reply(), joined_reply(), silent, large}) {
    sent.bits.assign(sent.offset.size() - 1, 0);
    for (std::size_t p = 0; p < sent.bits.size(); ++p) sent.bits[p] = 8 * std::ssize(sent.part(p));
    Bytes frame;
    wire::encode(sent, frame);
    EXPECT_EQ(frame_bits(sent), 8 * std::ssize(frame));
  }
}

TEST(Frames, TheFormatIsPinned) {
  Bytes frame;
  wire::encode(reply(), frame);
  const Bytes expected = {'P', 'L', 3,  2,  // header: version, type
                          1,                // flags
                          9,   4,   45,     // round, client, the segment's first iteration
                          210, 9,           // gradients
                          2,   0,   1,      // chains: how many, and how many each leaves out
                          2,                // the size of the first part
                          9,   8,   7,  6, 5};
  EXPECT_EQ(frame, expected);
  wire::encode(joined_reply(), frame);
  const Bytes joined = {'P', 'L', 3,  2,
                        60,  // flags: one bit string with references and updates, of the chains 0 and 1
                        9,   4,   45, 210, 9, 2, 172, 2,  // 300 updates
                        2,                                // bytes of references
                        9,   8,   7,  6,   5};
  EXPECT_EQ(frame, joined);
}

// A code that has learnt nothing says nothing of it, and a flag without a number above 0 is refused.
TEST(Frames, FreshCodesHaveNoCount) {
  Reply fresh = joined_reply();
  fresh.code.updates = 0;
  Bytes frame, learnt;
  wire::encode(fresh, frame);
  wire::encode(joined_reply(), learnt);
  EXPECT_EQ(learnt.size(), frame.size() + 2);
  Reply read;
  wire::decode(frame, read);
  EXPECT_EQ(read.code.updates, 0U);
  frame[4] |= 32;
  frame.insert(frame.begin() + 11, 0);
  EXPECT_THROW(wire::decode(frame, read), WireError);
}

TEST(Frames, TheFormatOfBroadcastsIsPinned) {
  Bytes frame;
  wire::encode(broadcast(), std::vector<std::uint32_t>{0, 2}, frame);
  const Bytes expected = {
      'P', 'L', 3, 1,                           // header: version, type
      77,  0,   0, 0, 0, 0, 0, 0,  5,           // round, flags
      44,  1,   0, 0, 0, 0, 0, 0,  5, 0, 0, 0,  // the segment: first iteration, steps
      2,   0,   0, 0, 0, 0, 0, 0,  2, 0, 0, 0,  // chains
      3,   0,   0, 0,                           // R
      3,   0,   0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0, 0,   0,  4, 0, 0, 0, 0, 0, 0,   0,   // sizes
      1,   2,   3, 4, 5, 6, 7,                                                            // payloads
      2,   0,   0, 0, 0, 0, 0, 0,  8, 9,                                                  // control variates
      0,   0,   0, 0, 0, 0, 0, 64, 0, 0, 0, 0, 0, 0, 240, 63, 0, 0, 0, 0, 0, 0, 224, 63,  // the step, L, m
      0,   0,   0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0, 0,   0};                             // present clients, weights
  EXPECT_EQ(frame, expected);
}

TEST(Frames, AnEndlessLegIsRefused) {
  Broadcast endless = broadcast();
  endless.segment.steps = (1u << 20) + 1;
  Bytes frame;
  wire::encode(endless, std::vector<std::uint32_t>{0, 2}, frame);
  Broadcast got;
  std::vector<std::uint32_t> mine;
  EXPECT_THROW(wire::decode(frame, got, mine), WireError);
}

TEST(Frames, AnImpossibleStepIsRefused) {
  for (const double x : {-1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
    for (double StepSize::*number : {&StepSize::size, &StepSize::smoothness, &StepSize::convexity}) {
      Broadcast wrong = broadcast();
      wrong.step.*number = x;
      Bytes frame;
      wire::encode(wrong, std::vector<std::uint32_t>{0, 2}, frame);
      Broadcast got;
      std::vector<std::uint32_t> mine;
      EXPECT_THROW(wire::decode(frame, got, mine), WireError);
    }
}

TEST(Frames, EveryTruncationIsRefused) {
  Bytes frame;
  wire::encode(reply(), frame);
  // The last part ends with the frame, so its own decoder finds that it is too short.
  for (std::size_t n = 0; n < frame.size() - 3; ++n) {
    Reply got;
    EXPECT_THROW(wire::decode(ByteView(frame).first(n), got), WireError) << n;
  }
  wire::encode(broadcast(), std::vector<std::uint32_t>{0, 2}, frame);
  frame.push_back(0);
  Broadcast got;
  std::vector<std::uint32_t> mine;
  for (std::size_t n = 0; n <= frame.size(); ++n) {
    if (n + 1 == frame.size()) continue;  // the frame as it was
    EXPECT_THROW(wire::decode(ByteView(frame).first(n), got, mine), WireError) << n;
  }
}

TEST(Frames, FlippedBitsNeverDoMoreThanThrow) {
  Bytes frame;
  const std::vector<std::uint32_t> chains = {0, 2};
  wire::encode(broadcast(), chains, frame);
  std::mt19937 random(3);
  int refused = 0;
  for (int turn = 0; turn < 5000; ++turn) {
    Bytes bad = frame;
    for (int flips = 0; flips < 3; ++flips)
      bad[random() % bad.size()] ^= static_cast<std::uint8_t>(1U << (random() % 8));
    Broadcast got;
    std::vector<std::uint32_t> mine;
    try {
      wire::decode(bad, got, mine);
      EXPECT_EQ(got.offset.back(), got.payload.size());
    } catch (const WireError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
}

// The page that specifies the format must name the numbers that the code sends.
TEST(Frames, TheSpecificationNamesTheNumbersInUse) {
  const std::string page = read_text(source_dir() + "/docs/formats/wire.md");
  EXPECT_NE(page.find("`kProtocol` = " + std::to_string(wire::kProtocol)), std::string::npos);
  const Bytes frame = wire::encode(wire::End{true, ""});
  EXPECT_NE(page.find("| 1 | version, " + std::to_string(frame[2]) + " |"), std::string::npos);
}

}  // namespace
}  // namespace pollen
