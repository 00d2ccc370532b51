#include "sink/checkpoint.h"

#include <gmock/gmock.h>

#include "base/sealed_file.h"
#include "fixtures.h"
#include "pollen/errors.h"

namespace pollen::sink {
namespace {

class CheckpointTest : public FolderTest {
 protected:
  CheckpointTest() {
    checkpoint_.config_given = "seed = 1\n";
    checkpoint_.config_used = "seed = 1\nstep = 2\n";
    checkpoint_.draws = 123;
    checkpoint_.metrics_bytes = 456;
    checkpoint_.seconds = 1.5;
    checkpoint_.recorder = std::string("\0r", 2);
    checkpoint_.experiment = Bytes(1000, 101);
    write_checkpoint(path("checkpoint"), checkpoint_);
  }
  Checkpoint checkpoint_;
};

TEST_F(CheckpointTest, ReadsBack) {
  const auto read = read_checkpoint(path("checkpoint"));
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->finished);
  EXPECT_EQ(read->config_given, checkpoint_.config_given);
  EXPECT_EQ(read->config_used, checkpoint_.config_used);
  EXPECT_EQ(read->draws, 123);
  EXPECT_EQ(read->metrics_bytes, 456);
  EXPECT_EQ(read->seconds, 1.5);
  EXPECT_EQ(read->recorder, checkpoint_.recorder);
  EXPECT_EQ(read->experiment, checkpoint_.experiment);
}

// A server keeps one checkpoint per round in a journal, and the file is an ordinary one again when the run is over.
TEST_F(CheckpointTest, OneAfterEveryRound) {
  CheckpointFile file(path("rounds"), true);
  const auto save = [&](Archive& out) { out.bytes(checkpoint_.experiment); };
  for (int round = 1; round <= 200; ++round) {
    checkpoint_.draws = round;
    checkpoint_.experiment = Bytes(2000 + static_cast<std::size_t>(round), static_cast<std::uint8_t>(round));
    file.write(checkpoint_, true, save);
    if (round % 20 != 0) continue;
    const auto read = read_checkpoint(path("rounds"));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->draws, round);
    EXPECT_EQ(read->experiment, checkpoint_.experiment);
  }
  const std::string journal = slurp(path("rounds"));
  EXPECT_EQ(journal.substr(0, 8), "POLLENCJ");
  std::string damaged = journal;
  damaged[40] = static_cast<char>(damaged[40] ^ 0x10);
  put(path("rounds"), damaged);
  EXPECT_THROW(read_checkpoint(path("rounds")), ConfigError);
  put(path("rounds"), journal);
  file.settle();
  EXPECT_EQ(slurp(path("rounds")).substr(0, 8), "POLLENCK");
  EXPECT_EQ(read_checkpoint(path("rounds"))->draws, 200);
  checkpoint_.finished = true;
  file.write(checkpoint_, false, save);
  EXPECT_EQ(slurp(path("rounds")).substr(0, 8), "POLLENCK");
  EXPECT_TRUE(read_checkpoint(path("rounds"))->finished);
}

TEST_F(CheckpointTest, NoFileIsNoCheckpoint) { EXPECT_FALSE(read_checkpoint(path("nothing"))); }

TEST_F(CheckpointTest, EveryFlippedByteIsSeen) {
  const std::string whole = slurp(path("checkpoint"));
  for (std::size_t at = 0; at < whole.size(); at += 7) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    put(path("checkpoint"), damaged);
    EXPECT_THROW(read_checkpoint(path("checkpoint")), ConfigError) << "byte " << at;
  }
}

TEST_F(CheckpointTest, EveryCutIsSeen) {
  const std::string whole = slurp(path("checkpoint"));
  for (std::size_t size = 0; size < whole.size(); size += 13) {
    put(path("checkpoint"), whole.substr(0, size));
    EXPECT_THROW(read_checkpoint(path("checkpoint")), ConfigError) << size << " bytes";
  }
}

TEST_F(CheckpointTest, FieldsThatCannotBeReadAreNamed) {
  SealedFile file(path("checkpoint"), {"POLLENCK", 10, "a checkpoint", ""});
  file.write(Bytes(3));
  file.commit();
  EXPECT_THAT([&] { (void)read_checkpoint(path("checkpoint")); },
              testing::ThrowsMessage<ConfigError>(testing::AllOf(
                  testing::HasSubstr("found fields that cannot be read (fields: found "),
                  testing::HasSubstr("), accepted: a checkpoint that is whole (run without --resume)"))));
}

}  // namespace
}  // namespace pollen::sink
