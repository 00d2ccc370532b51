// Sealed files: what was written in pieces comes back as a whole; anything else is refused with a reason.
#include "base/sealed_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "pollen/errors.h"

namespace pollen {
namespace {

constexpr Seal kTestSeal{"POLLENTS", 7, "a test's state", "write it again"};

class SealedFileTest : public testing::Test {
 protected:
  ~SealedFileTest() override { std::filesystem::remove(path_); }

  void write(Readers readers = Readers::everybody) {
    SealedFile file(path_, kTestSeal, readers);
    file.write(Bytes{1, 2, 3});
    file.write({});
    file.write(Bytes{4, 5});
    file.commit();
  }
  std::string complaint(const Seal& seal = kTestSeal) const {
    try {
      read_sealed(path_, seal);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return {};
  }
  bool says(const std::string& words, const Seal& seal = kTestSeal) const {
    const std::string found = complaint(seal);
    return found.find(path_) != std::string::npos && found.find(words) != std::string::npos &&
           found.find("write it again") != std::string::npos;
  }

  std::string path_ = testing::TempDir() + "sealed-" + std::to_string(::getpid());
};

TEST_F(SealedFileTest, PiecesComeBackAsAWhole) {
  write();
  EXPECT_EQ(read_sealed(path_, kTestSeal), (Bytes{1, 2, 3, 4, 5}));
}

TEST_F(SealedFileTest, NothingIsThereBeforeTheCommit) {
  { SealedFile file(path_, kTestSeal); }
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(SealedFileTest, OthersAreRefusedWithAReason) {
  write();
  EXPECT_TRUE(says("another kind of file", {"POLLENXX", 7, "a state", "write it again"})) << complaint();
  EXPECT_TRUE(says("of format version 7, accepted: version 8", {"POLLENTS", 8, "a state", "write it again"}));
  std::filesystem::resize_file(path_, 28);
  EXPECT_TRUE(says("4 bytes where the header says 5")) << complaint();
  std::filesystem::resize_file(path_, 29);  // the last byte is now 0
  EXPECT_TRUE(says("the checksum differs")) << complaint();
  std::filesystem::resize_file(path_, 20);
  EXPECT_TRUE(says("cut short")) << complaint();
  std::filesystem::resize_file(path_, 0);
  EXPECT_TRUE(says("cut short")) << complaint();
}

TEST_F(SealedFileTest, SecretsAreForTheOwnerAlone) {
  write(Readers::owner);
  struct stat status {};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

}  // namespace
}  // namespace pollen
