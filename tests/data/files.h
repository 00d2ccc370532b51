// Writes small files for tests and collects error messages.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "pollen/data.h"
#include "pollen/errors.h"
#include "support/gzip.h"

namespace pollen::testing {

// A folder that is removed at the end.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "pollen-data-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string path(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }

 private:
  std::filesystem::path path_;
};

inline std::string big_endian(std::uint32_t word) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(word >> shift & 0xFF);
  return bytes;
}

inline std::string idx_bytes(char type, const std::vector<std::uint32_t>& sizes, const std::string& values) {
  std::string bytes{'\0', '\0', type, static_cast<char>(sizes.size())};
  for (const std::uint32_t size : sizes) bytes += big_endian(size);
  return bytes + values;
}

// Returns the message of a ConfigError, or "" if nothing is thrown.
template <class Call>
std::string complaint(Call&& call) {
  try {
    call();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return {};
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

// Returns a spec with one client, all rows for training and nothing scaled, so that the table is as it was read.
inline DataSpec plain(const std::string& source) {
  DataSpec spec;
  spec.sources = {source};
  spec.partition = "given";
  spec.standardize = false;
  spec.intercept = false;
  spec.constant = "keep";
  spec.test_fraction = 0.0;
  return spec;
}

inline double cell(const Table& table, Index row, Index column) { return table.view().row(row)[column]; }

}  // namespace pollen::testing
