// A store is a whole federation in one memory-mapped file, whose rows are used in place (docs/formats/store.md).
//
// convert_to_store() makes one from anything that load_federation() reads. It builds the tables inside the new file, so
// they need not fit into memory. load_federation() maps a store that is given as data.source. A damaged file is a
// ConfigError. The functions are thread-safe.
#pragma once

#include <cstdint>
#include <string>

#include "pollen/data.h"

namespace pollen {

// What a store says about itself in its header.
struct StoreFacts {
  TargetKind target = TargetKind::none;
  std::uint64_t seed = 0;  // seed of the split
  Index clients = 0, train_rows = 0, test_rows = 0, columns = 0;
  std::int64_t bytes = 0;  // size of the file
  std::string keys;        // the [data] section it was converted with, as TOML
  std::string target_column;
};

// Returns whether the source is a store, by data.format or by a name that ends in .pollen.
bool is_store(const DataSpec& spec);

StoreFacts store_facts(const std::string& file);

// Verifies all checksums, including those of the rows, which are skipped when a large store is opened.
void check_store(const std::string& file);

struct Conversion {
  DataSpec spec;
  TargetKind target = TargetKind::none;
  std::uint64_t seed = 1;
  std::string where;  // the config file, named in messages
  std::string keys;   // the [data] section, kept in the store
  // More classes than this are a ConfigError, because the target is then probably a number and not a label.
  std::size_t most_classes = SIZE_MAX;
};
// Writes the store beside `file` and renames it once it is complete and on the disk. Throws IoError if it cannot be
// written.
void convert_to_store(const Conversion& conversion, const std::string& file);

}  // namespace pollen
