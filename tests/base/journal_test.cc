#include "base/journal.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

#include "pollen/errors.h"

namespace pollen {
namespace {

constexpr Seal kSeal{"POLLENJT", 1, "a journal of a test", "begin again"};
constexpr std::size_t kHead = 16;  // of the file, and of a record

class JournalTest : public ::testing::Test {
 protected:
  JournalTest() { ::mkdtemp(folder_.data()); }
  ~JournalTest() override { std::filesystem::remove_all(folder_); }

  static Bytes state(std::size_t bytes, std::uint8_t first) {
    Bytes out(bytes);
    for (std::size_t i = 0; i < bytes; ++i) out[i] = static_cast<std::uint8_t>(first + i);
    return out;
  }
  std::string folder_ = (std::filesystem::temp_directory_path() / "pollen-journal-XXXXXX").string();
  std::string file() const { return folder_ + "/state"; }
};

TEST_F(JournalTest, TheLatestStateIsRead) {
  Journal journal(file(), kSeal, Readers::owner);
  for (std::size_t n = 1; n < 300; ++n) {  // several files' worth
    const Bytes written = state(n % 7 == 0 ? 100'000 : n, static_cast<std::uint8_t>(n));
    journal.write(written);
    if (n % 50 != 0 && n % 7 > 1) continue;
    EXPECT_EQ(read_journal(file(), kSeal), written) << n;
  }
  struct stat facts {};
  ASSERT_EQ(::stat(file().c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0600U);
}

TEST_F(JournalTest, AFurtherProcessGoesOn) {
  {
    Journal first(file(), kSeal);
    first.write(state(40, 1));
    first.write(state(50, 2));
  }
  Journal second(file(), kSeal);
  EXPECT_EQ(read_journal(file(), kSeal), state(50, 2));
  second.write(state(60, 3));
  EXPECT_EQ(read_journal(file(), kSeal), state(60, 3));
}

// A process that is killed while it writes leaves any part of its last record.
TEST_F(JournalTest, ALastRecordThatIsNotWholeDoesNotCount) {
  Journal journal(file(), kSeal);
  journal.write(state(24, 1));
  const std::string before = read_text(file());
  journal.write(state(24, 9));
  const std::string after = read_text(file());
  const std::size_t begin = kHead + kHead + 24, end = begin + kHead + 24;
  for (std::size_t cut = begin; cut < end; ++cut) {
    replace_file(file(), after.substr(0, cut) + before.substr(cut));
    EXPECT_EQ(read_journal(file(), kSeal), state(24, 1)) << cut;
    replace_file(file(), after.substr(0, cut));
    EXPECT_EQ(read_journal(file(), kSeal), state(24, 1)) << cut;
  }
}

TEST_F(JournalTest, DamagedBytesAreFound) {
  Journal journal(file(), kSeal);
  for (std::uint8_t n = 1; n <= 3; ++n) journal.write(state(24, n));
  const std::string whole = read_text(file());
  const std::size_t last = kHead + 2 * (kHead + 24);
  for (std::size_t at = 0; at < last; ++at) {
    if (at >= 12 && at < kHead) continue;  // zeros that nothing depends on
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
    replace_file(file(), flipped);
    try {
      EXPECT_NE(read_journal(file(), kSeal), state(24, 2)) << "byte " << at;
      ADD_FAILURE() << "byte " << at << " was not noticed";
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find("begin again"), std::string::npos) << error.what();
    }
  }
}

TEST_F(JournalTest, OtherFilesAreRefused) {
  replace_file(file(), "");
  EXPECT_THROW(read_journal(file(), kSeal), ConfigError);
  replace_file(file(), std::string(200, 'x'));
  EXPECT_THROW(read_journal(file(), kSeal), ConfigError);
  EXPECT_THROW(read_journal(folder_ + "/none", kSeal), IoError);
}

}  // namespace
}  // namespace pollen
