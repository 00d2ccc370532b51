// Samples the survival on the Titanic by every family of samplers at a step whose bias is below the Monte Carlo error.
#include <gtest/gtest.h>

#include "agreement.h"

namespace pollen::reference {
namespace {

const char* kTitanic = R"(
[model]
kind = "logistic"
prior_sd = 2.0
[data]
source = "titanic"
target = "survived"
partition = "dirichlet"
clients = 5
dirichlet_alpha = 0.5
test_fraction = 0.0
[sampler]
step = 1e-4
[run]
iterations = 60000
burn_in = 4000
thin = 10
chains = 8
init = "prior"
[output]
lp = false
)";

// Without test rows the posterior does not depend on the seed, so every case has its own split and noise.
struct Case {
  const char* name;
  int seed;
  Overrides overrides;
};

const std::vector<Case> kCases = {
    {"lsd", 11, {"sampler.name=lsd"}},
    {"sgld", 12, {"sampler.name=sgld", "sampler.batch=0.5", "sampler.step=5e-5"}},
    {"qlsd", 13, {"sampler.name=qlsd", "sampler.levels=64"}},
    {"qlsd_fixed_point", 14, {"sampler.name=qlsd*", "sampler.batch=0.2"}},
    {"qlsd_svrg", 15, {"sampler.name=qlsd++", "sampler.batch=0.2", "sampler.refresh=50"}},
    {"qlsd_svrg_half_the_clients",
     16,
     {"sampler.name=qlsd++", "sampler.batch=0.2", "sampler.refresh=50", "participation.policy=bernoulli",
      "participation.probability=0.5"}},
    {"qlsd_svrg_three_of_five",
     17,
     {"sampler.name=qlsd++", "sampler.batch=0.2", "sampler.refresh=50", "participation.policy=fixed-size",
      "participation.size=3"}},
    {"d_elf", 18, {"sampler.name=d-elf", "sampler.k=3"}},
    {"p_elf", 19, {"sampler.name=p-elf", "sampler.downlink=top-k", "sampler.downlink_k=3"}},
    {"b_elf", 20, {"sampler.name=b-elf", "sampler.k=3"}},
    // For local steps, 5e-4 is fald's unit with five clients. Without control variates clients must not differ much.
    {"fald",
     21,
     {"sampler.name=fald", "sampler.local_steps=3", "sampler.step=5e-4", "run.thin=3", "data.partition=iid"}},
    {"vr_fald", 22, {"sampler.name=vr-fald*", "sampler.local_steps=3", "sampler.step=5e-4", "run.thin=3"}},
    {"vr_fald_own_noise",
     23,
     {"sampler.name=vr-fald*", "sampler.communicate=0.3", "sampler.correlation=0.4", "sampler.step=5e-4",
      "sampler.batch=0.5", "run.thin=3"}},
    {"vr_fald_quantised",
     24,
     {"sampler.name=vr-fald*", "sampler.local_steps=3", "sampler.step=5e-4", "sampler.compressor=qsgd",
      "sampler.levels=64", "run.thin=3"}},
    {"fa_ld",
     25,
     {"sampler.name=fa-ld", "sampler.local_steps=3", "sampler.correlation=0.6", "run.thin=3", "data.partition=iid"}},
    {"hmc", 26, {"sampler.name=hmc", "sampler.step=auto", "run.iterations=3000", "run.burn_in=1000", "run.thin=1"}},
    {"nuts", 27, {"sampler.name=nuts", "sampler.step=auto", "run.iterations=3000", "run.burn_in=1000", "run.thin=1"}},
};

class Titanic : public ::testing::TestWithParam<Case> {
 protected:
  static void SetUpTestSuite() { reference_ = reference_for(kTitanic); }
  static Posterior reference_;
};
Posterior Titanic::reference_;

TEST_P(Titanic, AgreesWithTheReference) {
  Overrides overrides = GetParam().overrides;
  overrides.push_back("seed=" + std::to_string(GetParam().seed));
  const Posterior posterior = sampled(kTitanic, overrides);
  RecordProperty("worst_z", std::to_string(expect_agreement(posterior, reference_)));
}

INSTANTIATE_TEST_SUITE_P(, Titanic, ::testing::ValuesIn(kCases),
                         [](const auto& one) { return std::string(one.param.name); });

// The built-in problem accepts some bias for a quick start: means within a tenth of a standard deviation, spreads
// within 5%.
TEST(BuiltInProblem, IsNearTheReference) {
  const Posterior reference = reference_for(builtin_config()), posterior = sampled(builtin_config());
  for (std::size_t j = 0; j < reference.parameters.size(); ++j) {
    const Estimate &s = posterior.parameters[j], &r = reference.parameters[j];
    EXPECT_NEAR(s.mean, r.mean, 0.1 * r.sd) << "mean of parameter " << j + 1;
    EXPECT_NEAR(s.sd, r.sd, 0.05 * r.sd) << "sd of parameter " << j + 1;
  }
}

}  // namespace
}  // namespace pollen::reference
