// Default runs on three data sets in natural units against their peers: R's lm and glm, and a long run of nuts.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "pollen/random.h"
#include "program.h"
#include "support/source_dir.h"

namespace pollen {
namespace {

using Json = nlohmann::json;

struct PeerData {
  const char *name, *kind, *target, *column;
};

constexpr PeerData kIncome = {"income", "linear", "income", "clinic"},
                   kDeath = {"death", "logistic", "died", "hospital"},
                   kVisits = {"visits", "poisson", "visits", "practice"};

class Peers : public ProgramTest {
 protected:
  // Incomes in dollars on height in centimetres and sex, whose product makes the columns nearly collinear; deaths in
  // hospital on age in years, creatinine in µmol/l, which has a long tail, and income; visits to a practice on the
  // distance in metres, most of them 0.
  Peers() {
    Sequence draws(make_stream(41, 0, Purpose::synthetic));
    std::string income = "clinic,height,male,height_male,income\n", death = "hospital,age,creatinine,income,died\n",
                visits = "practice,distance,age,visits\n";
    for (int r = 0; r < 400; ++r) {
      const int male = draws.uniform() < 0.5 ? 1 : 0;
      const double height = std::round(10 * (165 + 12 * male + 7 * draws.normal())) / 10;
      income += fmt::format("c{},{},{},{},{:.2f}\n", r % 8, height, male, height * male,
                            -20000 + 350 * height + 4000 * male + 20 * height * male + 9000 * draws.normal());
    }
    for (int r = 0; r < 600; ++r) {
      const double age = std::round(67 + 12 * draws.normal()), creatinine = std::exp(4.5 + 0.5 * draws.normal());
      const double earned = std::exp(10.3 + 0.7 * draws.normal());
      const double eta = -2 + 0.06 * (age - 67) + 0.006 * (creatinine - 100) - 1e-5 * (earned - 38000);
      death += fmt::format("h{},{},{:.1f},{:.0f},{}\n", r % 6, age, creatinine, earned,
                           draws.uniform() < 1 / (1 + std::exp(-eta)) ? "yes" : "no");
    }
    for (int r = 0; r < 500; ++r) {
      const double distance = std::round(12000 * draws.uniform()), age = std::round(50 + 15 * draws.normal());
      double left = std::exp(0.2 - 2.5e-4 * distance + 0.01 * (age - 50));
      int count = -1;
      for (; left > 0; ++count) left += std::log1p(-draws.uniform());
      visits += fmt::format("p{},{},{},{}\n", r % 5, distance, age, count);
    }
    put("income.csv", income);
    put("death.csv", death);
    put("visits.csv", visits);
  }

  Json summary(const PeerData& data, const std::string& folder, const Words& more) const {
    put("run.toml", fmt::format("[model]\nkind = \"{}\"\n[data]\nsource = \"{}.csv\"\ntarget = \"{}\"\n"
                                "partition = \"by-column\"\ncolumn = \"{}\"\n",
                                data.kind, data.name, data.target, data.column));
    Words words = {"run", "run.toml", "--quiet", "--out", folder};
    for (const std::string& set : more) words.insert(words.end(), {"--set", set});
    const Outcome done = run(words);
    EXPECT_EQ(done.code, 0) << done.err;
    return Json::parse(slurp(folder + "/summary.json"));
  }
};

// The means of a default run are those of a long run of nuts, within 0.1 sd and four Monte Carlo errors; so are the
// standard deviations, within the 3 % that the step may cost and four of their errors.
TEST_F(Peers, DefaultRunsAgreeWithNuts) {
  for (const PeerData& data : {kIncome, kDeath, kVisits}) {
    const Json ours = summary(data, fmt::format("{}-default", data.name), {});
    const Json nuts = summary(data, fmt::format("{}-nuts", data.name), {"sampler.name=nuts", "run.iterations=6000"});
    EXPECT_EQ(ours["sampler"], "qlsd++");
    EXPECT_EQ(ours["verdict"]["converged"], true) << data.name << ' ' << ours["verdict"];
    EXPECT_EQ(nuts["verdict"]["converged"], true) << data.name << ' ' << nuts["verdict"];
    ASSERT_EQ(ours["parameters"].size(), nuts["parameters"].size());
    for (std::size_t j = 0; j < ours["parameters"].size(); ++j) {
      const Json &a = ours["parameters"][j], &b = nuts["parameters"][j];
      const double sd = b["sd"], error = std::hypot(a["mcse"].get<double>(), b["mcse"].get<double>());
      EXPECT_NEAR(a["mean"].get<double>(), b["mean"].get<double>(), 0.1 * sd + 4 * error)
          << data.name << ' ' << a["label"];
      const double least = std::min(a["ess_bulk"].get<double>(), b["ess_bulk"].get<double>());
      EXPECT_NEAR(a["sd"].get<double>() / sd, 1, 0.03 + 4 / std::sqrt(2 * least)) << data.name << ' ' << a["label"];
    }
  }
}

// Correlated columns in units of their own cost no draws: version 0.1 had a bulk ESS of 62 without the product of
// height and sex, and of 6 with it.
TEST_F(Peers, CorrelatedColumnsMix) {
  for (const char* features : {"[\"height\", \"male\"]", "[\"height\", \"male\", \"height_male\"]"}) {
    const Json json = summary(kIncome, "long",
                              {"sampler.name=qlsd++", "run.iterations=90000", fmt::format("data.features={}", features),
                               "output.draws=[\"none\"]"});
    EXPECT_EQ(json["verdict"]["converged"], true) << json["verdict"];
    for (const Json& p : json["parameters"]) EXPECT_GE(p["ess_bulk"], 5000) << features << ' ' << p["label"];
  }
}

// Under a flat prior the mode is the maximum of the likelihood.
TEST_F(Peers, TheModeUnderAFlatPriorIsThatOfGlm) {
  if (run_program("Rscript", {"--version"}).code != 0) GTEST_SKIP() << "needs Rscript (r-base-core)";
  std::map<std::string, std::map<std::string, double>> modes;
  for (const PeerData& data : {kIncome, kDeath, kVisits}) {
    const Json json = summary(data, data.name, {"model.prior=flat", "data.test_fraction=0.0", "run.iterations=1000"});
    ASSERT_EQ(json["mode"].size(), json["parameters"].size()) << data.name;
    for (std::size_t j = 0; j < json["mode"].size(); ++j)
      modes[data.name][json["parameters"][j]["label"]] = json["mode"][j];
  }
  const Outcome fits = run_program("Rscript", {pollen::source_dir() + "/tests/apps/peers.R", path("")});
  ASSERT_EQ(fits.code, 0) << fits.err;
  std::istringstream lines(fits.out);
  std::string data, name;
  double value = 0;
  int compared = 0;
  for (; lines >> data >> name >> value; ++compared) {
    if (name == "(Intercept)") name = "intercept";
    ASSERT_TRUE(modes[data].contains(name)) << fits.out;
    EXPECT_NEAR(modes[data][name], value, 5e-6 * std::abs(value)) << data << ' ' << name;  // five digits
  }
  EXPECT_EQ(compared, 5 + 4 + 3);
}

}  // namespace
}  // namespace pollen
