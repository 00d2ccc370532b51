// A data store named as data.source fixes the keys of [data]: keys left out take the store's values, and keys given
// must agree with them.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "data/store.h"
#include "parts.h"
#include "recipe/key.h"

namespace pollen {

namespace {

// Keeps only the names of files that went into the store, because the files may have moved since.
void keep_names(DataSpec& data) {
  for (std::string* path :
       {&data.labels, &data.writers, &data.test_source, &data.test_labels, &data.ood_source, &data.distill_source})
    *path = std::filesystem::path(*path).filename().string();
}

std::string or_none(const std::string& value) { return value.empty() ? "none" : value; }

}  // namespace

DataSpec stored_data(const std::string& file) {
  const StoreFacts facts = store_facts(file);
  DataSpec data = read_config_text(facts.keys, file + ": keys").data;
  // The default target is the last column; the store knows its name.
  if (data.target.empty()) data.target = facts.target_column;
  data.sources.clear();
  return data;
}

void take_stored_keys(const DataSpec& stored, Config& config) {
  const std::string& store = config.data.sources.front();
  Problems problems;
  if (const std::string& format = config.data.format; !format.empty() && format != "pollen" && format != stored.format)
    problems.add(config.file + ": data.format",
                 fmt::format("found {}, accepted: \"pollen\", or none: {} is a store", toml_string(format), store));
  Config ours = config, theirs;
  theirs.data = stored;
  theirs.data.sources = config.data.sources;
  keep_names(ours.data), keep_names(theirs.data);
  for (const Key& key : keys()) {
    if (!key.path.starts_with("data.") || key.path == "data.source" || key.path == "data.format" ||
        !config.given.contains(key.path))
      continue;
    const std::string found = key.write(ours), holds = key.write(theirs);
    if (found != holds)
      problems.add(
          fmt::format("{}: {}", config.file, key.path),
          fmt::format(
              "found {}, accepted: {}, with which {} was made, or leaving it out (pollen convert makes another store)",
              or_none(found), or_none(holds), store));
  }
  problems.raise();
  config.data.format = "pollen";
}

}  // namespace pollen
