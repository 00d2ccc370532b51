// csv data, and what the model wants of it.
#include "case.h"

namespace pollen::bad_input {
namespace {

Case csv(const std::string& name, const std::string& text, const std::vector<Words>& lines, const Keys& keys = {}) {
  return {name, keys, lines, {{"d.csv", text}}};
}

const Keys kPoisson = {{"model.kind", "\"poisson\""}};
const Keys kLinear = {{"model.kind", "\"linear\""}};

const std::vector<Case> kCases = {
    {"no_such_file", {{"data.source", "\"e.csv\""}}, {{"e.csv", "no such file"}}},
    {"misspelt_builtin", {{"data.source", "\"titanik\""}}, {{"titanik", "no such file", "mean \"titanic\"?"}}},
    {"folder_for_a_file", {{"data.source", "\"sub\""}}, {{"sub", "a directory", "a file"}}, {{"sub/", ""}}},
    {"name_that_does_not_tell",
     {{"data.source", "\"d.xyz\""}},
     {{"data.format", "d.xyz", "csv, libsvm, idx, cifar"}},
     {{"d.xyz", "1"}}},
    csv("empty", "", {{"d.csv", "empty"}}),
    csv("blank_lines", "\n\n", {{"d.csv", "empty"}}),
    csv("header_alone", "x,y\n", {{"d.csv", "header", "at least one row"}}),
    csv("ragged", "x,y\n1,0\n2\n3,1\n4,0,9\n", {{"d.csv: row 3", "found 1", "2"}, {"d.csv: row 5", "found 3", "2"}}),
    csv("open_quote", "x,y\n1,0\n\"2,1\n", {{"d.csv: row 3", "quote", "never closed"}}),
    csv("quote_in_a_field", "x,y\n1,0\n2\"a\",1\n", {{"d.csv: row 3", "quote"}}),
    csv("text_in_a_number_column", "x,y\n1,0\ntwo,1\n3,0\n4,1\n",
        {{"d.csv: row 3, column x", "\"two\"", "a number", "data.categorical"}}),
    csv("number_in_a_text_column", "x,y\na,0\nb,1\n3,0\nc,1\n", {{"d.csv: row 4, column x", "3", "data.categorical"}}),
    csv("missing_values", "x,y\n1,0\n,1\n3,0\n?,1\n",
        {{"d.csv: row 3, column x", "no value", "2 such", "data.missing"}}),
    csv("nan", "x,y\n1,0\n2,1\nNaN,0\n", {{"d.csv: row 4, column x", "no value", "data.missing"}}),
    csv("infinity", "x,y\n1,0\n-inf,1\n3,0\n", {{"d.csv: row 3, column x", "\"-inf\"", "a finite number"}}),
    csv("number_too_large", "x,y\n1,0\n1e999,1\n3,0\n", {{"d.csv: row 3, column x", "1e999", "a finite number"}}),
    csv("missing_target", "x,y\n1,0\n2,\n3,1\n", {{"d.csv: row 3, column y", "no value"}}),
    csv("all_rows_dropped", "x,y\n1,\n,1\n", {{"d.csv", "all 2 rows", "missing"}}, {{"data.missing", "\"drop\""}}),
    csv("text_has_no_mean", "x,y\na,0\n,1\nb,0\n", {{"d.csv: row 3, column x", "no value", "\"drop\""}},
        {{"data.missing", "\"mean\""}}),
    csv("negative_count", "x,y\n1,0\n2,3\n3,-1\n", {{"d.csv: row 4, column y", "-1", "0, 1, 2"}}, kPoisson),
    csv("count_of_a_half", "x,y\n1,0\n2,0.5\n3,1\n", {{"d.csv: row 3, column y", "0.5", "0, 1, 2"}}, kPoisson),
    csv("text_target_of_a_regression", "x,y\n1,low\n2,high\n", {{"d.csv: row 2, column y", "\"low\"", "a number"}},
        kLinear),
    csv("three_labels", "x,y\n1,0\n2,1\n3,2\n4,0\n", {{"d.csv", "y", "3", "2"}}),
    csv("one_label", "x,y\n1,1\n2,1\n3,1\n", {{"d.csv", "y", "1", "2"}}),
    csv("label_of_a_half", "x,y\n1,0\n2,0.5\n3,1\n", {{"d.csv: row 3, column y", "0.5", "whole numbers or text"}}),
    csv("column_twice", "x,x,y\n1,2,0\n2,3,1\n", {{"d.csv: row 1", "\"x\"", "twice"}}),
    csv("column_without_a_name", "x,,y\n1,2,0\n2,3,1\n", {{"d.csv: row 1", "column 2", "name"}}),
    csv("no_header", "1,2,0\n2,3,1\n", {{"d.csv: row 1", "numbers", "data.header = false"}}),
    csv("utf_16", std::string("\xff\xfex\0,\0y\0", 8), {{"d.csv", "UTF-16", "UTF-8"}}),
    csv("zero_byte", std::string("x,y\n1,\0\n", 8), {{"d.csv", "zero byte"}}),
    {"unknown_target", {{"data.target", "\"yy\""}}, {{"a.toml", "data.target", "\"yy\"", "x, z, y", "mean \"y\"?"}}},
    {"unknown_feature", {{"data.features", "[\"x\", \"zz\"]"}}, {{"a.toml", "data.features", "\"zz\"", "mean \"z\"?"}}},
    {"target_as_a_feature", {{"data.features", "[\"x\", \"y\"]"}}, {{"a.toml", "data.features", "\"y\"", "target"}}},
    {"unknown_categorical", {{"data.categorical", "[\"w\"]"}}, {{"a.toml", "data.categorical", "\"w\"", "x, z, y"}}},
    {"more_clients_than_rows", {{"data.clients", "9"}}, {{"a.toml", "data.clients", "found 9", "8"}}},
    {"more_shards_than_rows",
     {{"data.partition", "\"label-shards\""}, {"data.shards", "50"}},
     {{"a.toml", "data.", "8"}}},
    {"unknown_partition",
     {{"data.partition", "\"dirichlett\""}},
     {{"a.toml:", "data.partition", "mean \"dirichlet\"?"}}},
    {"no_alpha", {{"data.dirichlet_alpha", "0"}}, {{"a.toml:", "data.dirichlet_alpha", "found 0", "above 0"}}},
    {"by_no_column", {{"data.partition", "\"by-column\""}}, {{"a.toml", "data.column", "found none"}}},
    {"by_unknown_column",
     {{"data.partition", "\"by-column\""}, {"data.column", "\"xx\""}},
     {{"a.toml", "data.column", "\"xx\"", "mean \"x\"?"}}},
    {"by_the_target",
     {{"data.partition", "\"by-column\""}, {"data.column", "\"y\""}},
     {{"a.toml", "data.column", "target"}}},
    {"files_without_given",
     {{"data.source", "[\"d.csv\", \"d.csv\"]"}},
     {{"a.toml", "data.source", "found 2 files", "\"given\""}}},
    {"given_with_one_missing",
     {{"data.source", "[\"d.csv\", \"e.csv\"]"}, {"data.partition", "\"given\""}},
     {{"e.csv", "no such file"}}},
    {"given_with_other_columns",
     {{"data.source", "[\"d.csv\", \"e.csv\"]"}, {"data.partition", "\"given\""}},
     {{"e.csv", "\"w\"", "x, z, y"}},
     {{"e.csv", "x,w,y\n1,2,0\n2,3,1\n"}}},
    {"label_outside_levels", {{"data.levels", "{y = [\"0\", \"2\"]}"}}, {{"d.csv: row 3, column y", "\"1\"", "0, 2"}}},
};

POLLEN_BAD_INPUT(Data, kCases);

}  // namespace
}  // namespace pollen::bad_input
