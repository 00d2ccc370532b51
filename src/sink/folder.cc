#include "sink/folder.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "pollen/errors.h"

namespace pollen::sink {

namespace fs = std::filesystem;

namespace {

constexpr std::array kNames = {"config.toml", "checkpoint",   "draws.spool", "draws.nc",
                               "metrics.csv", "summary.json", "report.html", "clients",
                               "federation",  "encoder.json", "clients.json"};

bool starts_with(const std::string& path, std::string_view marker) {
  std::string start(marker.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  return file.read(start.data(), static_cast<std::streamsize>(start.size())) && start == marker;
}

bool has_marker(const RunFolder& folder) {
  return starts_with(folder.config(), config_marker()) || starts_with(folder.checkpoint(), "POLLENCK") ||
         starts_with(folder.checkpoint(), "POLLENCJ") || starts_with(folder.summary(), "{\n  \"version\": ");
}

// Removes the .csv files that a run left in its folder of clients. Other files, and the folder with them, stay.
void remove_client_files(const std::string& path) {
  std::error_code error;
  std::vector<fs::path> ours;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == ".csv") ours.push_back(it->path());
  for (const fs::path& file : ours) fs::remove(file, error);
}

// Renames a folder and refuses to overwrite anything. Returns 0 or the error.
int rename_to_new(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;  // these two: the file system does not know RENAME_NOREPLACE
  std::error_code error;
  if (fs::exists(fs::symlink_status(to, error))) return EEXIST;
  return std::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

}  // namespace

const char* config_marker() { return "# pollen: the effective configuration of this run\n"; }

bool is_run_file(const std::string& name) {
  if (name.ends_with(".tmp")) return is_run_file(name.substr(0, name.size() - 4));
  if (std::find(kNames.begin(), kNames.end(), name) != kNames.end()) return true;
  constexpr std::string_view kStart = "draws-", kEnd = ".csv";
  if (!name.starts_with(kStart) || !name.ends_with(kEnd) || name.size() <= kStart.size() + kEnd.size()) return false;
  const std::string number = name.substr(kStart.size(), name.size() - kStart.size() - kEnd.size());
  return std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
}

RunFolder::RunFolder(std::string path) : path_(std::move(path)) {
  while (path_.size() > 1 && path_.ends_with('/')) path_.pop_back();
}

std::vector<std::string> RunFolder::entries() const {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(path_, error), end; !error && it != end; it.increment(error))
    names.push_back(it->path().filename().string());
  if (error) throw IoError(fmt::format("{}: cannot read: {}", path_, error.message()));
  std::sort(names.begin(), names.end());
  return names;
}

void RunFolder::check_free() const {
  std::error_code error;
  const fs::file_status status = fs::status(path_, error);
  if (status.type() == fs::file_type::not_found) return;
  if (error.value() == ENOTDIR || error.value() == ENAMETOOLONG || error.value() == ELOOP)
    throw ConfigError("output.dir", fmt::format("found \"{}\", which cannot be a folder: {}", path_, error.message()));
  if (error) throw IoError(fmt::format("{}: {}", path_, error.message()));
  constexpr const char* kAccepted = "accepted: a new folder, an empty one, or one that holds a run of pollen";
  if (!fs::is_directory(status))
    throw ConfigError("output.dir", fmt::format("found the file \"{}\", {}", path_, kAccepted));
  const auto names = entries();
  const auto other = std::find_if_not(names.begin(), names.end(), is_run_file);
  if (other != names.end())
    throw ConfigError("output.dir",
                      fmt::format("found \"{}\" with other files in it ({}), {}", path_, *other, kAccepted));
  const auto telling = std::find_if(names.begin(), names.end(), [](const std::string& name) {
    return name != "config.toml.tmp";  // which a run that was killed at its beginning leaves
  });
  if (telling != names.end() && !has_marker(*this))
    throw ConfigError("output.dir", fmt::format("found \"{}\" with files that are not of a run of pollen ({}), {}",
                                                path_, *telling, kAccepted));
}

bool RunFolder::holds_run() const { return has_marker(*this); }

void RunFolder::reserve() {
  if (lock_) return;
  auto lock = std::make_shared<const FolderLock>(path_);
  if (!lock->held())
    throw ConfigError("output.dir", fmt::format("found \"{}\", in which another process of pollen works; accepted: "
                                                "another folder, or this one when that run has ended",
                                                path_));
  lock_ = std::move(lock);
}

void RunFolder::lock() {
  if (holds_run()) reserve();
}

// The lock goes along with the folder and is released after the rename.
std::string RunFolder::move_away() {
  for (int number = 1;; ++number) {
    const std::string to = fmt::format("{}-{}", path_, number);
    const int error = rename_to_new(path_, to);
    if (error == EEXIST || error == ENOTEMPTY) continue;
    if (error != 0)
      throw ConfigError("output.dir", fmt::format("found \"{}\" with a run in it, which cannot be renamed to {}: {}; "
                                                  "accepted: another folder, or --force to replace the run",
                                                  path_, to, std::strerror(error)));
    lock_.reset();
    return to;
  }
}

// Removes the files of an earlier run.
void RunFolder::empty() const {
  std::error_code error;
  // The marker is removed last, so that a folder whose emptying was interrupted is still recognised.
  for (const std::string& name : entries()) {
    if (name == "clients") remove_client_files(clients());
    if (name != "config.toml") fs::remove(file(name), error);
  }
}

// Makes the folder, if it does not exist, and takes its lock.
void RunFolder::make_and_reserve() {
  std::error_code error;
  fs::create_directories(path_, error);
  if (error.value() == ENOTDIR || error.value() == ENAMETOOLONG)
    throw ConfigError("output.dir", fmt::format("found \"{}\", which cannot be a folder: {}", path_, error.message()));
  if (error) throw IoError(fmt::format("{}: cannot make the folder: {}", path_, error.message()));
  reserve();
}

std::string RunFolder::begin(const std::string& config_toml, Earlier earlier) {
  check_free();
  make_and_reserve();
  std::string moved;
  while (earlier == Earlier::rename && holds_run()) {
    moved = move_away();
    make_and_reserve();
  }
  empty();
  replace_file(config(), config_marker() + config_toml);
  return moved;
}

}  // namespace pollen::sink
