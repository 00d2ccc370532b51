// pollen list: prints the available choices from the rows of the registries.
#include <fmt/format.h>

#include <functional>

#include "base/registry.h"
#include "commands.h"
#include "compress/compressors.h"
#include "data/registries.h"
#include "model/models.h"
#include "oracle/oracles.h"
#include "pollen/errors.h"
#include "recipe/samplers.h"
#include "sink/text.h"
#include "terminal.h"

namespace pollen::app {

namespace {

void print_rows(std::vector<std::string> header, const std::vector<std::vector<std::string>>& rows) {
  sink::TextTable table(std::move(header));
  for (std::size_t column = 1; column < rows.front().size(); ++column) table.left(column);
  for (const auto& row : rows) table.row(row);
  print(table.text(""));
}

// Prints a registry whose rows have a name, keys and a summary.
template <class Rows>
void print_keyed(const std::string& what, const Rows& table) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& row : table) rows.push_back({row.name, row.summary, row.keys});
  print_rows({what, "what it is", "keys"}, rows);
}

void list_samplers() {
  std::vector<std::vector<std::string>> rows;
  for (const SamplerRow& row : sampler_rows()) rows.push_back({row.name, row.paper, row.summary});
  print_rows({"sampler", "family", "what it is"}, rows);
}

void list_models() {
  std::vector<std::vector<std::string>> rows;
  for (const ModelRow& row : models()) rows.push_back({row.name, row.parameters, row.summary, row.keys});
  rows.push_back({"", "", "model.personal = \"last-layer\": each client has the last layer for itself (fedsoul)", ""});
  print_rows({"model", "parameters", "what it is", "keys"}, rows);
}

struct Listing {
  std::string name, summary;
  std::function<void(const ListOptions&)> print;
};

const Registry<Listing>& listings() {
  static const Registry<Listing> rows(
      "list",
      {{"samplers", "algorithms, for sampler.name", [](const auto&) { list_samplers(); }},
       {"models", "likelihoods and networks, for model.kind", [](const auto&) { list_models(); }},
       {"datasets", "data sets that need no file, for data.source",
        [](const auto&) { print_keyed("data set", builtin_sets()); }},
       {"compressors", "codes of messages, for sampler.compressor and sampler.downlink",
        [](const auto&) { print_keyed("compressor", compressors()); }},
       {"oracles", "estimates of a client's gradient, for sampler.oracle",
        [](const auto&) { print_keyed("oracle", oracles()); }},
       {"formats", "formats of files, for data.format", [](const auto&) { print_keyed("format", data_formats()); }},
       {"partitions", "ways to split rows over clients, for data.partition",
        [](const auto&) { print_keyed("partition", partitions()); }},
       {"keys", "keys of the configuration; a section or a key narrows it down", list_keys}});
  return rows;
}

}  // namespace

std::vector<std::string> list_names() { return listings().names(); }

int list_command(const ListOptions& options) {
  const Listing& listing = listings().at(options.what);
  if (options.what != "keys" && (!options.narrow.empty() || options.markdown))
    throw ConfigError("list", fmt::format("found {} after {}, accepted: after keys only",
                                          options.markdown ? "--markdown" : options.narrow, options.what));
  listing.print(options);
  return kDone;
}

}  // namespace pollen::app
