// Errors in gaussian problems that are written out in the configuration.
#include "case.h"

namespace pollen::bad_input {
namespace {

const std::string kFirst = "[[client]]\nmean = [1.0, -2.0]\nprecision = [[2.0, 0.3], [0.3, 1.0]]\n";

Keys gaussian(Keys more = {}) {
  for (const auto& [key, value] : Keys{{"model.kind", "\"gaussian\""}, {"data.source", ""}, {"data.target", ""}})
    more.try_emplace(key, value);
  return more;
}

Case second(const std::string& name, const std::string& table, const Words& words) {
  return {name, gaussian(), {words}, {}, kFirst + "[[client]]\n" + table};
}

const std::vector<Case> kCases = {
    second("not_symmetric", "mean = [0, 0]\nprecision = [[1, 0.5], [0.4, 1]]\n",
           {"a.toml", "client 2, precision", "not symmetric", "row 2, column 1", "0.4", "0.5"}),
    second("not_semidefinite", "mean = [0, 0]\nprecision = [[1, 2], [2, 1]]\n",
           {"a.toml", "client 2, precision", "not positive semi-definite"}),
    second("negative_precision", "mean = [0, 0]\nprecision = [[-1, 0], [0, 1]]\n",
           {"a.toml", "client 2, precision", "not positive semi-definite"}),
    second("other_dimension", "mean = [0]\nprecision = [[1]]\n", {"a.toml", "client 2, mean", "found 1", "2"}),
    second("precision_not_square", "mean = [0, 0]\nprecision = [[1, 0]]\n",
           {"a.toml", "client 2, precision", "2 rows of 2 numbers"}),
    second("ragged_data", "data = [[1, 2], [3]]\n", {"a.toml", "client 2, data", "found 1", "2"}),
    second("mean_alone", "mean = [0, 0]\n", {"a.toml", "client 2", "no precision"}),
    second("nothing", "", {"a.toml", "client 2", "neither mean and precision nor data"}),
    second("both", "mean = [0, 0]\nprecision = [[1, 0], [0, 1]]\ndata = [[1, 2]]\n",
           {"a.toml", "client 2", "both", "one of the two"}),
    second("word_in_the_mean", "mean = [0, \"a\"]\nprecision = [[1, 0], [0, 1]]\n",
           {"a.toml:", "client 2, mean", "a list of numbers"}),
    second("infinite_data", "data = [[1, inf]]\n", {"a.toml:", "client 2, data", "inf", "rows of numbers"}),
    {"no_clients", gaussian(), {{"a.toml", "data.source", "[[client]]"}}},
    {"clients_and_source",
     gaussian({{"data.source", "\"synthetic-gaussian\""}}),
     {{"a.toml", "data.source", "one of the two"}},
     {},
     kFirst},
    {"sizes_the_wrong_way_round",
     gaussian({{"data.source", "\"synthetic-gaussian\""}, {"data.min_size", "9"}, {"data.max_size", "3"}}),
     {{"a.toml", "data.max_size", "found 3", "min_size"}}},
    {"logistic_model_of_gaussian_data",
     {{"data.source", "\"synthetic-gaussian\""}},
     {{"a.toml", "data.source", "synthetic-gaussian", "model.kind"}}},
};

POLLEN_BAD_INPUT(Gaussian, kCases);

}  // namespace
}  // namespace pollen::bad_input
