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
  SealedFile file(path("checkpoint"), {"POLLENCK", 6, "a checkpoint", ""});
  file.write(Bytes(3));
  file.commit();
  EXPECT_THAT([&] { (void)read_checkpoint(path("checkpoint")); },
              testing::ThrowsMessage<ConfigError>(testing::AllOf(
                  testing::HasSubstr("found fields that cannot be read (fields: found "),
                  testing::HasSubstr("), accepted: a checkpoint that is whole (run without --resume)"))));
}

}  // namespace
}  // namespace pollen::sink
