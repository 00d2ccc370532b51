#include "sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "builtin.h"
#include "data/column_handshake.h"
#include "data/phrases.h"
#include "data/registries.h"
#include "pollen/errors.h"
#include "readers.h"
#include "store_layout.h"

namespace pollen {

namespace data {

namespace {

std::string without_gz(std::string name) {
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  return name;
}

// Returns data.format or the format that the file's name implies, or an empty text if neither is known.
std::string format_by_name(const DataSpec& spec, const std::string& path) {
  if (!spec.format.empty()) return spec.format;
  const std::string name = without_gz(std::filesystem::path(path).filename().string());
  for (const DataFormat& format : data_formats())
    if (format.read != nullptr && format.fits(name)) return format.name;
  return {};
}

}  // namespace

std::string format_of(const DataSpec& spec, const std::string& path, const std::string& where) {
  if (std::string format = format_by_name(spec, path); !format.empty()) return format;
  if (without_gz(path).ends_with(".pollen"))
    throw ConfigError(path,
                      "found a store, accepted: a store as the only data.source, or the file that it was made from");
  throw ConfigError(key(where, "format"), fmt::format("found none, and the name {} does not tell, accepted: {}", path,
                                                      listed(data_formats().names())));
}

bool holds_images(const DataSpec& spec, const std::string& path) {
  const std::string format = format_by_name(spec, path);
  return format == "idx" || format == "cifar";
}

RawTable read_one(const DataSpec& spec, const std::string& path, const std::string& where, bool labelled) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    std::string what =
        fmt::format("found no such file and no built-in data set, built-in: {}", listed(builtin_datasets()));
    const std::string name = std::filesystem::path(path).filename().string();
    if (const auto near = nearest(name, builtin_datasets())) what += fmt::format("; did you mean \"{}\"?", *near);
    throw ConfigError(path, what);
  }
  const std::string format = std::filesystem::is_directory(path, ignored) ? "csv" : format_of(spec, path, where);
  if (format != "idx" && spec.partition == "by-writer")
    throw ConfigError(key(where, "partition"),
                      fmt::format("found \"by-writer\" for a {} file, accepted: with idx images", format));
  return data_formats().at(format).read({spec, path, where, labelled});
}

namespace {

void keep_first(RawTable& table, Index limit) {
  if (limit == 0 || std::ssize(table.rows) <= limit) return;
  const auto rows = static_cast<std::size_t>(limit);
  table.rows.resize(rows);
  for (Column& column : table.columns) {
    column.number.resize(rows);
    column.code.resize(rows);
  }
}

std::string stem(const std::string& file) {
  return std::filesystem::path(without_gz(std::filesystem::path(file).filename().string())).stem().string();
}

}  // namespace

RawTable read_sources(const DataSpec& spec, std::uint64_t seed, const std::string& where) {
  const std::string& first = spec.sources.front();
  if (const BuiltinSet* set = builtin_sets().find(first)) {
    RawTable table = set->make(spec, seed);
    std::erase_if(table.columns, [&](const Column& column) {
      const bool gone = std::ranges::count(spec.exclude, column.name) > 0;
      if (gone) table.excluded.push_back(column.name);
      return gone;
    });
    if (!set->makes_clients) keep_first(table, spec.limit);
    return table;
  }
  RawTable table;
  for (const std::string& path : spec.sources) append(table, read_one(spec, path, where, true));
  return table;
}

// The rows of the formats, each at the end of the source file of its name.
DataFormat csv_format();
DataFormat libsvm_format();
DataFormat idx_format();
DataFormat cifar_format();

}  // namespace data

const Registry<DataFormat>& data_formats() {
  static const Registry<DataFormat> rows(
      "data.format", {data::csv_format(),
                      data::libsvm_format(),
                      data::idx_format(),
                      data::cifar_format(),
                      {data::kStoreFormat, "a store that pollen convert made: ready to use, mapped into memory", "",
                       [](const auto& name) { return name.ends_with(".pollen"); }}});
  return rows;
}

std::vector<std::string> names_of_files(const std::vector<std::string>& files) {
  std::vector<std::string> names;
  for (const std::string& file : files) names.push_back(data::stem(file));
  const bool alike = std::set<std::string>(names.begin(), names.end()).size() < names.size();
  return alike ? files : names;
}

bool is_csv(const DataSpec& spec, const std::string& path) { return data::format_by_name(spec, path) == "csv"; }

}  // namespace pollen
