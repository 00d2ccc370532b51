// The keys of [data].
#include <fmt/format.h>

#include <algorithm>

#include "key_kinds.h"
#include "parts.h"
#include "schema_sections.h"

namespace pollen {

namespace {

bool read_levels_table(const toml::node& n, Config& c) {
  const toml::table* table = n.as_table();
  if (table == nullptr) return false;
  for (const auto& [column, values] : *table)
    if (!values.is_array() || !read_strings(values, c.data.levels[std::string(column.str())])) return false;
  return true;
}

std::string write_levels_table(const Config& c) {
  std::string out;
  for (const auto& [column, values] : c.data.levels)
    out += fmt::format("{}{} = {}", out.empty() ? "{" : ", ", toml_string(column), write_strings(values));
  return out.empty() ? out : out + "}";
}

// The default follows from the source or the partition: what holds is written out, given or not.
Key by_source(Key key) {
  key.write = [write = key.write](const Config& c) {
    Config settled;
    settled.data = with_defaults(c.data);
    return write(settled);
  };
  return key;
}

// Written out only for the partitions that they are about.
Key with_partition(Key key, const std::vector<std::string>& names) {
  key.write = [write = key.write, names](const Config& c) {
    return std::ranges::count(names, c.data.partition) > 0 ? write(c) : std::string();
  };
  return key;
}

}  // namespace

std::vector<Key> data_keys() {
  return {
      {"data.source",
       "a built-in name (see pollen list datasets), a path, or a list of paths with partition = \"given\"",
       [](const toml::node& n, Config& c) { return read_strings(n, c.data.sources) && !c.data.sources.empty(); },
       [](const Config& c) {
         if (c.data.sources.empty()) return std::string();
         return c.data.sources.size() == 1 ? toml_string(c.data.sources[0]) : write_strings(c.data.sources);
       }},
      choice("data.format", {"", "csv", "libsvm", "idx", "cifar", "pollen"}, AT(std::string, data.format)),
      text("data.labels", "a path", AT(std::string, data.labels)),
      text("data.target", "a column's name", AT(std::string, data.target)),
      strings("data.categorical", "a list of columns' names", AT(std::vector<std::string>, data.categorical)),
      {"data.levels", "a table of columns, each with the list of its levels", read_levels_table, write_levels_table},
      {"data.positive", "a list of labels",
       [](const toml::node& n, Config& c) { return read_labels(n, c.data.positive); },
       [](const Config& c) { return c.data.positive.empty() ? std::string() : write_strings(c.data.positive); }},
      choice("data.missing", {"error", "drop", "mean"}, AT(std::string, data.missing)),
      boolean("data.header", AT(bool, data.header)),
      strings("data.features", "a list of columns' names", AT(std::vector<std::string>, data.features)),
      by_source(maybe_boolean("data.standardize", MAYBE(bool, data.standardize))),
      by_source(maybe_boolean("data.intercept", MAYBE(bool, data.intercept))),
      number("data.test_fraction", "a number from 0 to below 1", {.least = 0, .most = 1, .most_open = true},
             AT(double, data.test_fraction)),
      text("data.test_source", "a path", AT(std::string, data.test_source)),
      text("data.test_labels", "a path", AT(std::string, data.test_labels)),
      text("data.ood_source", "a path", AT(std::string, data.ood_source)),
      text("data.distill_source", "a path", AT(std::string, data.distill_source)),
      choice("data.partition",
             {"iid", "dirichlet", "label-shards", "dominant-label", "label-pairs", "classes-per-client", "by-column",
              "by-writer", "given"},
             AT(std::string, data.partition)),
      by_source(maybe_integer<Index>("data.clients", "an integer from 1", 1, MAYBE(Index, data.clients), 0xffffffff)),
      number("data.dirichlet_alpha", "a number above 0", kPositive, AT(double, data.dirichlet_alpha)),
      integer<Index>("data.shards", "an integer from 1", 1, AT(Index, data.shards)),
      text("data.column", "a column's name", AT(std::string, data.column)),
      integer<Index>("data.limit", "an integer from 0 (0: all rows)", 0, AT(Index, data.limit)),
      integer<Index>("data.dimension", "an integer from 1", 1, AT(Index, data.dimension), 100'000'000),
      by_source(maybe_number("data.heterogeneity", "a number from 0", {.least = 0}, MAYBE(double, data.heterogeneity))),
      integer<Index>("data.min_size", "an integer from 1", 1, AT(Index, data.min_size)),
      integer<Index>("data.max_size", "an integer from 1", 1, AT(Index, data.max_size)),
      number("data.alpha", "a number from 0", {.least = 0}, AT(double, data.alpha)),
      number("data.beta", "a number from 0", {.least = 0}, AT(double, data.beta)),
  };
}

std::vector<Key> partition_keys() {
  return {
      with_partition(by_source(maybe_number("data.dominant_share", "a number from 0 to 1", kUnit,
                                            MAYBE(double, data.dominant_share))),
                     {"dominant-label", "label-pairs"}),
      with_partition(number("data.other_share", "a number from 0 to 1", kUnit, AT(double, data.other_share)),
                     {"dominant-label"}),
      with_partition(
          integer<Index>("data.classes_per_client", "an integer from 1", 1, AT(Index, data.classes_per_client)),
          {"classes-per-client"}),
      text("data.writers", "a path", AT(std::string, data.writers)),
      with_partition(integer<Index>("data.least_rows", "an integer from 1", 1, AT(Index, data.least_rows)),
                     {"by-column", "by-writer"}),
  };
}

// Written out only for the source that they are about.
std::vector<Key> synthetic_mixed_keys() {
  std::vector<Key> keys = {
      integer<Index>("data.latent_dimension", "an integer from 1", 1, AT(Index, data.latent_dimension), 100'000'000),
      number("data.noise_sd", "a number from 0", {.least = 0}, AT(double, data.noise_sd)),
      number("data.small_share", "a number from 0 to 1", kUnit, AT(double, data.small_share)),
  };
  for (Key& key : keys)
    key.write = [write = key.write](const Config& c) {
      const bool used = !c.data.sources.empty() && c.data.sources.front() == "synthetic-mixed";
      return used ? write(c) : std::string();
    };
  return keys;
}

}  // namespace pollen
