// Makes folders of runs by hand, small or as large as a test wants.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pollen/report.h"
#include "pollen/types.h"

namespace pollen::report {

class RunsTest : public testing::Test {
 protected:
  RunsTest() {
    std::string name = testing::TempDir() + "pollen-report-XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~RunsTest() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  void put(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name), std::ios::binary) << text;
  }

  // Writes chains in CmdStan's CSV. The values have no pattern in which halves of chains would differ.
  void put_draws(const std::string& run, Index chains, Index draws, const std::vector<std::string>& names,
                 double shift = 0) const {
    for (Index c = 0; c < chains; ++c) {
      std::string text = fmt::format("lp__,{}\n", fmt::join(names, ","));
      for (Index i = 0; i < draws; ++i) {
        text += "-1";
        for (std::size_t j = 0; j < names.size(); ++j) text += fmt::format(",{:.6f}", value(c, i, j) + shift);
        text += '\n';
      }
      put(fmt::format("{}/draws-{}.csv", run, c + 1), text);
    }
  }
  static std::vector<std::string> thetas(std::size_t count) {
    std::vector<std::string> names;
    for (std::size_t j = 0; j < count; ++j) names.push_back(fmt::format("theta.{}", j + 1));
    return names;
  }
  static double value(Index c, Index i, std::size_t j) {
    const double x =
        std::sin(12.9898 * static_cast<double>(i) + 78.233 * static_cast<double>(c) + 3.7 * static_cast<double>(j)) *
        43758.5453;
    return x - std::floor(x) + static_cast<double>(j);
  }

  static nlohmann::json data(const std::vector<std::string>& folders) {
    return nlohmann::json::parse(report_data(folders, 2));
  }

  std::string folder_;
};

}  // namespace pollen::report
