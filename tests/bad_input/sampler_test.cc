// Wrong keys of the sampler, of participation and of the run, alone and in combination.
#include "case.h"

namespace pollen::bad_input {
namespace {

Keys bernoulli(const std::string& probability, Keys more = {}) {
  more["participation.policy"] = "\"bernoulli\"";
  more["participation.probability"] = probability;
  return more;
}

Keys fixed_size(const std::string& size) {
  return {{"participation.policy", "\"fixed-size\""}, {"participation.size", size}};
}

Keys sampler(const std::string& name, Keys more = {}) {
  more["sampler.name"] = '"' + name + '"';
  return more;
}

const std::vector<Case> kKeys = {
    {"negative_step", {{"sampler.step", "-0.1"}}, {{"a.toml:", "sampler.step", "found -0.1", "above 0", "\"auto\""}}},
    {"zero_step", {{"sampler.step", "0"}}, {{"a.toml:", "sampler.step", "found 0", "above 0"}}},
    {"infinite_step", {{"sampler.step", "inf"}}, {{"a.toml:", "sampler.step", "found inf", "above 0"}}},
    {"quick_step", {{"sampler.step", "\"quick\""}}, {{"a.toml:", "sampler.step", "\"quick\"", "\"auto\""}}},
    {"unknown_sampler", {{"sampler.name", "\"qlds++\""}}, {{"a.toml:", "sampler.name", "qlds++", "mean \"qlsd++\"?"}}},
    {"unknown_compressor", {{"sampler.compressor", "\"topk\""}}, {{"sampler.compressor", "topk", "mean \"top-k\"?"}}},
    {"no_levels", {{"sampler.levels", "0"}}, {{"a.toml:", "sampler.levels", "found 0", "from 1"}}},
    {"too_many_levels", {{"sampler.levels", "99999999"}}, {{"a.toml:", "sampler.levels", "99999999", "1048576"}}},
    {"odd_bits", {{"sampler.bits", "48"}}, {{"a.toml:", "sampler.bits", "found 48", "32 or 64"}}},
    {"no_batch", {{"sampler.batch", "0"}}, {{"a.toml:", "sampler.batch", "found 0", "from 1"}}},
    {"batch_above_all", {{"sampler.batch", "1.5"}}, {{"a.toml:", "sampler.batch", "found 1.5", "up to 1.0"}}},
    {"no_refresh", {{"sampler.refresh", "0"}}, {{"a.toml:", "sampler.refresh", "found 0", "from 1"}}},
    {"no_k", {{"sampler.k", "0"}}, {{"a.toml:", "sampler.k", "found 0", "from 1"}}},
    {"no_temperature", {{"model.temperature", "0"}}, {{"a.toml:", "model.temperature", "found 0", "above 0"}}},
    {"negative_prior_sd", {{"model.prior_sd", "-2"}}, {{"a.toml:", "model.prior_sd", "found -2", "above 0"}}},
    {"negative_noise_sd", {{"model.noise_sd", "-2"}}, {{"a.toml:", "model.noise_sd", "found -2", "above 0"}}},
    {"unknown_policy", {{"participation.policy", "\"bernouli\""}}, {{"participation.policy", "mean \"bernoulli\"?"}}},
    {"probability_zero", bernoulli("0"), {{"a.toml:", "participation.probability", "found 0", "above 0 up to 1"}}},
    {"probability_two", bernoulli("2.0"), {{"a.toml:", "participation.probability", "found 2", "above 0 up to 1"}}},
    {"zero_in_a_list", bernoulli("[0.5, 0]"), {{"a.toml:", "participation.probability", "0.5", "above 0 up to 1"}}},
    {"no_iterations", {{"run.iterations", "0"}}, {{"a.toml:", "run.iterations", "found 0", "from 1"}}},
    {"no_chains", {{"run.chains", "0"}}, {{"a.toml:", "run.chains", "found 0", "1 to 4096"}}},
    {"no_thin", {{"run.thin", "0"}}, {{"a.toml:", "run.thin", "found 0", "from 1"}}},
    {"negative_burn_in", {{"run.burn_in", "-1"}}, {{"a.toml:", "run.burn_in", "found -1", "from 0"}}},
    {"unknown_init", {{"run.init", "\"mdoe\""}}, {{"a.toml:", "run.init", "mdoe", "mean \"mode\"?"}}},
    {"init_with_a_nan", {{"run.init", "[0, nan, 1]"}}, {{"a.toml:", "run.init", "nan", "a list of numbers"}}},
    {"all_rows_for_tests", {{"data.test_fraction", "1.0"}}, {{"a.toml:", "data.test_fraction", "found 1", "below 1"}}},
    {"no_clients", {{"data.clients", "0"}}, {{"a.toml:", "data.clients", "found 0", "from 1"}}},
};

POLLEN_BAD_INPUT(SamplerKeys, kKeys);

// The small problem has three coefficients and two clients.
const std::vector<Case> kTogether = {
    {"burn_in_is_all", {{"run.burn_in", "40"}}, {{"a.toml", "run.burn_in", "found 40", "below run.iterations (40)"}}},
    {"burn_in_above_all",
     {{"run.burn_in", "41"}},
     {{"a.toml", "run.burn_in", "found 41", "below run.iterations (40)"}}},
    {"thin_leaves_nothing", {{"run.thin", "37"}}, {{"a.toml", "run.thin", "found 37", "(36)"}}},
    {"list_of_three", bernoulli("[0.5, 0.5, 0.5]"), {{"a.toml", "participation.probability", "3", "(2)"}}},
    {"unequal_and_active",
     bernoulli("[0.5, 0.6]", {{"participation.scaling", "\"active\""}}),
     {{"a.toml", "participation.scaling", "\"active\"", "\"inverse-probability\""}}},
    {"bernoulli_without_probability",
     {{"participation.policy", "\"bernoulli\""}},
     {{"a.toml", "participation.probability", "needed", "above 0 up to 1"}}},
    {"fixed_size_without_size",
     {{"participation.policy", "\"fixed-size\""}},
     {{"a.toml", "participation.size", "needed"}}},
    {"fixed_size_above_clients", fixed_size("3"), {{"a.toml", "participation.size", "found 3", "(2)"}}},
    {"k_above_dimension", sampler("d-elf", {{"sampler.k", "4"}}), {{"a.toml", "sampler.k:", "found 4", "1 to", "3"}}},
    {"downlink_k_above_dimension",
     sampler("p-elf", {{"sampler.downlink_k", "9"}}),
     {{"a.toml", "sampler.downlink_k:", "found 9", "3"}}},
    {"biased_without_feedback",
     sampler("qlsd", {{"sampler.compressor", "\"top-k\""}}),
     {{"a.toml", "sampler.compressor", "\"top-k\"", "biased", "d-elf"}}},
    {"feedback_without_contraction",
     sampler("d-elf", {{"sampler.compressor", "\"rand-k\""}, {"sampler.k", "1"}}),
     {{"a.toml", "sampler.compressor", "\"rand-k\"", "contract", "scaled = true"}}},
    {"downlink_without_contraction",
     sampler("b-elf", {{"sampler.downlink", "\"rand-k\""}, {"sampler.downlink_k", "1"}}),
     {{"a.toml", "sampler.downlink", "\"rand-k\"", "scaled = true"}}},
    {"biased_client",
     sampler("qlsd"),
     {{"a.toml", "client 1, compressor", "biased"}},
     {},
     "[[client]]\ncompressor = \"top-k\"\n[[client]]\n"},
    {"more_client_tables_than_clients",
     {},
     {{"a.toml", "client", "found 3", "at most 2"}},
     {},
     "[[client]]\nk = 1\n[[client]]\n[[client]]\n"},
    {"prior_sd_of_two",
     {{"model.prior_sd", "[1.0, 2.0]"}},
     {{"a.toml", "model.prior_sd", "found 2", "intercept, x, z"}}},
    {"init_of_two", {{"run.init", "[1.0, 2.0]"}}, {{"a.toml", "run.init", "found 2 numbers", "3"}}},
    {"init_from_no_prior",
     {{"run.init", "\"prior\""}, {"model.prior", "\"flat\""}},
     {{"a.toml", "run.init", "\"prior\"", "flat", "\"zero\""}}},
    {"two_schedules",
     sampler("fald", {{"sampler.local_steps", "5"}, {"sampler.communicate", "0.2"}}),
     {{"a.toml", "sampler.communicate", "local_steps", "one of the two"}}},
    {"compressed_private_noise",
     sampler("fald", {{"sampler.compressor", "\"qsgd\""}, {"sampler.correlation", "0.5"}}),
     {{"a.toml", "sampler.compressor", "\"qsgd\"", "0.5", "correlation = 1"}}},
    {"local_prior_at_server",
     sampler("fa-ld", {{"sampler.prior_at", "\"server\""}}),
     {{"a.toml", "sampler.prior_at", "\"server\"", "\"clients\""}}},
    {"averages_by_inverse_probability",
     bernoulli("0.5", sampler("fald", {{"participation.scaling", "\"inverse-probability\""}})),
     {{"a.toml", "participation.scaling", "inverse-probability", "\"active\""}}},
    {"scheme_without_size",
     sampler("fa-ld", {{"sampler.scheme", "\"I\""}}),
     {{"a.toml", "participation.size", "needed"}}},
    {"fald_by_scheme", sampler("fald", {{"sampler.scheme", "\"II\""}}), {{"a.toml", "sampler.scheme", "fa-ld"}}},
    {"correlation_two",
     sampler("fald", {{"sampler.correlation", "2.0"}}),
     {{"a.toml", "sampler.correlation", "found 2"}}},
    {"no_local_steps", sampler("fald", {{"sampler.local_steps", "0"}}), {{"a.toml", "sampler.local_steps", "found 0"}}},
    {"two_problems_together",
     {{"run.burn_in", "40"}, {"participation.policy", "\"fixed-size\""}},
     {{"a.toml", "participation.size", "needed"}, {"a.toml", "run.burn_in", "found 40"}}},
};

POLLEN_BAD_INPUT(SamplerTogether, kTogether);

}  // namespace
}  // namespace pollen::bad_input
