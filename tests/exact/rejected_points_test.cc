// Where the density is 0 or cannot be computed, points are rejected and the law is that of the rest.
#include <cmath>
#include <limits>

#include "exact/engines.h"
#include "pollen/errors.h"

namespace pollen::exact {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();

// A standard normal law in two dimensions on the half with x > 0. Elsewhere the answers are what the test says.
class HalfNormal final : public Posterior {
 public:
  HalfNormal(double potential, double gradient) : potential_(potential), slope_(gradient) {}
  Index dimension() const override { return 2; }
  void ask(ConstPanelView at, PanelView out, Counters& counters) override {
    counters.rounds += 1;
    for (Index c = 0; c < at.columns; ++c) {
      const auto x = at.column(c);
      for (const double number : x) EXPECT_TRUE(std::isfinite(number)) << "asked at a position that is no number";
      const bool inside = x[0] > 0;
      for (std::size_t j = 0; j < 2; ++j) out.column(c)[j] = inside ? x[j] : slope_;
      potential_of(out, c) = inside ? 0.5 * (x[0] * x[0] + x[1] * x[1]) : potential_;
    }
  }

 private:
  double potential_, slope_;
};

std::unique_ptr<Engine> made(const char* kernel, double potential, double gradient, const Settings& settings,
                             double start = 1) {
  auto engine = make_engine({.kernel = kernel, .dimension = 2, .chains = 64, .settings = settings},
                            std::make_unique<HalfNormal>(potential, gradient));
  Panel position(2, 64);
  fill(position, start);
  engine->start(position);
  return engine;
}

struct Outside {
  const char* name;
  double potential, gradient;
};
void PrintTo(const Outside& outside, std::ostream* out) { *out << outside.name; }
class Outsides : public ::testing::TestWithParam<Outside> {};

// |x| of a standard normal has the mean √(2/π) and the second moment 1; y keeps its law.
TEST_P(Outsides, LeaveTheLawOfTheRest) {
  const Outside& outside = GetParam();
  for (const char* kernel : {"nuts", "hmc", "mala"}) {
    const auto engine = made(kernel, outside.potential, outside.gradient, {.step = 0.4, .warm_up = 0, .leapfrogs = 3});
    std::vector<double> mean(64), square(64), other(64);
    constexpr int kDraws = 3000;
    for (int k = 0; k < 200 + kDraws; ++k) {
      engine->advance(1);
      for (std::size_t c = 0; k >= 200 && c < 64; ++c) {
        const auto x = engine->position().column(static_cast<Index>(c));
        ASSERT_GT(x[0], 0);
        mean[c] += x[0] / kDraws;
        square[c] += x[0] * x[0] / kDraws;
        other[c] += x[1] * x[1] / kDraws;
      }
    }
    const auto expect = [&](const std::vector<double>& chains, double wanted, const char* what) {
      double sum = 0, spread = 0;
      for (const double x : chains) sum += x / 64;
      for (const double x : chains) spread += (x - sum) * (x - sum) / 63 / 64;
      EXPECT_LT(std::abs(sum - wanted), 4 * std::sqrt(spread)) << kernel << ": " << what << " is " << sum;
      EXPECT_LT(std::sqrt(spread), 0.02) << "too few draws to tell anything";
    };
    expect(mean, std::sqrt(2 / std::acos(-1.0)), "the mean");
    expect(square, 1, "the second moment");
    expect(other, 1, "the other coordinate's variance");
  }
}

INSTANTIATE_TEST_SUITE_P(, Outsides,
                         ::testing::Values(Outside{"infinite", kInfinity, 0}, Outside{"no_number", kNaN, 0},
                                           Outside{"below_everything", -kInfinity, 0}, Outside{"no_slope", 1, kNaN},
                                           Outside{"infinite_slope", 1, kInfinity}),
                         [](const auto& one) { return one.param.name; });

// The warm-up finds a step, and chains move on.
TEST(RejectedPoints, DoNotStopTheWarmUp) {
  for (const char* kernel : {"nuts", "hmc", "mala"}) {
    const auto engine = made(kernel, kNaN, kNaN, {.warm_up = 40});
    for (int k = 0; k < 40; ++k) engine->advance(1);
    const Panel before = copy_of(engine->position());
    for (int k = 0; k < 20; ++k) engine->advance(1);
    Index moved = 0;
    for (Index c = 0; c < 64; ++c) moved += engine->position().column(c)[0] != before.column(c)[0];
    EXPECT_GE(moved, 60) << kernel;
  }
}

// A step that is far too long leads out of the finite numbers. Nobody is asked there, and every proposal is rejected.
TEST(RejectedPoints, NobodyIsAskedBeyondTheNumbers) {
  for (const char* kernel : {"nuts", "hmc", "mala"}) {
    const auto engine = made(kernel, kInfinity, 0, {.step = 1e200, .warm_up = 0, .leapfrogs = 20});
    for (int k = 0; k < 5; ++k) engine->advance(1);
    EXPECT_EQ(engine->position().column(3)[0], 1) << kernel;
    EXPECT_TRUE(engine->transitions()[3].divergent) << kernel;
  }
}

// Too low a potential would be accepted and never left again, so an absurd one ends the run once burn-in is over.
TEST(RejectedPoints, AnAbsurdlyLowPotentialIsAnError) {
  for (const char* kernel : {"nuts", "hmc", "mala"}) {
    const auto engine = made(kernel, -1e9, 0, {.step = 0.4, .warm_up = 0, .leapfrogs = 3});
    try {
      for (int k = 0; k < 100; ++k) engine->advance(1);
      FAIL() << kernel;
    } catch (const NumericError& error) {
      EXPECT_NE(std::string(error.what()).find("a client has answered with wrong numbers"), std::string::npos);
    }
  }
}

TEST(RejectedPoints, AStartWithoutADensityIsAnError) {
  for (const double bad : {kInfinity, kNaN, -kInfinity}) {
    const auto engine = made("nuts", bad, 0, {.warm_up = 10}, -1);
    try {
      engine->advance(1);
      FAIL() << bad;
    } catch (const NumericError& error) {
      EXPECT_NE(std::string(error.what()).find("chain 1: the potential at its start is not finite"), std::string::npos)
          << error.what();
    }
  }
}

}  // namespace
}  // namespace pollen::exact
