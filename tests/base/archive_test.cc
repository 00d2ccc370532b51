#include "pollen/archive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pollen {
namespace {

struct State {
  std::uint64_t round = 0;
  double step = 0;
  std::vector<double> values = std::vector<double>(3);
  std::string text;
  void archive(Archive& a) {
    a.field(round);
    a.field(step);
    a.array(std::span(values));
    a.text(text);
  }
};

TEST(Archive, ReadsWhatItWrote) {
  State from{7, 0.5, {1, 2, 3}, "hello"};
  Archive writer;
  from.archive(writer);
  const Bytes bytes = writer.take();
  State to;
  Archive reader(bytes);
  to.archive(reader);
  reader.finish();
  EXPECT_EQ(to.round, 7U);
  EXPECT_EQ(to.step, 0.5);
  EXPECT_EQ(to.values, from.values);
  EXPECT_EQ(to.text, "hello");
}

TEST(Archive, RefusesShortLongAndOddInput) {
  State from{7, 0.5, {1, 2, 3}, "hello"};
  Archive writer;
  from.archive(writer);
  Bytes bytes = writer.take();
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    State to;
    Archive reader(ByteView(bytes).first(n));
    EXPECT_THROW(to.archive(reader), WireError) << n;
  }
  bytes.push_back(0);
  State to;
  Archive reader(bytes);
  to.archive(reader);
  EXPECT_THROW(reader.finish(), WireError);
  State other;
  other.values.resize(4);
  Archive again(bytes);
  EXPECT_THROW(other.archive(again), WireError);
}

TEST(Archive, SaysWhatItFoundAndWhatItAccepts) {
  const Bytes three(3);
  const auto says = [](const char* what) { return testing::ThrowsMessage<WireError>(testing::StrEq(what)); };
  std::uint64_t number = 0;
  EXPECT_THAT([&] { Archive(three).field(number); }, says("fields: found 3 bytes left, accepted: 8 items of 1 bytes"));
  EXPECT_THAT([&] { Archive(three).finish(); }, says("fields: found 3 bytes after the last field, accepted: 0"));
}

}  // namespace
}  // namespace pollen
