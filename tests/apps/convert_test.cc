// Tests pollen convert, and runs from the stores it makes.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <sstream>

#include "program.h"

namespace pollen {
namespace {

using testing::HasSubstr;

const char* const kSampler = R"(
[sampler]
name = "qlsd++"
step = 1e-3
batch = 0.3
[run]
iterations = 200
burn_in = 50
chains = 2
)";

class Convert : public ProgramTest {
 protected:
  Convert() {
    std::string rows = "site,x,colour,y\n";
    for (int r = 0; r < 120; ++r)
      rows += fmt::format("{},{},{},{}\n", "abc"[r % 3], (r * 37 % 101) * 0.13, r % 4 == 0 ? "red" : "blue",
                          (r * 7 + r / 5) % 3 == 0 ? "no" : "yes");
    put("d.csv", rows);
  }
  void config(const std::string& name, const std::string& data) const {
    put(name, fmt::format("seed = 7\n[model]\nkind = \"logistic\"\n[data]\n{}\n{}", data, kSampler));
  }
  std::string draws(const std::string& folder) const {
    std::istringstream text(slurp(folder + "/draws-1.csv") + slurp(folder + "/draws-2.csv"));
    std::string out;
    for (std::string line; std::getline(text, line);)
      if (!line.starts_with('#')) out += line + '\n';  // comments name files and times
    return out;
  }
  void ran(const Words& words) const {
    const Outcome done = run(words);
    ASSERT_EQ(done.code, 0) << done.err;
  }
  // Compares three runs: of `data`, of the store made of it, and of the configuration that the latter run left.
  void same_draws(const std::string& data) const {
    config("a.toml", data);
    ran({"convert", "a.toml", "a.pollen"});
    config("b.toml", "source = \"a.pollen\"");
    ran({"run", "a.toml", "--quiet", "--out", "a"});
    ran({"run", "b.toml", "--quiet", "--out", "b"});
    ran({"run", "b/config.toml", "--quiet", "--out", "c"});
    ran({"run", "a.toml", "--set", "data.source=a.pollen", "--quiet", "--out", "d"});
    ASSERT_GT(draws("a").size(), 1000U);
    for (const char* other : {"b", "c", "d"}) EXPECT_EQ(draws("a"), draws(other)) << other;
  }
};

TEST_F(Convert, ByColumnGivesTheSameDraws) {
  same_draws("source = \"d.csv\"\ntarget = \"y\"\npartition = \"by-column\"\ncolumn = \"site\"\nleast_rows = 2");
}

TEST_F(Convert, IidGivesTheSameDraws) { same_draws("source = \"d.csv\"\nclients = 4\ntest_fraction = 0.3"); }

TEST_F(Convert, SyntheticGivesTheSameDraws) {
  same_draws("source = \"synthetic-logistic\"\nclients = 6\ndimension = 4\nmax_size = 40");
}

TEST_F(Convert, AFileOfDataWithKeys) {
  const Outcome done =
      run({"convert", "d.csv", "d.pollen", "--set", "data.partition=by-column", "--set", "data.column=site"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("d.pollen: 96 training and 24 test rows of 3 columns, 3 clients"));
  EXPECT_EQ(run({"convert", "--check", "d.pollen"}).code, 0);
  config("b.toml", "source = \"d.pollen\"");
  const Outcome table = run({"data", "b.toml"});
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr("3 clients, 3 features: intercept, x, colour=red"));
  EXPECT_EQ(listing(), (Words{"b.toml", "d.csv", "d.pollen"}));
}

TEST_F(Convert, KeysThatTheStoreHasSettledMustAgree) {
  ran({"convert", "d.csv", "d.pollen", "--set", "data.partition=by-column", "--set", "data.column=site"});
  config("b.toml", "source = \"d.pollen\"\npartition = \"by-column\"\nstandardize = false\ntest_fraction = 0.25");
  const Outcome done = run({"run", "b.toml", "--out", "b"});
  EXPECT_EQ(done.code, 2);
  EXPECT_THAT(done.err, HasSubstr("b.toml: data.standardize: found false, accepted: true"));
  EXPECT_THAT(done.err, HasSubstr("b.toml: data.test_fraction: found 0.25, accepted: 0.2"));
  EXPECT_THAT(done.err, Not(HasSubstr("data.partition")));
  EXPECT_FALSE(exists("b"));
}

TEST_F(Convert, NumbersAreNotTakenForLabels) {
  std::string rows = "x,price\n";
  for (int r = 0; r < 150; ++r) rows += fmt::format("{},{}\n", r % 7, 0.5 * r);
  put("p.csv", rows);
  const Outcome done = run({"convert", "p.csv", "p.pollen"});
  EXPECT_EQ(done.code, 2);
  EXPECT_THAT(done.err, HasSubstr("model.kind=linear"));
  EXPECT_EQ(run({"convert", "p.csv", "p.pollen", "--set", "model.kind=linear"}).code, 0);
}

TEST_F(Convert, WrongWords) {
  EXPECT_EQ(run({"convert", "d.csv"}).code, 2);
  EXPECT_EQ(run({"convert", "--check", "d.csv"}).code, 2);
  EXPECT_EQ(run({"convert", "nothing.csv", "d.pollen"}).code, 2);
  EXPECT_EQ(run({"convert", "d.csv", "d.csv"}).code, 2);
  EXPECT_THAT(run({"convert", "--help"}).out, HasSubstr("pollen convert mine.toml mine.pollen"));
  EXPECT_EQ(listing(), Words{"d.csv"});
}

TEST_F(Convert, DamageIsFound) {
  ran({"convert", "d.csv", "d.pollen"});
  std::string bytes = slurp("d.pollen");
  bytes[4096] ^= 1;
  put("d.pollen", bytes);
  const Outcome done = run({"convert", "--check", "d.pollen"});
  EXPECT_EQ(done.code, 2);
  EXPECT_THAT(done.err, HasSubstr("checksum"));
}

TEST_F(Convert, AFullDiskLeavesWhatWasThere) {
  ran({"convert", "d.csv", "d.pollen"});
  const std::string before = slurp("d.pollen");
  ProgramOptions small;
  small.file_limit = 50'000;
  const Outcome done = run({"convert", "synthetic-logistic", "d.pollen"}, small);
  EXPECT_EQ(done.code, 1);
  EXPECT_THAT(done.err, HasSubstr("no room"));
  EXPECT_EQ(slurp("d.pollen"), before);
  EXPECT_FALSE(exists("d.pollen.tmp"));
}

}  // namespace
}  // namespace pollen
