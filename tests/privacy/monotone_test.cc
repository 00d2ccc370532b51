// Tests the direction in which ε moves with each argument, for every scheme and adversary.
#include <gtest/gtest.h>

#include <functional>

#include "inputs.h"

namespace pollen {
namespace {

struct Case {
  PrivacyScheme scheme;
  Adversary adversary;
};

class Monotone : public ::testing::TestWithParam<Case> {
 protected:
  PrivacyInputs base() const {
    PrivacyInputs in = four_clients();
    in.scheme = GetParam().scheme;
    in.adversary = GetParam().adversary;
    return in;
  }
  // Expects ε to rise strictly along the values.
  static void rises(const std::vector<double>& values, const std::function<PrivacyAccount(double)>& account) {
    double last = 0;
    for (const double value : values) {
      const PrivacyAccount a = account(value);
      ASSERT_TRUE(a.epsilon) << value << ": " << a.why.front();
      EXPECT_GT(*a.epsilon, last) << value;
      last = *a.epsilon;
    }
  }
  void rises(const std::vector<double>& values, const std::function<void(PrivacyInputs&, double)>& set) const {
    rises(values, [&](double value) {
      PrivacyInputs in = base();
      set(in, value);
      return theorem_account(in, 20);
    });
  }
};

TEST_P(Monotone, InTheStep) {
  rises({1e-8, 1e-7, 1e-6, 1.01e-6, 1e-5}, [](PrivacyInputs& in, double x) { in.step = x; });
}
TEST_P(Monotone, InTheSensitivity) {
  rises({0.1, 0.5, 1, 1.5}, [](PrivacyInputs& in, double x) { in.sensitivity = x; });
}
TEST_P(Monotone, InTheCold) {
  rises({8, 4, 1, 0.5}, [](PrivacyInputs& in, double x) { in.temperature = x; });
}
TEST_P(Monotone, InTheCorrelation) {
  rises({0, 0.3, 0.5, 0.8}, [](PrivacyInputs& in, double x) { in.correlation = x; });
}
TEST_P(Monotone, InTheSmallestShare) {
  rises({0.25, 0.2, 0.1, 0.05}, [](PrivacyInputs& in, double x) { in.clients.min_share = x; });
}
TEST_P(Monotone, InTheRate) {  // the rate acts through δ_0 alone
  rises({0.1, 0.2, 0.5, 1}, [](PrivacyInputs& in, double x) { in.clients.max_rate = x; });
}
TEST_P(Monotone, InLocalSteps) {
  rises({1, 2, 10, 100, 300}, [](PrivacyInputs& in, double x) { in.local_steps = static_cast<Index>(x); });
}
TEST_P(Monotone, InChains) {
  rises({1, 2, 3, 8}, [](PrivacyInputs& in, double x) { in.chains = static_cast<Index>(x); });
}
TEST_P(Monotone, InCare) {
  rises({1e-2, 1e-4, 1e-5, 1e-8}, [](PrivacyInputs& in, double x) { in.delta = x; });
}
TEST_P(Monotone, InRounds) {
  rises({1, 2, 3, 5, 50, 500, 501}, [&](double x) { return theorem_account(base(), static_cast<Index>(x)); });
}

INSTANTIATE_TEST_SUITE_P(
    All, Monotone,
    ::testing::Values(Case{PrivacyScheme::full, Adversary::server}, Case{PrivacyScheme::one, Adversary::server},
                      Case{PrivacyScheme::two, Adversary::server}, Case{PrivacyScheme::full, Adversary::outside},
                      Case{PrivacyScheme::one, Adversary::outside}, Case{PrivacyScheme::two, Adversary::outside}));

// ε rises with the number of clients drawn. In scheme I the most frequent client has the largest share; in scheme II
// all are equally frequent.
TEST(MonotoneOutside, InWhoTakesPart) {
  PrivacyInputs in = four_clients();
  in.adversary = Adversary::outside;
  in.local_steps = 1;
  for (const PrivacyScheme scheme : {PrivacyScheme::one, PrivacyScheme::two}) {
    in.scheme = scheme;
    double last = 0;
    for (in.drawn = 1; in.drawn <= 4; ++in.drawn) {
      const double epsilon = *theorem_account(in, 20).epsilon;
      EXPECT_GT(epsilon, last) << in.drawn;
      last = epsilon;
    }
    in.drawn = 2;
    const double base = *theorem_account(in, 20).epsilon;
    PrivacyInputs other = in;
    other.clients.max_share = 0.5;
    EXPECT_EQ(*theorem_account(other, 20).epsilon > base, scheme == PrivacyScheme::one);
    other = in;
    other.clients.count = 40;
    EXPECT_EQ(*theorem_account(other, 20).epsilon < base, scheme == PrivacyScheme::two);
  }
}

}  // namespace
}  // namespace pollen
