// Samples a Poisson regression and a softmax over three classes, on rows that the test draws and writes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "agreement.h"
#include "files.h"

namespace pollen::reference {
namespace {

const char* kRun = R"(
[data]
clients = 4
test_fraction = 0.0
[run]
iterations = 40000
burn_in = 4000
thin = 10
chains = 8
[output]
lp = false
)";

TEST(Regression, PoissonAgreesWithTheReference) {
  std::mt19937_64 engine(5);
  std::normal_distribution<double> normal;
  std::string text = "age,dose,count\n";
  for (int r = 0; r < 250; ++r) {
    const double age = normal(engine), dose = normal(engine);
    std::poisson_distribution<int> count(std::exp(0.8 + 0.4 * age - 0.3 * dose));
    text += fmt::format("{},{},{}\n", age, dose, count(engine));
  }
  const Folder folder("reference-poisson");
  const std::string file = folder.write("counts.csv", text);
  compare(kRun, {"model.kind=poisson", "data.target=count", "data.source=" + file},
          {{"sampler.name=lsd", "sampler.step=1e-4"},
           {"sampler.name=qlsd++", "sampler.batch=0.25", "sampler.refresh=50", "sampler.step=1e-4"}});
}

TEST(Regression, SoftmaxAgreesWithTheReference) {
  std::mt19937_64 engine(6);
  std::normal_distribution<double> normal;
  std::string text = "x,y,kind\n";
  for (int r = 0; r < 150; ++r) {
    const char* kinds[] = {"ash", "birch", "cedar"};
    const int kind = r % 3;
    text +=
        fmt::format("{},{},{}\n", 0.8 * kind + normal(engine), (kind == 1 ? 1.0 : 0.0) + normal(engine), kinds[kind]);
  }
  const Folder folder("reference-softmax");
  const std::string file = folder.write("trees.csv", text);
  compare(kRun,
          {"model.kind=softmax", "model.prior_sd=0.5", "data.target=kind", "data.source=" + file,
           "data.partition=label-shards", "data.shards=1"},
          {{"sampler.name=lsd", "sampler.step=3e-3"},
           {"sampler.name=qlsd++", "sampler.batch=0.25", "sampler.refresh=50", "sampler.step=3e-3"}});
}

}  // namespace
}  // namespace pollen::reference
