// The draws are the same, bit for bit, for any number of threads and any order of arrival, over frames, and with lost
// replies.
#include <gtest/gtest.h>

#include "support/problems.h"
#include "support/transports.h"

namespace pollen {
namespace {

using testing::kLogistic;
using testing::sample;

struct Case {
  const char* name;
  Overrides overrides;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class Determinism : public ::testing::TestWithParam<Case> {};

struct OddRun {
  testing::Outcome outcome;
  int lost = 0;
};

OddRun run_odd(testing::OddTransport::Options options, const Overrides& overrides) {
  testing::OddTransport* odd = nullptr;
  ExperimentOptions experiment_options;
  experiment_options.transport = [&](ClientView& view, Clients& clients) {
    auto made = std::make_unique<testing::OddTransport>(view, clients, options);
    odd = made.get();
    return made;
  };
  Experiment experiment(read_config_text(kLogistic, "test.toml", overrides), experiment_options);
  experiment.prepare();
  testing::Collect collect;
  experiment.advance(experiment.config().run.iterations, collect);
  return {{std::move(collect.draws), experiment.counters(), {}, {}}, odd->lost};
}

TEST_P(Determinism, ThreadsDoNotMatter) {
  const auto one = sample(kLogistic, GetParam().overrides, 1);
  for (const int threads : {2, 5}) {
    const auto many = sample(kLogistic, GetParam().overrides, threads);
    EXPECT_EQ(one.draws, many.draws) << threads << " threads";
    EXPECT_EQ(one.counters.uplink_bits, many.counters.uplink_bits);
    EXPECT_EQ(one.counters.gradients, many.counters.gradients);
  }
}

TEST_P(Determinism, FramesAndOrderOfArrivalDoNotMatter) {
  const Overrides& overrides = GetParam().overrides;
  const auto plain = sample(kLogistic, overrides);
  const auto odd = run_odd({.shuffle = true}, overrides);
  EXPECT_EQ(plain.draws, odd.outcome.draws);
  EXPECT_EQ(plain.counters.uplink_bits, odd.outcome.counters.uplink_bits);
}

TEST_P(Determinism, LostRepliesAreRepeatedExactly) {
  const Overrides& overrides = GetParam().overrides;
  const auto plain = sample(kLogistic, overrides);
  const auto odd = run_odd({.shuffle = true, .lossy = true}, overrides);
  EXPECT_EQ(plain.draws, odd.outcome.draws);
  EXPECT_GT(odd.lost, 100);
}

INSTANTIATE_TEST_SUITE_P(
    Recipes, Determinism,
    ::testing::Values(
        Case{"lsd", {"sampler.name=lsd"}}, Case{"sgld", {"sampler.name=sgld"}}, Case{"qlsd", {"sampler.name=qlsd"}},
        Case{"qlsd_sharp", {"sampler.name=qlsd#"}}, Case{"qlsd_star", {"sampler.name=qlsd*"}},
        Case{"qlsd_plus", {"sampler.name=qlsd++"}},
        Case{"qlsd_plus_bernoulli",
             {"sampler.name=qlsd++", "participation.policy=bernoulli", "participation.probability=0.4"}},
        Case{"many_clients",
             {"sampler.name=qlsd++", "data.clients=150", "participation.policy=fixed-size", "participation.size=60"}},
        Case{"inverse",
             {"sampler.name=qlsd++", "participation.policy=bernoulli", "participation.scaling=inverse-probability",
              "participation.probability=[0.9,0.5,0.4,0.3,0.2,0.8,1.0]"}},
        Case{"coupled",
             {"sampler.name=qlsd++", "run.coupled=true", "participation.policy=fixed-size", "participation.size=3"}},
        Case{"replacement",
             {"sampler.name=qlsd", "participation.policy=fixed-size", "participation.size=4",
              "participation.replacement=true"}},
        Case{"clsd_star", {"sampler.name=clsd*"}},
        Case{"clsd_star_inverse",
             {"sampler.name=clsd*", "participation.policy=bernoulli", "participation.scaling=inverse-probability",
              "participation.probability=[0.9,0.5,0.4,0.3,0.2,0.8,1.0]"}},
        Case{"clsd_plus", {"sampler.name=clsd++", "participation.policy=bernoulli", "participation.probability=0.4"}},
        Case{"d_elf", {"sampler.name=d-elf"}}, Case{"p_elf", {"sampler.name=p-elf"}},
        Case{"b_elf", {"sampler.name=b-elf"}},
        Case{"b_elf_partial",
             {"sampler.name=b-elf", "participation.policy=bernoulli", "participation.probability=0.5"}},
        Case{"natural", {"sampler.name=qlsd", "sampler.compressor=natural"}},
        Case{"prior_at_clients", {"sampler.name=qlsd*", "sampler.prior_at=clients"}}),
    [](const auto& test) { return std::string(test.param.name); });

// FALD's steps are b times those of the average.
INSTANTIATE_TEST_SUITE_P(
    LocalSteps, Determinism,
    ::testing::Values(
        Case{"fald", {"sampler.name=fald", "sampler.local_steps=2", "sampler.correlation=0.4", "sampler.step=0.01"}},
        Case{"fald_coins",
             {"sampler.name=fald", "sampler.communicate=0.6", "sampler.correlation=0.0", "sampler.step=0.01"}},
        Case{"fald_every",
             {"sampler.name=fald", "sampler.local_steps=3", "sampler.correlation=0.4", "sampler.emit=every",
              "sampler.step=0.01"}},
        Case{"fald_some",
             {"sampler.name=fald", "sampler.local_steps=2", "sampler.correlation=0.4", "sampler.step=0.01",
              "participation.policy=bernoulli", "participation.probability=0.5"}},
        Case{"fald_qsgd",
             {"sampler.name=fald", "sampler.local_steps=2", "sampler.compressor=qsgd", "sampler.step=0.01"}},
        Case{"fald_qsgd_some",
             {"sampler.name=fald", "sampler.local_steps=2", "sampler.compressor=qsgd", "sampler.step=0.01",
              "participation.policy=fixed-size", "participation.size=4"}},
        Case{"fald_rand_k",
             {"sampler.name=fald", "sampler.communicate=0.5", "sampler.compressor=rand-k", "sampler.step=0.01"}},
        Case{"vr_fald",
             {"sampler.name=vr-fald*", "sampler.local_steps=3", "sampler.correlation=0.4", "sampler.step=0.01"}},
        Case{"vr_fald_coins",
             {"sampler.name=vr-fald*", "sampler.communicate=0.5", "sampler.refresh_probability=0.3",
              "sampler.step=0.01"}},
        Case{"vr_fald_some",
             {"sampler.name=vr-fald*", "sampler.local_steps=3", "sampler.step=0.01", "participation.policy=fixed-size",
              "participation.size=5"}},
        Case{"fa_ld", {"sampler.name=fa-ld", "sampler.local_steps=2", "sampler.correlation=0.5"}},
        Case{"fa_ld_decaying", {"sampler.name=fa-ld", "sampler.local_steps=2", "sampler.schedule=decaying"}},
        Case{"fa_ld_scheme_1",
             {"sampler.name=fa-ld", "sampler.local_steps=2", "sampler.correlation=0.5", "sampler.scheme=I",
              "participation.size=4"}},
        Case{"fa_ld_scheme_2",
             {"sampler.name=fa-ld", "sampler.local_steps=2", "sampler.correlation=0.5", "sampler.scheme=II",
              "sampler.allow_unbalanced=true", "participation.size=4"}},
        Case{"many_clients",
             {"sampler.name=vr-fald*", "sampler.local_steps=3", "data.clients=150", "sampler.correlation=0.4",
              "sampler.step=0.02"}}),
    [](const auto& test) { return std::string(test.param.name); });

// Returns a case on a model with latents.
Case with_latents(const char* name, const Overrides& keys) {
  Overrides all = {"model.kind=mixed-linear", "data.source=synthetic-mixed", "sampler.local_steps=3",
                   "run.iterations=150"};
  all.insert(all.end(), keys.begin(), keys.end());
  return {name, all};
}

INSTANTIATE_TEST_SUITE_P(
    Latents, Determinism,
    ::testing::Values(with_latents("fedsoul", {"sampler.name=fedsoul"}), with_latents("local", {"sampler.name=local"}),
                      with_latents("fedavg", {"sampler.name=fedavg"}),
                      with_latents("scaffold", {"sampler.name=scaffold", "participation.policy=fixed-size",
                                                "participation.size=4"}),
                      with_latents("fedrep", {"sampler.name=fedrep", "data.clients=40"}),
                      with_latents("lg_fedavg", {"sampler.name=lg-fedavg"}),
                      with_latents("ditto", {"sampler.name=ditto", "participation.policy=bernoulli",
                                             "participation.probability=0.5"}),
                      with_latents("apfl", {"sampler.name=apfl", "sampler.adapt_mixture=true"}),
                      with_latents("per_fedavg", {"sampler.name=per-fedavg"}),
                      with_latents("l2gd", {"sampler.name=l2gd", "sampler.aggregate=0.5"}),
                      with_latents("l2gd_some", {"sampler.name=l2gd", "sampler.aggregate=0.5",
                                                 "participation.policy=fixed-size", "participation.size=4"})),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace pollen
