// Tests files that must appear together or not at all.
#include "keys/staging.h"

#include "folder.h"

namespace pollen::keys {
namespace {

using ::testing::ElementsAre, ::testing::HasSubstr;

class StagingTest : public testing::FolderTest {};

TEST_F(StagingTest, NothingIsSeenBeforeItIsPublished) {
  {
    Staging staging(path("k"));
    staging.add("a", "1", 0600);
    staging.add("b", "2", 0644);
    EXPECT_FALSE(std::filesystem::exists(path("k/a")));
    staging.publish();
  }
  EXPECT_THAT(listing("k"), ElementsAre("a", "b"));
  EXPECT_EQ(slurp("k/b"), "2");
}

TEST_F(StagingTest, WithoutPublishNothingIsLeft) {
  {
    Staging staging(path("k"));
    staging.add("a", "1", 0600);
  }
  EXPECT_TRUE(listing(".").empty());
}

TEST_F(StagingTest, ANameTakenMeanwhileUndoesAllAndStays) {
  std::filesystem::create_directory(path("k"));
  put("k/other", "mine");
  {
    Staging staging(path("k"));
    for (const char* name : {"a", "b", "c"}) staging.add(name, "ours", 0600);
    put("k/b", "mine");
    EXPECT_THAT(testing::refusal([&] { staging.publish(); }), HasSubstr(path("k/b")));
  }
  EXPECT_THAT(listing("k"), ElementsAre("b", "other"));
  EXPECT_EQ(slurp("k/b"), "mine");
}

TEST_F(StagingTest, AFolderThatOthersFilledIsNotRemoved) {
  {
    Staging staging(path("k"));
    put("k/other", "mine");
  }
  EXPECT_THAT(listing("k"), ElementsAre("other"));
}

}  // namespace
}  // namespace pollen::keys
