// AVX2 and AVX-512 must give the same bytes and the same decoded values.
#include "cases.h"
#include "hwy/highway.h"

namespace pollen::compress_tests {
namespace {

class Targets : public testing::TestWithParam<Case> {
 protected:
  void TearDown() override { use(0); }

  static void use(std::int64_t target) {  // 0 means the best target available
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(target == 0 ? hwy::SupportedTargets() : target);
  }
};

TEST_P(Targets, SameBits) {
  const std::vector<std::int64_t> targets = hwy::SupportedAndGeneratedTargets();
  for (const Index d : {1, 13, 50, 2047, 5003}) {
    const auto compressor = GetParam().make(d);
    for (const std::vector<double>& v : vectors(d)) {
      use(targets.front());
      const Encoded first = encode(*compressor, v);
      for (const std::int64_t target : targets) {
        use(target);
        const Encoded made = encode(*compressor, v);
        EXPECT_EQ(made.payload, first.payload) << hwy::TargetName(target);
        EXPECT_TRUE(same_bits(made.decoded, first.decoded)) << hwy::TargetName(target);
        EXPECT_TRUE(same_bits(decode(*compressor, made.payload, v.size()), first.decoded)) << hwy::TargetName(target);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Targets, testing::ValuesIn(cases()), case_name);

}  // namespace
}  // namespace pollen::compress_tests
