// What can be chosen in [data]: formats of files, ways to split rows over clients, and data sets that need no file. A
// format is one source file with its row, a line in CMakeLists.txt, and a line in the table of formats.cc; a partition
// is a function and a line in partition.cc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/registry.h"
#include "pollen/data.h"

namespace pollen {

namespace data {
struct RawTable;
struct PartitionInput;
struct Clients;
}  // namespace data

// A file that is to be read. `where` names the configuration in messages.
struct DataFile {
  const DataSpec& spec;
  const std::string& path;
  const std::string& where;
  bool labelled = true;  // otherwise its labels are not looked at
};

struct DataFormat {
  std::string name, summary;
  std::string keys;                                        // of [data] that it alone reads, separated by spaces
  bool (*fits)(const std::string& name) = nullptr;         // whether a file's name, without .gz, tells this format
  data::RawTable (*read)(const DataFile& file) = nullptr;  // null for a store, which is opened, not read
};
const Registry<DataFormat>& data_formats();

struct PartitionRow {
  std::string name, summary;
  std::string keys;     // of [data], separated by spaces
  bool labels = false;  // needs a target with classes
  data::Clients (*split)(const data::PartitionInput& input, std::vector<std::string>& notes) = nullptr;
};
const Registry<PartitionRow>& partitions();

struct BuiltinSet {
  std::string name, summary;
  std::string keys;           // of [data], separated by spaces
  bool makes_clients = true;  // so that data.partition plays no role
  data::RawTable (*make)(const DataSpec& spec, std::uint64_t seed) = nullptr;
};
const Registry<BuiltinSet>& builtin_sets();

}  // namespace pollen
