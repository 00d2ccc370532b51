// The registries of what [data] can choose: file formats, ways to split rows over clients, and data sets that need no
// file. To add a format, write one source file with its row, and add a line to CMakeLists.txt and one to the table in
// sources.cc. To add a partition, write a function and add a line to partition.cc. The tables are constant and
// thread-safe.
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

// A file to be read. `where` names the configuration in messages.
struct DataFile {
  const DataSpec& spec;
  const std::string& path;
  const std::string& where;
  bool labelled = true;  // if false, its labels are not read
};

struct DataFormat {
  std::string name, summary;
  std::string keys;                                 // keys of [data] that only this format reads, separated by spaces
  bool (*fits)(const std::string& name) = nullptr;  // whether a file's name, without .gz, implies this format
  data::RawTable (*read)(const DataFile& file) = nullptr;  // null for a store, which is opened and not read
};
const Registry<DataFormat>& data_formats();

struct PartitionRow {
  std::string name, summary;
  std::string keys;     // keys of [data] that it reads, separated by spaces
  bool labels = false;  // true if it needs a target with classes
  data::Clients (*split)(const data::PartitionInput& input, std::vector<std::string>& notes) = nullptr;
};
const Registry<PartitionRow>& partitions();

struct BuiltinSet {
  std::string name, summary;
  std::string keys;           // keys of [data] that it reads, separated by spaces
  bool makes_clients = true;  // if true, data.partition is not used
  data::RawTable (*make)(const DataSpec& spec, std::uint64_t seed) = nullptr;
};
const Registry<BuiltinSet>& builtin_sets();

}  // namespace pollen
