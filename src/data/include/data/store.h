// The store: a federation in one memory-mapped file, rows ready to be used where they lie. Format:
// docs/formats/store.md.
//
// convert_to_store() makes one from whatever load_federation() reads, with the tables in the new file from the start,
// so that they need not fit into memory. load_federation() maps a store that is given as data.source. Every fault of a
// file's bytes is a ConfigError.
#pragma once

#include <cstdint>
#include <string>

#include "pollen/data.h"

namespace pollen {

// What a store says about itself.
struct StoreFacts {
  TargetKind target = TargetKind::none;
  std::uint64_t seed = 0;  // of the split
  Index clients = 0, train_rows = 0, test_rows = 0, columns = 0;
  std::int64_t bytes = 0;  // of the file
  std::string keys;        // [data] as it was converted: TOML
  std::string target_column;
};

// Whether the source is a store: by data.format, or by a name that ends in .pollen.
bool is_store(const DataSpec& spec);

StoreFacts store_facts(const std::string& file);

// All checksums, those of rows too, which opening a large store leaves out.
void check_store(const std::string& file);

struct Conversion {
  DataSpec spec;
  TargetKind target = TargetKind::none;
  std::uint64_t seed = 1;
  std::string where;                    // the config file, for messages
  std::string keys;                     // kept in the store
  std::size_t most_classes = SIZE_MAX;  // more are a ConfigError: a number taken for a label
};
// Written beside `file` and renamed when it is complete and on the disk. IoError where it cannot be written.
void convert_to_store(const Conversion& conversion, const std::string& file);

}  // namespace pollen
