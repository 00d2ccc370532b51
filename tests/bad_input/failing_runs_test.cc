// Runs that fail after they began: exit code 1, one clear line, and only complete files in the folder.
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "case.h"
#include "support/source_dir.h"

namespace pollen::bad_input {
namespace {

namespace fs = std::filesystem;

std::string last_line(const Outcome& outcome) {
  const auto lines = lines_of(outcome.err);
  return lines.empty() ? "" : lines.back();
}

void expect_words(const std::string& line, const Words& words) {
  for (const std::string& word : words)
    EXPECT_NE(line.find(word), std::string::npos) << "no \"" << word << "\" in: " << line;
}

class FailingRuns : public ProgramTest {
 protected:
  FailingRuns() {
    put("a.toml", toml({{"run.iterations", "40000"}, {"output.metrics_every", "10"}}));
    put("d.csv", kRows);
  }

  // Expects no temporary file, csv files that end with a complete line as wide as their header, and a summary.json that
  // is complete or absent.
  void expect_whole(const std::string& name) const {
    if (!exists(name)) return;
    for (const std::string& file : listing(name)) {
      EXPECT_FALSE(file.ends_with(".tmp")) << file;
      if (file.ends_with(".csv")) expect_whole_csv(name + "/" + file);
      EXPECT_TRUE(file != "summary.json" || slurp(name + "/" + file).ends_with("}\n")) << file;
    }
  }

  void expect_whole_csv(const std::string& name) const {
    const std::string text = slurp(name);
    ASSERT_TRUE(text.empty() || text.ends_with("\n")) << name;
    std::ptrdiff_t commas = -1;
    for (const std::string& line : lines_of(text)) {
      if (line.empty() || line[0] == '#') continue;
      const auto here = std::count(line.begin(), line.end(), ',');
      EXPECT_EQ(commas < 0 ? here : commas, here) << name << ": " << line;
      commas = here;
    }
  }

  void expect_failed_for_space(const Outcome& outcome, const std::string& reason) const {
    EXPECT_EQ(outcome.code, 1) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
    expect_words(last_line(outcome), {"pollen: ", "out", "cannot write", reason});
    expect_whole("out");
  }
};

// Each limit strikes a different file: the draws in progress, metrics.csv, or the files written at the end.
TEST_F(FailingRuns, FileSizeLimitIsToldLikeAFullDisk) {
  for (const std::int64_t limit : {1, 1000, 20'000, 500'000, 1'500'000}) {
    SCOPED_TRACE(limit);
    fs::remove_all(path("out"));
    ProgramOptions options;
    options.file_limit = limit;
    expect_failed_for_space(run({"run", "a.toml", "--out", "out", "--quiet"}, options), "File too large");
  }
}

class Tmpfs {
 public:
  Tmpfs(std::string at, const std::string& options) : at_(std::move(at)) {
    fs::create_directories(at_);
    mounted_ = ::mount("tmpfs", at_.c_str(), "tmpfs", 0, options.c_str()) == 0;
  }
  ~Tmpfs() {
    if (mounted_) ::umount2(at_.c_str(), MNT_DETACH);
  }
  Tmpfs(const Tmpfs&) = delete;
  Tmpfs& operator=(const Tmpfs&) = delete;
  bool mounted() const { return mounted_; }

 private:
  std::string at_;
  bool mounted_ = false;
};

TEST_F(FailingRuns, FullDisk) {
  for (const char* size : {"size=4k", "size=100k", "size=1m", "size=3m"}) {
    SCOPED_TRACE(size);
    const Tmpfs disk(path("out"), size);
    if (!disk.mounted()) GTEST_SKIP() << "mounting a tmpfs is not allowed here";
    expect_failed_for_space(run({"run", "a.toml", "--out", "out", "--quiet"}), "No space left on device");
  }
}

TEST_F(FailingRuns, NoInodesLeft) {
  const Tmpfs disk(path("out"), "size=10m,nr_inodes=3");
  if (!disk.mounted()) GTEST_SKIP() << "mounting a tmpfs is not allowed here";
  const Outcome outcome = run({"run", "a.toml", "--out", "out", "--quiet"});
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
  expect_words(last_line(outcome), {"out", "No space left on device"});
  expect_whole("out");
}

TEST_F(FailingRuns, ReadOnlyDisk) {
  const Tmpfs disk(path("disk"), "size=1m");
  if (!disk.mounted()) GTEST_SKIP() << "mounting a tmpfs is not allowed here";
  ASSERT_EQ(::mount("tmpfs", path("disk").c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, ""), 0);
  const Outcome outcome = run({"run", "a.toml", "--out", "disk/out", "--quiet"});
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
  expect_words(last_line(outcome), {"disk/out", "Read-only file system"});
}

// A disk that fills in the middle of a second run must not leave a mixture of files of both runs.
TEST_F(FailingRuns, FullDiskInPlaceOfAFinishedRun) {
  ASSERT_EQ(run({"run", "a.toml", "--out", "out", "--quiet"}).code, 0);
  ProgramOptions options;
  options.file_limit = 20'000;
  expect_failed_for_space(run({"run", "a.toml", "--out", "out", "--quiet", "--set", "seed=2"}, options),
                          "File too large");
  EXPECT_FALSE(exists("out/summary.json"));
  EXPECT_FALSE(exists("out/draws-1.csv"));
}

TEST_F(FailingRuns, DivergingChainNamesTheRoundAndKeepsItsDraws) {
  const Outcome outcome = run({"run", "a.toml", "--out", "out", "--quiet", "--set", "sampler.step=1.5", "--set",
                               "model.kind=linear", "--set", "model.noise_sd=0.1", "--set", "run.burn_in=0"});
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  expect_words(last_line(outcome), {"pollen: ", "round ", "sampler.step"});
  expect_whole("out");
  EXPECT_TRUE(exists("out/draws-1.csv"));
  EXPECT_TRUE(exists("out/draws-2.csv"));
  EXPECT_TRUE(exists("out/summary.json"));
}

// Root may do everything, so root runs the program as nobody (of group nogroup).
class NotAllowed : public FailingRuns {
 protected:
  Outcome run_as_nobody(const Words& words) {
    if (::geteuid() != 0) return run(words);
    for (const auto& entry : fs::recursive_directory_iterator(folder_))
      if (::lchown(entry.path().c_str(), kNobody, kNobody) != 0) return {};
    if (::chown(folder_.c_str(), kNobody, kNobody) != 0) return {};
    const std::string id = std::to_string(kNobody);
    Words all = {"--reuid=" + id, "--regid=" + id, "--clear-groups", pollen_program()};
    all.insert(all.end(), words.begin(), words.end());
    ProgramOptions options;
    options.folder = folder_;
    return run_program("setpriv", all, options);
  }
  bool possible() { return run_as_nobody({"--version"}).code == 0; }
  static constexpr unsigned kNobody = 65534;
};

TEST_F(NotAllowed, UnreadableFiles) {
  if (!possible()) GTEST_SKIP() << "the program cannot be run as somebody else than root here";
  fs::permissions(path("d.csv"), fs::perms::none);
  const Outcome data = run_as_nobody({"run", "a.toml", "--out", "out"});
  EXPECT_EQ(data.code, 2);
  EXPECT_EQ(lines_of(data.err).size(), 1u) << data.err;
  expect_words(last_line(data), {"d.csv", "Permission denied"});
  fs::permissions(path("a.toml"), fs::perms::none);
  const Outcome config = run_as_nobody({"run", "a.toml", "--out", "out"});
  EXPECT_EQ(config.code, 2);
  EXPECT_EQ(lines_of(config.err).size(), 1u) << config.err;
  expect_words(last_line(config), {"a.toml", "cannot be read"});
  EXPECT_FALSE(exists("out"));
}

TEST_F(NotAllowed, FolderThatMayNotBeWritten) {
  if (!possible()) GTEST_SKIP() << "the program cannot be run as somebody else than root here";
  fs::create_directories(path("closed"));
  fs::permissions(path("closed"), fs::perms::owner_read | fs::perms::owner_exec);
  const Outcome outcome = run_as_nobody({"run", "a.toml", "--out", "closed/out", "--quiet"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
  expect_words(last_line(outcome), {"closed/out", "Permission denied"});
}

}  // namespace
}  // namespace pollen::bad_input
