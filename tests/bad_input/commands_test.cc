// Wrong command lines, output folders, and inputs of summary and compare.
#include "case.h"

namespace pollen::bad_input {
namespace {

Case words(const std::string& name, const Words& command, const Words& expected) {
  return {name, {}, {expected}, {}, "", command};
}

Words run_with(const Words& more) {
  Words command = {"run", "a.toml", "--out", "out"};
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

const std::vector<Case> kCommandLine = {
    words("misspelt_command", {"rum", "a.toml"}, {"\"rum\"", "accepted", "run?"}),
    words("unknown_command", {"zzzzzz"}, {"\"zzzzzz\"", "accepted", "summary"}),
    words("misspelt_option", run_with({"--quite"}), {"--quite", "--quiet?"}),
    words("short_option", run_with({"-x"}), {"-x", "accepted"}),
    words("two_configs", {"run", "a.toml", "a.toml"}, {"\"a.toml\"", "one word too many"}),
    words("set_without_value", run_with({"--set", "sampler.step"}), {"--set sampler.step", "key=value"}),
    words("set_without_key", run_with({"--set", "=3"}), {"--set =3", "key=value"}),
    words("set_unknown_key", run_with({"--set", "run.chain=3"}), {"--set run.chain=3", "run.chain", "run.chains?"}),
    words("set_bad_value", run_with({"--set", "run.chains=many"}),
          {"--set run.chains=many", "run.chains", "an integer"}),
    words("set_a_word_for_step", run_with({"--set", "sampler.step=quick"}), {"sampler.step", "\"quick\"", "\"auto\""}),
    words("no_threads", run_with({"--threads", "0"}), {"--threads", "\"0\"", "from 1"}),
    words("negative_threads", run_with({"--threads", "-1"}), {"--threads", "-1"}),
    words("threads_in_words", run_with({"--threads", "abc"}), {"--threads", "\"abc\"", "a number"}),
    words("half_a_thread", run_with({"--threads", "1.5"}), {"--threads", "\"1.5\"", "a number"}),
    words("bad_seed", run_with({"--seed", "one"}), {"seed", "one", "an integer"}),
    words("negative_checkpoint_every", run_with({"--checkpoint-every", "-3"}), {"--checkpoint-every", "-3"}),
    words("out_without_folder", {"run", "a.toml", "--out"}, {"--out"}),
    words("data_without_config", {"data"}, {"CONFIG"}),
    words("data_of_a_wrong_config", {"data", "a.toml", "--set", "data.target=yy"},
          {"data.target", "\"yy\"", "mean \"y\"?"}),
    words("list_of_a_misspelt_word", {"list", "modles"}, {"modles", "models?"}),
};

POLLEN_BAD_INPUT(CommandLine, kCommandLine);

Case with(const std::string& name, const Files& files, const Words& command, const Words& expected) {
  return {name, {}, {expected}, files, "", command};
}

const Files kOther = {{"out/thesis.tex", "mine"}};
const Files kAlmost = {{"out/summary.json", "{}"}, {"out/draws-1.csv", "a\n1\n"}};
const Files kDraws = {{"run/draws-1.csv", "lp__,a,b\n-1,1,2\n-2,2,3\n-3,1,1\n-1,4,2\n"}};

Files draws_and(const std::string& name, const std::string& content) {
  Files files = kDraws;
  files[name] = content;
  return files;
}

const std::vector<Case> kFolders = {
    with("out_with_other_files", kOther, run_with({}), {"out", "other files", "thesis.tex", "accepted"}),
    with("out_of_somebody_else", kAlmost, run_with({}), {"out", "accepted"}),
    with("out_is_a_file", {{"out", "mine"}}, run_with({}), {"out", "file", "accepted"}),
    with("out_below_a_file", {{"out", "mine"}}, {"run", "a.toml", "--out", "out/deeper"},
         {"out/deeper", "cannot be a folder"}),
    with("out_has_no_name", {}, {"run", "a.toml", "--out", ""}, {"out"}),
    with("resume_of_nothing", {}, run_with({"--resume"}), {"--resume", "no checkpoint", "out"}),
    with("resume_of_a_damaged_checkpoint", {{"out/checkpoint", "POLLENCK" + std::string(60, 'x')}},
         run_with({"--resume"}), {"out/checkpoint", "found"}),
    with("resume_of_a_cut_checkpoint", {{"out/checkpoint", "POLLEN"}}, run_with({"--resume"}),
         {"out/checkpoint", "cut short"}),
    with("summary_of_nothing", {}, {"summary", "run"}, {"run", "no such folder", "draws-1.csv"}),
    with("summary_of_a_file", {}, {"summary", "a.toml"}, {"a.toml", "accepted"}),
    with("summary_of_an_empty_folder", {{"run/", ""}}, {"summary", "run"}, {"run", "no draws"}),
    with("summary_of_text", {{"run/draws-1.csv", "a,b\n1,two\n"}}, {"summary", "run"},
         {"draws-1.csv: row 2", "\"two\"", "a number"}),
    with("summary_of_ragged_draws", {{"run/draws-1.csv", "a,b\n1,2\n1\n"}}, {"summary", "run"},
         {"draws-1.csv: row 3", "found 1", "2"}),
    with("summary_of_an_empty_file", {{"run/draws-1.csv", ""}}, {"summary", "run"},
         {"draws-1.csv", "no line of column names"}),
    with("summary_of_no_draws", {{"run/draws-1.csv", "a,b\n"}}, {"summary", "run"}, {"run", "no draws"}),
    with("summary_of_different_chains", draws_and("run/draws-2.csv", "lp__,a\n1,2\n"), {"summary", "run"},
         {"draws-2.csv"}),
    with("compare_nothing", {}, {"compare", "run", "a.toml"}, {"run", "no such folder"}),
    with("compare_with_nothing", kDraws, {"compare", "run", "other"}, {"other"}),
    with("compare_with_an_empty_folder", draws_and("other/", ""), {"compare", "run", "other"}, {"other", "no draws"}),
    with("compare_with_a_broken_csv", draws_and("r.csv", "a,b\n1,x\n"), {"compare", "run", "r.csv"},
         {"r.csv: row 2", "\"x\""}),
    with("compare_with_broken_json", draws_and("r.json", "{\"mean\": [1, 2"), {"compare", "run", "r.json"},
         {"r.json", "\"covariance\""}),
    with("compare_with_other_json", draws_and("r.json", "[1, 2]"), {"compare", "run", "r.json"},
         {"r.json", "\"covariance\""}),
    with("compare_with_a_short_covariance", draws_and("r.json", "{\"mean\": [1, 2], \"covariance\": [[1, 0]]}"),
         {"compare", "run", "r.json"}, {"r.json", "\"covariance\""}),
    with("compare_with_another_dimension", draws_and("r.json", "{\"mean\": [1], \"covariance\": [[1]]}"),
         {"compare", "run", "r.json"}, {"r.json", "1", "2"}),
    with("compare_with_other_parameters", draws_and("r.csv", "a,b,c\n1,2,3\n1,2,4\n"), {"compare", "run", "r.csv"},
         {"r.csv", "3", "2"}),
};

POLLEN_BAD_INPUT(Folders, kFolders);

}  // namespace
}  // namespace pollen::bad_input
