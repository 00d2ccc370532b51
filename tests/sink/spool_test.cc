#include "sink/spool.h"

#include <gmock/gmock.h>

#include "fixtures.h"
#include "pollen/errors.h"

namespace pollen::sink {
namespace {

using SpoolTest = FolderTest;
constexpr SpoolShape kShape{5, 3};

TEST_F(SpoolTest, GivesBackWhatWasAppended) {
  write_known_spool(path("draws.spool"), kShape, 1000);
  const SpoolReader spool(path("draws.spool"));
  ASSERT_EQ(spool.draws(), 1000);
  ASSERT_EQ(spool.shape().dimension, 5);
  ASSERT_EQ(spool.shape().chains, 3);
  std::vector<double> values;
  spool.parameters(1, 3, values);
  ASSERT_EQ(values.size(), 3u * 3 * 1000);
  for (Index p = 0; p < 3; ++p)
    for (Index c = 0; c < 3; ++c)
      for (Index i = 0; i < 1000; ++i)
        ASSERT_EQ(values[static_cast<std::size_t>((p * 3 + c) * 1000 + i)], known_value(i, c, p + 1));
  spool.parameters(-1, 1, values);
  EXPECT_EQ(values[1000 + 17], known_potential(17, 1));
  std::vector<double> theta(5);
  spool.draw(999, 2, theta);
  EXPECT_EQ(theta[4], known_value(999, 2, 4));
}

TEST_F(SpoolTest, GoesOnAfterACut) {
  write_known_spool(path("a"), kShape, 100);
  write_known_spool(path("b"), kShape, 70);
  {
    SpoolWriter again(path("a"), kShape, 40);
    EXPECT_EQ(again.draws(), 40);
    append_known(again, kShape, 40, 70);
    again.sync();
  }
  EXPECT_EQ(slurp(path("a")), slurp(path("b")));
}

TEST_F(SpoolTest, ACutLastRecordIsLeftOut) {
  write_known_spool(path("a"), kShape, 10);
  std::filesystem::resize_file(path("a"), std::filesystem::file_size(path("a")) - 5);
  EXPECT_EQ(SpoolReader(path("a")).draws(), 9);
}

TEST_F(SpoolTest, RefusesWhatIsNoSpoolOrTooShort) {
  put(path("a"), "lp__,theta.1\n");
  EXPECT_THROW(SpoolReader(path("a")), ConfigError);
  put(path("a"), "POLLENSP\1");
  EXPECT_THROW(SpoolReader(path("a")), ConfigError);
  EXPECT_THROW(SpoolReader(path("nothing")), IoError);
  write_known_spool(path("b"), kShape, 10);
  EXPECT_THAT([&] { SpoolWriter(path("b"), kShape, 11); },
              testing::ThrowsMessage<IoError>(
                  testing::HasSubstr("b: found 10 draws of 3 chains × 5 parameters with 0 extras, accepted: at least "
                                     "11 of 3 × 5 with 0, as in the checkpoint")));
  EXPECT_THROW(SpoolWriter(path("b"), (SpoolShape{4, 3}), 5), IoError);
}

// Flips every bit of a few records: each is found, by whoever reads the record, and the draws before it are named.
TEST_F(SpoolTest, EveryFlippedBitOfARecordIsFound) {
  constexpr SpoolShape kSmall{1, 2};
  write_known_spool(path("a"), kSmall, 3);
  const std::string whole = slurp(path("a"));
  const std::size_t record = kSmall.record() * sizeof(double), begin = whole.size() - 3 * record;
  for (std::size_t bit = 8 * (begin + record); bit < 8 * (begin + 2 * record); ++bit) {
    std::string bytes = whole;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    put(path("a"), bytes);
    const SpoolReader spool(path("a"));
    const Index chain = bit / 8 < begin + record + kSmall.width() * sizeof(double) ? 0 : 1;
    std::vector<double> theta(1), values;
    EXPECT_THROW(spool.draw(1, chain, theta), IoError) << bit;
    EXPECT_THROW(spool.parameters(0, 1, values), IoError) << bit;
    EXPECT_NO_THROW(spool.check(1)) << bit;
    EXPECT_NO_THROW(SpoolWriter(path("a"), kSmall, 1)) << bit;
  }
  put(path("a"), whole);
  EXPECT_NO_THROW(SpoolReader(path("a")).check(3));
}

TEST_F(SpoolTest, RecordsInAnotherOrderAreFound) {
  write_known_spool(path("a"), kShape, 4);
  std::string bytes = slurp(path("a"));
  const std::size_t record = kShape.record() * sizeof(double), begin = bytes.size() - 4 * record;
  std::swap_ranges(bytes.begin() + static_cast<std::ptrdiff_t>(begin),
                   bytes.begin() + static_cast<std::ptrdiff_t>(begin + record),
                   bytes.begin() + static_cast<std::ptrdiff_t>(begin + record));
  put(path("a"), bytes);
  EXPECT_THAT([&] { SpoolWriter(path("a"), kShape, 4); },
              testing::ThrowsMessage<IoError>(testing::HasSubstr("found damaged bytes in draw 1 of chain 1")));
}

TEST_F(SpoolTest, RefusesAnotherVersionByItsNumber) {
  write_known_spool(path("a"), kShape, 10);
  std::string bytes = slurp(path("a"));
  bytes[8] = 9;
  put(path("a"), bytes);
  try {
    SpoolReader spool(path("a"));
    FAIL() << "accepted";
  } catch (const ConfigError& error) {
    const char* said = "found a spool of draws of format version 9, accepted: version 2";
    EXPECT_NE(std::string(error.what()).find(said), std::string::npos) << error.what();
  }
}

TEST_F(SpoolTest, WithoutPotentialsTheyAreNaN) {
  write_known_spool(path("a"), kShape, 3, false);
  std::vector<double> values;
  SpoolReader(path("a")).parameters(-1, 1, values);
  for (const double u : values) EXPECT_TRUE(std::isnan(u));
}

TEST_F(SpoolTest, AFullDiskIsAnIoErrorWithPathAndReason) {
  try {
    SpoolWriter spool("/dev/full", kShape);
    append_known(spool, kShape, 0, 10);
    spool.sync();
    FAIL() << "no error";
  } catch (const IoError& error) {
    EXPECT_NE(std::string(error.what()).find("/dev/full"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("No space left"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace pollen::sink
