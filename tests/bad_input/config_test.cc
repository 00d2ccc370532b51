// Errors in the configuration file itself.
#include "case.h"

namespace pollen::bad_input {
namespace {

const std::vector<Case> kCases = {
    {"unknown_key", {{"sampler.stpe", "1"}}, {{"a.toml:", "sampler.stpe", "unknown key", "sampler.step?"}}},
    {"unknown_key_far_from_all", {{"sampler.zzzzzzzz", "1"}}, {{"a.toml:", "sampler.zzzzzzzz", "unknown key"}}},
    {"misspelt_section", {}, {{"a.toml:", "sampelr", "sampler?"}}, {}, "[sampelr]\nrefresh = 3\n"},
    {"misspelt_top_key", {{"sed", "3"}}, {{"a.toml:", "sed", "seed?"}}},
    {"key_without_section", {{"refresh", "3"}}, {{"a.toml:", "refresh", "sampler.refresh?"}}},
    {"value_for_a_section", {{"output", "3"}}, {{"a.toml:", "output", "found 3", "[output]"}}},
    {"client_is_no_table", {{"client", "3"}}, {{"a.toml:", "client", "[[client]]"}}},
    {"unknown_client_key", {}, {{"a.toml:", "client 1, levls", "levels?"}}, {}, "[[client]]\nlevls = 3\n"},
    {"word_for_a_number", {{"run.chains", "\"four\""}}, {{"a.toml:", "run.chains", "\"four\"", "an integer"}}},
    {"decimal_for_an_integer", {{"run.thin", "1.5"}}, {{"a.toml:", "run.thin", "found 1.5", "an integer"}}},
    {"number_for_a_truth", {{"data.intercept", "1"}}, {{"a.toml:", "data.intercept", "found 1", "true or false"}}},
    {"number_for_a_word", {{"model.kind", "3"}}, {{"a.toml:", "model.kind", "found 3", "\"logistic\""}}},
    {"table_for_a_number", {{"run.thin", "{a = 1}"}}, {{"a.toml:", "run.thin", "a table", "an integer"}}},
    {"date_for_a_number", {{"seed", "2024-01-01"}}, {{"a.toml:", "seed", "2024-01-01", "an integer"}}},
    {"no_such_config", {}, {{"b.toml", "no such file"}}, {}, "", {"run", "b.toml", "--out", "out"}},
    {"config_is_a_folder", {}, {{"sub", "a directory", "a TOML file"}}, {{"sub/", ""}}, "", {"run", "sub"}},
    {"syntax_error", {}, {{"a.toml:1:8"}}, {{"a.toml", "seed = = 3\n"}}},
    {"open_string", {}, {{"a.toml:2:"}}, {{"a.toml", "[model]\nkind = \"logistic\n"}}},
    {"open_table", {}, {{"a.toml:1:"}}, {{"a.toml", "[model\nkind = 1\n"}}},
    {"key_twice", {}, {{"a.toml:2:", "seed"}}, {{"a.toml", "seed = 1\nseed = 2\n"}}},
    {"binary_config", {}, {{"a.toml:1:"}}, {{"a.toml", std::string("\x7f\x45\x4c\x46\x02\x00\xff\xfe", 8)}}},
    {"empty_config", {}, {{"a.toml", "data.source", "needed"}}, {{"a.toml", ""}}},
    {"model_without_data", {{"data.source", ""}}, {{"a.toml", "data.source", "built-in name", "path"}}},
    {"negative_seed", {{"seed", "-1"}}, {{"a.toml:", "seed", "found -1", "from 0"}}},
    {"unknown_model",
     {{"model.kind", "\"logistc\""}},
     {{"a.toml:", "model.kind", "\"logistc\"", "mean \"logistic\"?"}}},
    {"unknown_draws", {{"output.draws", "[\"parquet\"]"}}, {{"a.toml:", "output.draws", "parquet", "\"csv\""}}},
    {"three_problems",
     {{"run.chains", "0"}, {"sampler.step", "-1"}, {"model.priorsd", "1"}},
     {{"model.priorsd", "model.prior_sd?"}, {"run.chains", "found 0"}, {"sampler.step", "found -1"}}},
    {"twelve_problems_ten_lines",
     {{"run.a1", "1"},
      {"run.a2", "1"},
      {"run.a3", "1"},
      {"run.a4", "1"},
      {"run.a5", "1"},
      {"run.a6", "1"},
      {"run.a7", "1"},
      {"run.a8", "1"},
      {"run.a9", "1"},
      {"run.b1", "1"},
      {"run.b2", "1"},
      {"run.b3", "1"}},
     std::vector<Words>(10, {"a.toml:", "run.", "unknown key"})},
};

POLLEN_BAD_INPUT(Config, kCases);

}  // namespace
}  // namespace pollen::bad_input
