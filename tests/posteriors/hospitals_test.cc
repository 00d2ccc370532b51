// The four hospitals of the heart-disease data as clients, a federation that was not made by a random split.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "agreement.h"
#include "files.h"

namespace pollen::reference {
namespace {

const char* kHospitals = R"(
[data]
partition = "given"
header = false
test_fraction = 0.0
[run]
iterations = 40000
burn_in = 4000
thin = 10
chains = 8
[output]
lp = false
)";

class Hospitals : public ::testing::Test {
 protected:
  void SetUp() override {
    if (real_data().empty()) GTEST_SKIP() << "POLLEN_DATA is not set";
  }

  // Returns data.source=[...] with the file of each hospital.
  static std::string sources() {
    std::string list;
    for (const char* name : {"cleveland", "hungarian", "switzerland", "va"})
      list += fmt::format("{}\"{}/heart-disease/processed.{}.data\"", list.empty() ? "" : ", ", real_data(), name);
    return fmt::format("data.source=[{}]", list);
  }
};

// Predicts ST depression from age, resting blood pressure and the largest heart rate.
const Overrides kDepression = {"model.kind=linear", "model.prior_sd=2.0", "data.target=c10", "data.missing=drop",
                               "data.features=[\"c1\", \"c4\", \"c8\"]"};

TEST_F(Hospitals, LinearWithSampledNoise) {
  Overrides problem = kDepression;
  problem.push_back(sources());
  compare(kHospitals, problem,
          {{"sampler.name=lsd", "sampler.step=5e-5"},
           {"sampler.name=qlsd++", "sampler.batch=0.25", "sampler.refresh=50", "sampler.step=5e-5"}});
}

TEST_F(Hospitals, LinearWithKnownNoise) {
  Overrides problem = kDepression;
  problem.insert(problem.end(), {sources(), "model.noise_sd=1.0"});
  compare(kHospitals, problem,
          {{"sampler.name=lsd", "sampler.step=5e-5"},
           {"sampler.name=qlsd++", "sampler.batch=0.25", "sampler.refresh=50", "sampler.step=5e-5"}});
}

// Predicts whether there is a disease.
TEST_F(Hospitals, LogisticWithMeansForMissingCells) {
  compare(kHospitals,
          {"model.kind=logistic", "data.positive=[\"1\", \"2\", \"3\", \"4\"]", "data.missing=mean", sources(),
           "data.features=[\"c1\", \"c2\", \"c4\", \"c8\", \"c9\", \"c10\"]"},
          {{"sampler.name=lsd", "sampler.step=2e-4"},
           {"sampler.name=qlsd++", "sampler.batch=0.25", "sampler.refresh=50", "sampler.step=2e-4",
            "participation.policy=bernoulli", "participation.probability=0.75"}});
}

// Predicts all five classes from the first rows of each hospital.
TEST_F(Hospitals, SoftmaxOverFiveClasses) {
  compare(kHospitals,
          {"model.kind=softmax", "model.prior_sd=0.5", "data.missing=mean", sources(), "data.limit=30",
           "run.iterations=120000", "data.features=[\"c1\", \"c8\", \"c10\"]"},
          {{"sampler.name=lsd", "sampler.step=1e-3"},
           {"sampler.name=qlsd++", "sampler.batch=0.25", "sampler.refresh=50", "sampler.step=1e-3"}});
}

}  // namespace
}  // namespace pollen::reference
