// With one file per client each rank reads its own, and nothing else differs.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "data/file_digests.h"
#include "support/federated.h"
#include "world.h"

namespace pollen {
namespace {

using testing::RankRun;
using testing::RankWorld;

class OwnFiles : public ::testing::Test {
 protected:
  OwnFiles() {
    folder_ = ::testing::TempDir() + fmt::format("own-files-{}", ::getpid());
    std::filesystem::create_directories(folder_);
    for (int i = 0; i < 4; ++i) put(i, {"rome", "oslo", "bern"}, 20 + 5 * i);
    put(4, {"lima"}, 12);
  }
  ~OwnFiles() override { std::filesystem::remove_all(folder_); }
  std::string path(int i) const { return fmt::format("{}/h{}.csv", folder_, i); }

  void put(int i, const std::vector<std::string>& towns, int rows) const {
    std::ofstream file(path(i));
    file << "year,ward,age,town,dose,sick\n";  // one year everywhere, one ward in each file
    for (int r = 0; r < rows; ++r)
      file << "2020," << i << ',' << 40 + (r * 7 + i * 3) % 23 << ','
           << towns[static_cast<std::size_t>(r + i) % towns.size()] << ','
           << (r == 3 && i == 2 ? "" : fmt::format("{}", 0.1 * ((r * 5 + i) % 9))) << ','
           << ((r * 3 + i) % 5 < 2 ? "yes" : "no") << '\n';
  }
  RankWorld world(Overrides more = {}) const {
    std::string files;
    for (int i = 0; i < 5; ++i) files += fmt::format("{}\"{}\"", i == 0 ? "" : ", ", path(i));
    more.insert(more.begin(), {fmt::format("data.source=[{}]", files), "data.partition=given", "data.missing=drop"});
    return {kSick, more};
  }
  std::string folder_;
};

TEST_F(OwnFiles, TheSameRunAndTheSameTestRows) {
  for (const Overrides& more : {Overrides{}, Overrides{"data.standardize=false"},
                                Overrides{"sampler.step=auto", "model.prior=auto", "sampler.precondition=full"},
                                Overrides{"sampler.precondition=full", "sampler.curvature_clients=3"},
                                Overrides{"data.levels.town=[\"rome\", \"oslo\", \"bern\", \"lima\"]"}}) {
    const RankWorld given = world(more);
    Experiment alone(given.config());
    for (const int ranks : {2, 3, 5, 7}) {
      const RankRun a = given.alone(40), b = given.over(ranks, 40);
      EXPECT_EQ(a.outcome.draws, b.outcome.draws) << ranks << " ranks";
      EXPECT_TRUE(a.state == b.state) << ranks << " ranks";
    }
    testing::RankQueues queues(3);
    queues.run(
        [&](Ranks& first) {
          ExperimentOptions options;
          options.ranks = &first;
          const Experiment over(given.config(), options);
          const Federation &a = alone.data(), &b = over.data();
          EXPECT_TRUE(a.test.x == b.test.x);
          EXPECT_EQ(a.test.y, b.test.y);
          EXPECT_EQ(a.test_begin, b.test_begin);
          EXPECT_EQ(a.train_begin, b.train_begin);
          EXPECT_LT(b.train.rows, a.train.rows);
          EXPECT_EQ(a.client_names, b.client_names);
          EXPECT_EQ(a.feature_names, b.feature_names);
          EXPECT_EQ(a.notes, b.notes);
          EXPECT_EQ(a.layout.levels, b.layout.levels);
          EXPECT_EQ(a.scaling.mean, b.scaling.mean);
          EXPECT_EQ(a.scaling.dropped, b.scaling.dropped);
          EXPECT_EQ(b.feature_names[1], "ward");  // after the intercept: the year is left out
          EXPECT_EQ(a.setup_bits, b.setup_bits);
          EXPECT_EQ(b.files.size(), 5U);  // also those that this rank has not read
          for (std::size_t i = 0; i < b.files.size(); ++i)
            EXPECT_EQ(b.files[i], digest_of(path(static_cast<int>(i)))) << i;
          return 0;
        },
        [&](Ranks& other) {
          serve_rank(
              other, [&] { return given.config(); }, 1);
        });
  }
}

// A file that only one rank needs may be missing for the others.
TEST_F(OwnFiles, AFileThatIsWrongIsToldByItsRank) {
  std::ofstream(path(4)) << "age,town,dose,sick\n40,lima,much,no\n41,lima,0.5,yes\n";
  for (const int ranks : {2, 5}) {
    try {
      world().over(ranks, 40);
      FAIL() << "nothing was wrong";
    } catch (const std::exception& error) {
      EXPECT_NE(std::string(error.what()).find("h4.csv"), std::string::npos) << error.what();
    }
  }
  std::filesystem::remove(path(0));
  EXPECT_THROW(world().over(3, 40), std::exception);
}

}  // namespace
}  // namespace pollen
