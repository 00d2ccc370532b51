#include "sources.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "builtin.h"
#include "data/client_files.h"
#include "phrases.h"
#include "pollen/errors.h"
#include "readers.h"

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
  if (name.find("-idx") != std::string::npos || name.ends_with(".idx")) return "idx";
  const std::string extension = std::filesystem::path(name).extension().string();
  if (extension == ".csv" || extension == ".tsv" || extension == ".data" || extension == ".txt") return "csv";
  if (extension == ".libsvm" || extension == ".svm" || extension == ".svmlight") return "libsvm";
  if (extension == ".bin") return "cifar";
  return {};
}

std::string labels_of(const DataSpec& spec, const std::string& path, const std::string& where) {
  if (!spec.labels.empty()) return spec.labels;
  constexpr std::string_view kImages = "images-idx3";
  const std::size_t at = path.rfind(kImages);
  if (at == std::string::npos)
    throw ConfigError(key(where, "labels"),
                      fmt::format("found none, and the name {} does not tell, accepted: the file of the labels", path));
  return std::string(path).replace(at, kImages.size(), "labels-idx1");
}

CsvOptions csv_options(const DataSpec& spec) {
  CsvOptions options;
  options.header = spec.header;
  options.limit = spec.limit;
  options.categorical.insert(spec.categorical.begin(), spec.categorical.end());
  for (const auto& [column, levels] : spec.levels) options.categorical.insert(column);
  return options;
}

RawTable read_idx(const DataSpec& spec, const std::string& path, const std::string& where) {
  const std::string labels = labels_of(spec, path, where);
  RawTable table = parse_idx({read_file(path), path}, {read_file(labels), labels}, spec.limit);
  if (spec.partition == "by-writer") add_writers({read_file(spec.writers), spec.writers}, spec.limit, table);
  return table;
}

}  // namespace

std::string format_of(const DataSpec& spec, const std::string& path, const std::string& where) {
  if (std::string format = format_by_name(spec, path); !format.empty()) return format;
  if (without_gz(path).ends_with(".pollen"))
    throw ConfigError(path, "found a store, accepted: as data.source, alone; or the file that it was made from");
  throw ConfigError(
      key(where, "format"),
      fmt::format("found none, and the name {} does not tell, accepted: csv, libsvm, idx, cifar, pollen", path));
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
  if (format == "idx" && labelled) return read_idx(spec, path, where);
  if (format == "csv" || format == "libsvm") {
    const FileText file(path, std::max(kMostBytes, static_cast<std::size_t>(spec.most_cells)));
    return format == "csv" ? parse_csv(file.text(), csv_options(spec), path)
                           : parse_libsvm(file.text(), spec.limit, path);
  }
  std::string bytes = read_file(path);
  if (format == "cifar") return parse_cifar(std::move(bytes), spec.limit, path);
  return parse_idx_images({std::move(bytes), path}, spec.limit);
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
  if (first == "synthetic-gaussian") return synthetic_gaussian(spec, seed);
  if (first == "synthetic-logistic") return synthetic_logistic(spec, seed);
  if (first == "synthetic-mixed") return synthetic_mixed(spec, seed);
  if (first == "titanic") {
    RawTable table = titanic();
    keep_first(table, spec.limit);
    return table;
  }
  RawTable table;
  for (const std::string& path : spec.sources) append(table, read_one(spec, path, where, true));
  return table;
}

}  // namespace data

std::vector<std::string> names_of_files(const std::vector<std::string>& files) {
  std::vector<std::string> names;
  for (const std::string& file : files) names.push_back(data::stem(file));
  const bool alike = std::set<std::string>(names.begin(), names.end()).size() < names.size();
  return alike ? files : names;
}

bool is_csv(const DataSpec& spec, const std::string& path) { return data::format_by_name(spec, path) == "csv"; }

}  // namespace pollen
