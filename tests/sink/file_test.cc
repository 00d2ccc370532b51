#include "base/file.h"

#include "fixtures.h"
#include "pollen/errors.h"

namespace pollen::sink {
namespace {

using FileTest = FolderTest;

TEST_F(FileTest, ReplacesAtCommitOnly) {
  put(path("a"), "old");
  {
    ReplacingFile file(path("a"));
    file.write("new");
    EXPECT_EQ(slurp(path("a")), "old");
  }
  EXPECT_EQ(slurp(path("a")), "old");
  EXPECT_FALSE(std::filesystem::exists(temporary_name(path("a"))));
  replace_file(path("a"), "new");
  EXPECT_EQ(slurp(path("a")), "new");
  EXPECT_EQ(read_text(path("a")), "new");
}

TEST_F(FileTest, CountsAndCutsBytes) {
  OutputFile file(path("a"), OutputFile::Open::replace, 16);
  file.write("0123456789");
  file.write("a longer piece than the buffer holds");
  EXPECT_EQ(file.position(), 46);
  file.truncate(4);
  file.write("xy");
  file.close();
  EXPECT_EQ(slurp(path("a")), "0123xy");
}

TEST_F(FileTest, AMissingFolderIsAnIoError) {
  EXPECT_THROW(replace_file(path("no/such/file"), "x"), IoError);
  EXPECT_THROW(read_text(path("nothing")), IoError);
}

}  // namespace
}  // namespace pollen::sink
