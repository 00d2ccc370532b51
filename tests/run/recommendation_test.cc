// The recommendation of a sampler: every sampler has an offer or a reason, offers keep the bias, and what is forecast
// of a sampler is what a run with the offered settings takes.
#include "run/recommendation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "pollen/errors.h"
#include "pollen/stats.h"
#include "recipe/samplers.h"
#include "support/problems.h"

namespace pollen {
namespace {

using ::testing::HasSubstr;
using testing::kGaussian;
using testing::kLogistic;

Recommendation recommendation(const std::string& text, const Overrides& overrides,
                              const RecommendRequest& request = {}) {
  return recommend(read_config_text(text, "test.toml", overrides), request);
}

const SamplerOffer& offer_of(const Recommendation& all, const std::string& sampler) {
  const auto ranked = ranking(all, 0);
  const auto found = std::ranges::find(ranked, sampler, [](const SamplerOffer* offer) { return offer->sampler; });
  if (found == ranked.end()) throw std::runtime_error("no offer of " + sampler);
  return **found;
}

TEST(Recommendation, CoversEverySampler) {
  const Recommendation all = recommendation(kGaussian, {"network.preset=hospital"});
  std::multiset<std::string> seen;
  for (const SamplerOffer* offer : ranking(all, 0)) seen.insert(offer->sampler);
  for (const LeftOut& out : all.left_out) {
    seen.insert(out.sampler);
    EXPECT_NE(out.why, "") << out.sampler;
  }
  for (const NamedSampler& row : recipe_samplers()) {
    const bool other = row.family == NamedSampler::Family::personal || row.name == "custom" || row.name == "lmc";
    EXPECT_EQ(seen.count(row.name), other ? 0u : 1u) << row.name;
  }
  EXPECT_EQ(all.networks, std::vector<std::string>{"hospital"});
}

TEST(Recommendation, KeepsTheBiasThatIsAllowed) {
  const Recommendation wide = recommendation(kGaussian, {"network.preset=phone"}, {.within = 0.1});
  const Recommendation narrow = recommendation(kGaussian, {"network.preset=phone"}, {.within = 0.01});
  for (const Recommendation* all : {&wide, &narrow})
    for (const SamplerOffer& offer : all->offers) {
      EXPECT_LE(offer.sd_off, all->request.within) << offer.sampler;
      EXPECT_LE(offer.mean_off, all->request.within) << offer.sampler;
    }
  EXPECT_GT(offer_of(wide, "lsd").step, 2 * offer_of(narrow, "lsd").step);
  EXPECT_EQ(offer_of(wide, "nuts").rounds, offer_of(narrow, "nuts").rounds);
}

TEST(Recommendation, TheFastestDependsOnTheNetwork) {
  const Recommendation all = recommendation(kGaussian, {});
  ASSERT_EQ(all.networks, network_presets());
  for (std::size_t n = 0; n < all.networks.size(); ++n) {
    const auto ranked = ranking(all, n);
    EXPECT_TRUE(std::ranges::is_sorted(ranked, {}, [&](const SamplerOffer* o) { return o->time[n].total(); }));
  }
  // Where latency is nothing and a bit takes a millisecond, the fewest bits win.
  const Overrides slow = {"network.latency_ms=0", "network.uplink_mbps=0.001", "network.downlink_mbps=1000",
                          "network.gradients_per_second=1e12"};
  const Recommendation lines = recommendation(kGaussian, slow);
  const SamplerOffer& best = *ranking(lines, 0).front();
  for (const SamplerOffer& offer : lines.offers) EXPECT_LE(best.up_bits, 1.2 * offer.up_bits) << offer.sampler;
  EXPECT_STREQ(largest_share(best.time[0]).name, "bits on the lines");
}

TEST(Recommendation, AbsentClientsLeaveTheExactSamplersOut) {
  const Recommendation all = recommendation(
      kLogistic, {"network.preset=phone", "participation.policy=fixed-size", "participation.size=3"}, {.within = 0.3});
  const auto nuts = std::ranges::find(all.left_out, std::string("nuts"), &LeftOut::sampler);
  ASSERT_NE(nuts, all.left_out.end());
  EXPECT_THAT(nuts->why, HasSubstr("participation.policy"));
}

TEST(Recommendation, LatentsHaveNone) {
  EXPECT_THROW(recommendation("[model]\nkind = \"mixed-gaussian\"\n[data]\nsource = \"synthetic-mixed\"\n", {}),
               ConfigError);
}

struct Took {
  double rounds = 0, up_bits = 0, down_bits = 0;  // per effective draw
};

Took took(const std::string& text, const SamplerOffer& offer) {
  Overrides settings = offer.settings;
  settings.emplace_back("output.lp=false");
  const auto run = testing::sample(text, settings);
  const auto chains = std::ssize(run.draws);
  const Index length = std::llround(offer.iterations - offer.burn_in);
  const auto d = static_cast<Index>(run.draws.front().size()) / length;
  double ess = 1e300;
  for (Index j = 0; j < d; ++j) {
    std::vector<double> values;
    for (const auto& chain : run.draws)
      for (Index n = 0; n < length; ++n) values.push_back(chain[static_cast<std::size_t>(n * d + j)]);
    ess = std::min(ess, stats::ess_bulk({values, chains}));
  }
  const auto each = [ess](std::int64_t count) { return static_cast<double>(count) / ess; };
  return {each(run.counters.rounds), each(run.counters.uplink_bits), each(run.counters.downlink_bits)};
}

// About 1,000 effective draws tell an effective size to 10 or 20 %, and the least of several parameters is below it.
// What chains of nuts learn in 150 transitions differs more than that. A factor of 1.5 is what is promised.
TEST(Recommendation, ARunTakesWhatWasForecast) {
  const Recommendation all = recommendation(kGaussian, {"network.preset=hospital"});
  for (const char* sampler : {"lsd", "qlsd", "clsd*", "nuts", "hmc", "mala"}) {
    const SamplerOffer& offer = offer_of(all, sampler);
    const Took real = took(kGaussian, offer);
    const double draws = all.request.draws, most = std::log(1.5);
    EXPECT_NEAR(std::log(real.rounds / offer.rounds * draws), 0, most) << sampler;
    EXPECT_NEAR(std::log(real.up_bits / offer.up_bits * draws), 0, most) << sampler;
    EXPECT_NEAR(std::log(real.down_bits / offer.down_bits * draws), 0, most) << sampler;
  }
}

}  // namespace
}  // namespace pollen
