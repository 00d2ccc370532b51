#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>

#include "pollen/errors.h"
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
  const std::uint64_t body = cut.size() - wire::kFrameHeader;
  std::memcpy(cut.data() + wire::kFrameHeader - sizeof body, &body, sizeof body);
  EXPECT_THROW(wire::decode<wire::Answer>(cut), WireError);
}

TEST(Frames, TheFormatIsPinned) {
  Bytes frame;
  wire::encode(reply(), frame);
  const Bytes expected = {
      'P', 'O', 'L', 'N', 2, 0, 2, 0, 62, 0, 0, 0, 0, 0, 0, 0,  // header: version, type, body length
      9,   0,   0,   0,   0, 0, 0, 0,                           // round
      4,   0,   0,   0,   1,                                    // client, flags
      45,  0,   0,   0,   0, 0, 0, 0,                           // the segment's first iteration
      210, 4,   0,   0,   0, 0, 0, 0,                           // gradients
      2,   0,   0,   0,   0, 0, 0, 0, 2,  0, 0, 0,              // chains
      2,   0,   0,   0,   0, 0, 0, 0, 3,  0, 0, 0, 0, 0, 0, 0,  // sizes
      9,   8,   7,   6,   5};
  EXPECT_EQ(frame, expected);
}

TEST(Frames, TheFormatOfBroadcastsIsPinned) {
  Bytes frame;
  wire::encode(broadcast(), std::vector<std::uint32_t>{0, 2}, frame);
  const Bytes expected = {
      'P', 'O', 'L', 'N', 2, 0, 1, 0,  102, 0, 0, 0, 0, 0, 0,   0,  // header: version, type, body length
      77,  0,   0,   0,   0, 0, 0, 0,  5,                           // round, flags
      44,  1,   0,   0,   0, 0, 0, 0,  5,   0, 0, 0,                // the segment: first iteration, steps
      2,   0,   0,   0,   0, 0, 0, 0,  2,   0, 0, 0,                // chains
      3,   0,   0,   0,                                             // R
      3,   0,   0,   0,   0, 0, 0, 0,  0,   0, 0, 0, 0, 0, 0,   0,  4, 0, 0, 0, 0, 0, 0,   0,    // sizes
      1,   2,   3,   4,   5, 6, 7,                                                               // payloads
      2,   0,   0,   0,   0, 0, 0, 0,  8,   9,                                                   // control variates
      0,   0,   0,   0,   0, 0, 0, 64, 0,   0, 0, 0, 0, 0, 240, 63, 0, 0, 0, 0, 0, 0, 224, 63};  // the step, L, m
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
  for (std::size_t n = 0; n < frame.size(); ++n) {
    Reply got;
    EXPECT_THROW(wire::decode(ByteView(frame).first(n), got), WireError) << n;
  }
  frame.push_back(0);
  Reply got;
  EXPECT_THROW(wire::decode(frame, got), WireError);
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

}  // namespace
}  // namespace pollen
