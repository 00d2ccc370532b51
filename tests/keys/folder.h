// A test with a folder of its own, and helpers to inspect it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "keys/keys.h"
#include "pollen/errors.h"

namespace pollen::testing {

class FolderTest : public ::testing::Test {
 protected:
  FolderTest() {
    std::string name = ::testing::TempDir() + "pollen-keys-XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~FolderTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  void put(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  std::string slurp(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path(name), std::ios::binary).rdbuf();
    return text.str();
  }
  unsigned mode(const std::string& name) const {
    struct stat status {};
    return ::stat(path(name).c_str(), &status) == 0 ? status.st_mode & 07777U : 0;
  }
  std::vector<std::string> listing(const std::string& name) const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path(name)))
      names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    return names;
  }
  KeyRequest request(const std::string& server, const std::vector<std::string>& clients) const {
    return {.folder = path("k"), .server = server, .clients = clients};
  }

  std::string folder_;
};

// Returns the message when `act` is refused, or an empty text.
template <class Act>
std::string refusal(Act act) {
  try {
    act();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return {};
}

}  // namespace pollen::testing
