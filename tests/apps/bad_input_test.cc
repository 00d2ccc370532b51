#include <algorithm>

#include "program.h"
#include "support/source_dir.h"

namespace pollen {
namespace {

struct Wrong {
  const char* name;
  Words words;
  const char* says;  // expected on stderr
};

class BadInput : public ProgramTest, public testing::WithParamInterface<Wrong> {};

TEST_P(BadInput, IsExitTwoWithOneLineAndNothingWritten) {
  put("a.toml", kTinyLogistic);
  put("notes.txt", "mine");
  const auto before = listing();
  const Outcome outcome = run(GetParam().words);
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  EXPECT_NE(outcome.err.find(GetParam().says), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("pollen: "), 0u) << outcome.err;
  EXPECT_LE(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 10);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(listing(), before);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, BadInput,
    testing::Values(Wrong{"misspelt_command", {"sumary", "x"}, "did you mean summary?"},
                    Wrong{"later_command", {"reproduce", "a.toml"}, "not in this version"},
                    Wrong{"report_of_no_folder", {"report", "a.toml"}, "found no such folder"},
                    Wrong{"misspelt_option", {"run", "a.toml", "--trheads", "2"}, "did you mean --threads?"},
                    Wrong{"misspelt_option_with_value", {"run", "--otu=x"}, "did you mean --out?"},
                    Wrong{"two_configs", {"run", "a.toml", "b.toml"}, "b.toml"},
                    Wrong{"threads_word", {"run", "--threads", "many"}, "--threads"},
                    Wrong{"threads_zero", {"run", "--threads", "0"}, "--threads"},
                    Wrong{"no_value", {"run", "a.toml", "--out"}, "--out"},
                    Wrong{"missing_config", {"run", "nothing.toml"}, "nothing.toml"},
                    Wrong{"unknown_key", {"run", "a.toml", "--set", "sampler.stpe=1"}, "sampler.step"},
                    Wrong{"bad_value", {"run", "a.toml", "--set", "sampler.step=-1"}, "sampler.step"},
                    Wrong{"bad_sampler", {"run", "a.toml", "--set", "sampler.name=qlsd+"}, "qlsd"},
                    Wrong{"bad_seed", {"run", "a.toml", "--seed", "x"}, "seed"},
                    Wrong{"netcdf", {"run", "a.toml", "--set", "output.draws=[\"netcdf\"]"}, "netcdf"},
                    Wrong{"out_is_a_file", {"run", "a.toml", "--out", "notes.txt"}, "notes.txt"},
                    Wrong{"out_below_a_file", {"run", "a.toml", "--out", "notes.txt/x"}, "notes.txt"},
                    Wrong{"out_has_other_files", {"run", "a.toml", "--out", "."}, "other files"},
                    Wrong{"resume_nothing", {"run", "a.toml", "--out", "x", "--resume"}, "no checkpoint"},
                    Wrong{"summary_of_nothing", {"summary", "x"}, "x"},
                    Wrong{"summary_without_draws", {"summary", "."}, "no draws"},
                    Wrong{"summary_without_folder", {"summary"}, "DIR"},
                    Wrong{"compare_nothing", {"compare", "x", "y"}, "x"}, Wrong{"list_nothing", {"list"}, "WHAT"},
                    Wrong{"list_misspelt", {"list", "sampler"}, "did you mean samplers?"},
                    Wrong{"data_nothing", {"data"}, "CONFIG"},
                    Wrong{"data_missing", {"data", "nothing.toml"}, "nothing.toml"}),
    [](const auto& one) { return one.param.name; });

class NoCommand : public ProgramTest {};

TEST_F(NoCommand, ShowsHelpAndExitsTwo) {
  const Outcome outcome = run({});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("summary"), std::string::npos);
}

TEST_F(NoCommand, StandardOutputThatIsFullIsAFailure) {
  const Outcome outcome = run_program("/bin/sh", {"-c", pollen_program() + " list samplers > /dev/full"}, {});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("standard output"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace pollen
