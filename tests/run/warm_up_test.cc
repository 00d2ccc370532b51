// Tests the warm-up: what it reports, how it is stopped, and the variation of images in it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pollen/errors.h"
#include "support/problems.h"

namespace pollen {
namespace {

using ::testing::HasSubstr;
using testing::kLogistic;
using testing::sample;

// Networks over images of 4 × 4.
const Overrides kImages = {"model.kind=mlp",        "model.sizes=[6]",  "data.dimension=16",
                           "model.input=[1, 4, 4]", "run.iterations=9", "warm_up.epochs=4"};

Overrides with(Overrides more) {
  more.insert(more.begin(), kImages.begin(), kImages.end());
  return more;
}

TEST(WarmUp, TellsOfEveryStep) {
  std::vector<std::int64_t> told;
  std::int64_t all = 0;
  ExperimentOptions options;
  options.warming = [&](std::int64_t done, std::int64_t steps) { told.push_back(done), all = steps; };
  Experiment experiment(read_config_text(kLogistic, "test.toml", with({"warm_up.batch=2"})), options);
  experiment.prepare();
  const std::int64_t rows = experiment.data().train.rows, together = 2 * experiment.clients();
  EXPECT_EQ(all, 4 * ((rows + together - 1) / together));
  ASSERT_EQ(std::ssize(told), all + 1);
  for (std::int64_t k = 0; k <= all; ++k) EXPECT_EQ(told[static_cast<std::size_t>(k)], k);
  EXPECT_EQ(experiment.counters().setup_bits - experiment.data().setup_bits,
            all * 2 * 64 * experiment.dimension() * 3 * experiment.clients());
}

TEST(WarmUp, StopsBetweenSteps) {
  std::atomic<bool> stop = false;
  std::int64_t last = 0;
  ExperimentOptions options;
  options.stop = &stop;
  options.warming = [&](std::int64_t done, std::int64_t) {
    last = done;
    if (done == 2) stop = true;
  };
  Experiment experiment(read_config_text(kLogistic, "test.toml", with({"warm_up.batch=2"})), options);
  EXPECT_THROW(experiment.prepare(), Interrupted);
  EXPECT_EQ(last, 2);
}

TEST(WarmUp, ThatRunsAwaySaysSo) {
  try {
    sample(kLogistic, with({"warm_up.rate=1e200", "warm_up.schedule=constant"}));
    ADD_FAILURE() << "it stayed";
  } catch (const NumericError& error) {
    EXPECT_THAT(error.what(), HasSubstr("warm_up.rate"));
  }
}

TEST(Augmented, DrawsDoNotDependOnThreads) {
  const Overrides keys = with({"warm_up.augment=[\"flip\", \"crop\"]"});
  const auto one = sample(kLogistic, keys, 1), three = sample(kLogistic, keys, 3);
  EXPECT_EQ(one.draws, three.draws);
  for (const char* less : {"[]", "[\"flip\"]", "[\"crop\"]"})
    EXPECT_NE(one.draws, sample(kLogistic, with({std::string("warm_up.augment=") + less})).draws) << less;
}

TEST(Augmented, IsWrittenOut) {
  const Config config = read_config_text(kLogistic, "test.toml", with({"warm_up.augment=[\"crop\"]"}));
  const std::string text = to_toml(config);
  EXPECT_THAT(text, HasSubstr("augment = [\"crop\"]"));
  EXPECT_EQ(to_toml(read_config_text(text, "test.toml")), text);
}

void expect_refused(const Overrides& keys, const std::string& words) {
  try {
    const Experiment experiment(read_config_text(kLogistic, "test.toml", keys));
    ADD_FAILURE() << "not refused: " << words;
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr(words));
  }
}

TEST(Augmented, OnlyImages) {
  expect_refused({"warm_up.epochs=1", "warm_up.augment=[\"flip\"]"}, "warm_up.augment");
  expect_refused({"model.kind=mlp", "warm_up.epochs=1", "warm_up.augment=[\"flip\"]"}, "found [flip] with rows of 5");
  expect_refused(with({"warm_up.augment=[\"turn\"]"}), "accepted: a list of \"flip\", \"crop\"");
}

TEST(StartFromTheModel, NeedsAFile) {
  expect_refused(with({"run.init=model"}), "accepted with torchscript");
  expect_refused({"run.init=model"}, "accepted with a network");
}

}  // namespace
}  // namespace pollen
