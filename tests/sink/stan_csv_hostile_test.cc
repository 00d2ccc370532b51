#include <gtest/gtest.h>

#include "pollen/errors.h"
#include "sink/stan_csv.h"

namespace pollen::sink {
namespace {

struct Hostile {
  const char* what;
  std::string text;
  const char* names;  // the message must contain this
};

class HostileCsv : public testing::TestWithParam<Hostile> {};

TEST_P(HostileCsv, IsAConfigErrorThatNamesFileAndRow) {
  try {
    parse_stan_csv(GetParam().text, "bad.csv");
    FAIL() << "accepted";
  } catch (const ConfigError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("bad.csv"), std::string::npos) << message;
    EXPECT_NE(message.find(GetParam().names), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, HostileCsv,
                         testing::Values(Hostile{"empty", "", "no line of column names"},
                                         Hostile{"comments", "# a\n# b\n", "no line of column names"},
                                         Hostile{"ragged", "lp__,a,b\n1,2,3\n1,2\n", "row 3: found 2 cells"},
                                         Hostile{"text", "lp__,a\n1,2\n1,abc\n", "row 3: column 2: found \"abc\""},
                                         Hostile{"blank", "lp__,a\n1,\n", "row 2: column 2: found \"\""},
                                         Hostile{"no_names", "1,2,3\n4,5,6\n", "row 1"},
                                         Hostile{"only_sampler", "lp__,energy__\n1,2\n", "no parameter"},
                                         Hostile{"binary",
                                                 std::string("\x7f"
                                                             "ELF\0\1\2,\n\0\0,3\n",
                                                             14),
                                                 "row 1"},
                                         Hostile{"hex", "lp__,a\n1,0x10\n", "row 2: column 2"},
                                         Hostile{"long_cell", "lp__,a\n1," + std::string(100000, 'x') + "\n",
                                                 "row 2: column 2"}),
                         [](const auto& one) { return one.param.what; });

TEST(MissingCsv, IsAConfigError) { EXPECT_THROW(read_stan_csv("/no/such/file.csv"), ConfigError); }

}  // namespace
}  // namespace pollen::sink
