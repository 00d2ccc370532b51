// LeNet-5 on MNIST over twenty clients of different digits, small enough for two cores.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "files.h"
#include "pollen/scores.h"
#include "run/experiment.h"
#include "support/source_dir.h"

namespace pollen::reference {
namespace {

// Averages the predictions on the test rows over draws.
class Averaged final : public Sink {
 public:
  explicit Averaged(const Experiment& experiment) : experiment_(experiment) {}
  void kept(ConstPanelView position, std::span<const double>) override {
    const Table& test = experiment_.data().test;
    std::vector<double> one(static_cast<std::size_t>(test.rows * 10));
    experiment_.model().family->class_probabilities(experiment_.model(), position.column(0), test.view(), one,
                                                    scratch_);
    sum_.resize(one.size());
    for (std::size_t i = 0; i < one.size(); ++i) sum_[i] += one[i];
    ++draws;
  }
  double accuracy() const { return stats::accuracy({sum_, 10}, experiment_.data().test.y); }
  int draws = 0;

 private:
  const Experiment& experiment_;
  std::vector<double> sum_;
  Scratch scratch_;
};

class LeNet5 : public ::testing::TestWithParam<std::string> {};

TEST_P(LeNet5, PredictsDigits) {
  if (real_data().empty()) GTEST_SKIP() << "POLLEN_DATA is not set";
  const std::string mnist = real_data() + "/mnist/";
  const Overrides overrides = {"data.source=" + mnist + "train-images-idx3-ubyte.gz",
                               "data.test_source=" + mnist + "t10k-images-idx3-ubyte.gz",
                               "sampler.name=" + GetParam(),
                               "run.iterations=150",
                               "run.burn_in=50",
                               "run.thin=10"};
  const Overrides local = {"sampler.local_steps=5", "sampler.refresh_probability=0.02"};
  Overrides all = overrides;
  if (GetParam() == "vr-fald*") all.insert(all.end(), local.begin(), local.end());
  Experiment experiment(read_config_file(pollen::source_dir() + "/examples/lenet5-mnist.toml", all));
  experiment.prepare();
  Averaged averaged(experiment);
  experiment.advance(150, averaged);
  EXPECT_GE(averaged.draws, 2);
  EXPECT_GE(averaged.accuracy(), 0.97);
  RecordProperty("accuracy", fmt::format("{}", averaged.accuracy()));
}

INSTANTIATE_TEST_SUITE_P(, LeNet5, ::testing::Values("qlsd++", "vr-fald*"),
                         [](const auto& test) { return test.param == "qlsd++" ? "qlsd_plus" : "vr_fald"; });

}  // namespace
}  // namespace pollen::reference
