// Default runs on data in natural units against R's lme4: lmer(REML = FALSE) and glmer(nAGQ = 25).
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

class Lme4 : public ProgramTest {
 protected:
  // Writes reaction times of 18 subjects in milliseconds, and yes/no answers of 70 persons to 10 items of two kinds.
  void write_data() const {
    Sequence draws(make_stream(31, 0, Purpose::synthetic));
    std::string reactions = "who,day,age,reaction\n", answers = "who,item,kind,y\n";
    for (int i = 0; i < 18; ++i) {
      const double start = 25 * draws.normal(), slope = 6 * draws.normal(), age = std::round(40 + 8 * draws.normal());
      for (int day = 0; day < 10; ++day)
        reactions += fmt::format("s{},{},{},{}\n", i, day, age,
                                 251 + 10.5 * day + 0.5 * (age - 40) + start + slope * day + 26 * draws.normal());
    }
    for (int i = 0; i < 70; ++i) {
      const double z = 1.5 * draws.normal();
      for (int r = 0; r < 10; ++r) {
        const double eta = 0.5 - 0.02 * (10 * r) + (r % 2 == 0 ? 0.8 : 0) + z;
        answers += fmt::format("p{},{},{},{}\n", i, 10 * r, r % 2 == 0 ? "self" : "other",
                               draws.uniform() < 1 / (1 + std::exp(-eta)) ? "yes" : "no");
      }
    }
    put("reaction.csv", reactions);
    put("answers.csv", answers);
  }

  std::map<std::string, Json> estimates(const std::string& data, const std::string& model, const std::string& target) {
    put(data + ".toml", fmt::format("[model]\n{}\n[data]\nsource = \"{}.csv\"\ntarget = \"{}\"\npartition = "
                                    "\"by-column\"\ncolumn = \"who\"\ntest_fraction = 0.0\n[run]\niterations = 1500\n"
                                    "[output]\nclients = 0\n",
                                    model, data, target));
    const Outcome done = run({"run", data + ".toml", "--quiet", "--out", data});
    EXPECT_EQ(done.code, 0) << done.err;
    std::map<std::string, Json> out;
    const Json summary = Json::parse(slurp(data + "/summary.json"));
    for (const Json& p : summary["parameters"]) out[p["label"]] = p;
    return out;
  }
};

TEST_F(Lme4, AgreesWithDefaultRuns) {
  const Outcome there = run_program("Rscript", {"-e", "stopifnot(requireNamespace('lme4'))"});
  if (there.code != 0) GTEST_SKIP() << "needs Rscript with lme4 (r-cran-lme4)";
  write_data();
  std::map<std::string, std::map<std::string, Json>> found;
  found["reaction"] = estimates("reaction", "kind = \"mixed-gaussian\"\nrandom = [\"intercept\", \"day\"]", "reaction");
  found["answers"] = estimates("answers", "kind = \"mixed-logistic\"", "y");
  const Outcome fits = run_program("Rscript", {pollen::source_dir() + "/tests/apps/lme4.R", path("")});
  ASSERT_EQ(fits.code, 0) << fits.err;
  // R's names of the coefficients, and pollen's.
  const std::map<std::string, std::string> names = {
      {"(Intercept)", "mu[intercept]"}, {"kindself", "kind=self"}, {"log_sd[(Intercept)]", "log_sd[intercept]"}};
  std::istringstream lines(fits.out);
  std::string data, name, value, error;
  int compared = 0;
  while (lines >> data >> name >> value >> error) {
    const auto known = names.find(name);
    std::string label = known == names.end() ? name : known->second;
    if (label == "day") label = "mu[day]";
    ASSERT_TRUE(found[data].contains(label)) << fits.out;
    const Json& p = found[data][label];
    const double se = p["se"];
    EXPECT_NEAR(p["estimate"], std::stod(value), 0.1 * se) << data << ' ' << label;
    if (error != "NA") {
      EXPECT_NEAR(se, std::stod(error), 0.05 * std::stod(error)) << data << ' ' << label;
    }
    ++compared;
  }
  EXPECT_EQ(compared, 6 + 4);
}

}  // namespace
}  // namespace pollen
