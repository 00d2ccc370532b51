// Tests that the causes of poor draws are named in runs on data as people have them, in their own units.
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "fixtures.h"
#include "pollen/errors.h"
#include "pollen/random.h"
#include "pollen/run.h"

namespace pollen::sink {
namespace {

class NaturalCauses : public FolderTest {
 protected:
  // Writes 200 rows of four sites. `columns` has their names; `row` returns what stands in a row.
  template <class Row>
  void put_rows(const std::string& columns, const Row& row) const {
    Sequence random(make_stream(3, 0, Purpose::synthetic));
    std::string text = "site," + columns + '\n';
    for (int i = 0; i < 200; ++i) text += fmt::format("{},{}\n", i % 4, row(random));
    put(path("d.csv"), text);
  }
  // Runs without any help: from zero, with N(0, 1) on standardised coefficients, in the model's own coordinates.
  std::string warnings_of(const std::string& kind, const std::string& target) const {
    const std::string text = fmt::format(
        "[model]\nkind = \"{}\"\nprior = \"normal\"\nprior_scale = \"standardized\"\n[data]\nsource = \"{}\"\ntarget = "
        "\"{}\"\npartition = "
        "\"by-column\"\ncolumn = \"site\"\n[sampler]\nname = \"lsd++\"\nprecondition = \"none\"\n[run]\niterations = "
        "3000\ninit = \"zero\"\n",
        kind, path("d.csv"), target);
    pollen::Run run(read_config_text(text, "test.toml"), {.folder = path("out")});
    run.start();
    run.sample();
    return fmt::format("{}", fmt::join(run.finish().warnings, "\n"));
  }
  std::string warnings_by_default(const std::string& kind, const std::string& target) const {
    pollen::Run run(read_config_text(fmt::format("[model]\nkind = \"{}\"\n[data]\nsource = \"{}\"\ntarget = \"{}\"\n"
                                                 "partition = \"by-column\"\ncolumn = \"site\"\n[run]\n"
                                                 "iterations = 3000\n",
                                                 kind, path("d.csv"), target),
                                     "test.toml"),
                    {.folder = path("out")});
    run.start();
    run.sample();
    return fmt::format("{}", fmt::join(run.finish().warnings, "\n"));
  }
};

TEST_F(NaturalCauses, IncomeInDollarsRunsAway) {
  put_rows("height,income", [](Sequence& random) {
    const double height = 170 + 9 * random.normal();
    return fmt::format("{:.1f},{:.0f}", height, 300 * (height - 80) + 12'000 * random.normal());
  });
  const std::string text = warnings_of("linear", "income");
  EXPECT_NE(text.find("log_sigma has run away"), std::string::npos) << text;
  EXPECT_EQ(text.find("times longer"), std::string::npos) << text;
}

TEST_F(NaturalCauses, TheSameHeightTwiceIsCollinear) {
  put_rows("cm,inches,y", [](Sequence& random) {
    const double cm = 170 + 9 * random.normal();
    return fmt::format("{0:.1f},{1:.6f},{2:.3f}", cm, std::round(10 * cm) / 25.4, 0.1 * (cm - 170) + random.normal());
  });
  const std::string text = warnings_of("linear", "y");
  EXPECT_NE(text.find("collinear columns: the data hardly tell cm and inches apart"), std::string::npos) << text;
  EXPECT_EQ(text.find("times longer"), std::string::npos) << text;
}

TEST_F(NaturalCauses, AColumnThatTellsTheClassesApartSeparates) {
  put_rows("age,dose,ill", [](Sequence& random) {
    const double age = 50 + 12 * random.normal();
    return fmt::format("{:.1f},{:.2f},{}", age, random.normal(), age > 52 ? "yes" : "no");
  });
  const std::string text = warnings_of("logistic", "ill");
  EXPECT_NE(text.find("without error by age,"), std::string::npos) << text;
}

// No count above 0 at one ward leaves its rate to the prior.
TEST_F(NaturalCauses, ALevelWhoseCountsAreAllZeroSeparates) {
  const auto put = [&](int at_ward) {
    put_rows("age,ward,falls", [&](Sequence& random) {
      const double age = 70 + 8 * random.normal();
      const bool ward = random.uniform() < 0.2;
      return fmt::format("{:.1f},{},{}", age, ward ? "w" : "a",
                         ward ? at_ward : static_cast<int>(3 * random.uniform()));
    });
    return warnings_of("poisson", "falls");
  };
  const std::string separated = put(0);
  EXPECT_NE(separated.find("rows whose counts are all 0 apart without error by ward=w,"), std::string::npos)
      << separated;
  EXPECT_EQ(put(1).find("separation"), std::string::npos);
}

// A level of a third of the rows takes the intercept at the columns' means with it, so that the prior of both holds it.
TEST_F(NaturalCauses, AFrequentLevelWithoutEventsSeparates) {
  const auto cautions_of = [&](bool one_event) {
    bool had = !one_event;
    put_rows("pressure,ward,ill", [&](Sequence& random) {
      const double pressure = 120 + 15 * random.normal(), u = random.uniform();
      const bool third = random.uniform() < 1.0 / 3, event = third ? !std::exchange(had, true) : u < 0.4;
      return fmt::format("{:.1f},{},{}", pressure,
                         third                    ? "c"
                         : random.uniform() < 0.5 ? "a"
                                                  : "b",
                         event ? "yes" : "no");
    });
    return warnings_by_default("logistic", "ill");
  };
  const std::string separated = cautions_of(false);
  EXPECT_NE(separated.find("without error by ward=c,"), std::string::npos) << separated;
  EXPECT_EQ(cautions_of(true).find("separation"), std::string::npos);
}

// A level that occurs with one of three classes only, with the defaults.
TEST_F(NaturalCauses, ALevelOfOneClassSeparatesInSoftmax) {
  const auto cautions_of = [&](double others) {
    put_rows("age,ward,end", [&](Sequence& random) {
      const double age = 70 + 8 * random.normal(), u = random.uniform();
      const bool ward = random.uniform() < 0.2, alike = ward && random.uniform() > others;
      const char* end = alike ? "home" : u < 0.4 ? "clinic" : u < 0.7 ? "home" : "care";
      return fmt::format("{:.1f},{},{}", age, ward ? "w" : "a", end);
    });
    return warnings_by_default("softmax", "end");
  };
  const std::string separated = cautions_of(0);
  EXPECT_NE(separated.find("without error by"), std::string::npos) << separated;
  EXPECT_NE(separated.find("home: ward=w"), std::string::npos) << separated;
  EXPECT_EQ(cautions_of(0.3).find("separation"), std::string::npos);
}

// Without a prior such coefficients have no posterior. Ordinary data have one, however rare the event.
TEST_F(NaturalCauses, WithoutAPriorSeparationIsImproper) {
  const auto start = [&](double limit, double certainty) {
    put_rows("age,dose,ill", [&](Sequence& random) {
      const double age = 50 + 12 * random.normal(), dose = random.normal();
      const bool ill = random.uniform() < certainty ? age > limit : random.uniform() < 0.5;
      return fmt::format("{:.1f},{:.2f},{}", age, dose, ill ? "yes" : "no");
    });
    const std::string text = fmt::format(
        "[model]\nkind = \"logistic\"\nprior = \"flat\"\n[data]\nsource = \"{}\"\ntarget = \"ill\"\nfeatures = "
        "[\"age\", \"dose\"]\n[run]\niterations = 100\n",
        path("d.csv"));
    pollen::Run run(read_config_text(text, "test.toml"), {.folder = path("out")});
    run.start();
  };
  try {
    start(52, 1);
    ADD_FAILURE() << "an improper posterior was sampled";
  } catch (const ConfigError& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("without error (separation), so that the likelihood has no maximum in "), std::string::npos)
        << what;
    EXPECT_NE(what.find("age"), std::string::npos) << what;
  }
  EXPECT_NO_THROW(start(52, 0.9));
  EXPECT_NO_THROW(start(75, 0.9));
}

// A level without an event leaves curvature along its own column, which is centred, and none in the direction of the
// level. It is not determined by other columns, as such a direction is elsewhere.
TEST_F(NaturalCauses, WithoutAPriorALevelWithoutEventsIsSeparation) {
  for (const bool counts : {false, true}) {
    put_rows("age,ward,ill", [&](Sequence& random) {
      const double age = 50 + 12 * random.normal();
      const bool ward = random.uniform() < 0.1, ill = random.uniform() < 0.3;
      return fmt::format("{:.1f},{},{}", age, ward ? "w" : "a", !ward && ill ? 1 : 0);
    });
    const std::string text = fmt::format(
        "[model]\nkind = \"{}\"\nprior = \"flat\"\n[data]\nsource = \"{}\"\ntarget = \"ill\"\nfeatures = [\"age\", "
        "\"ward\"]\n[run]\niterations = 100\n",
        counts ? "poisson" : "logistic", path("d.csv"));
    try {
      pollen::Run run(read_config_text(text, "test.toml"), {.folder = path("out")});
      run.start();
      ADD_FAILURE() << "an improper posterior was sampled";
    } catch (const ConfigError& error) {
      const std::string what = error.what();
      EXPECT_NE(what.find("(separation), so that the likelihood has no maximum in ward=w;"), std::string::npos) << what;
    }
  }
}

}  // namespace
}  // namespace pollen::sink
