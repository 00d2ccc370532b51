// Parts shared by the tests of this room: a folder per test, a spool with known draws, and invented facts of a run.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "pollen/data.h"
#include "pollen/model.h"
#include "sink/facts.h"
#include "sink/spool.h"

namespace pollen::sink {

class FolderTest : public testing::Test {
 protected:
  FolderTest() {
    std::string name = testing::TempDir() + "pollen-sink-XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~FolderTest() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  static std::string slurp(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }
  static void put(const std::string& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

  std::string folder_;
};

// Returns θ_j of draw i in chain c, which is never a short decimal.
inline double known_value(Index i, Index c, Index j) {
  return std::sin(1.0 + static_cast<double>(i) * 0.37 + static_cast<double>(c) * 11.3 + static_cast<double>(j) * 5.1) *
         1e3;
}
inline double known_potential(Index i, Index c) { return 100 + std::cos(static_cast<double>(i * 7 + c)); }

inline void append_known(SpoolWriter& spool, SpoolShape shape, Index first, Index last, bool potentials = true) {
  Panel position(shape.dimension, shape.chains);
  std::vector<double> potential(static_cast<std::size_t>(shape.chains));
  for (Index i = first; i < last; ++i) {
    for (Index c = 0; c < shape.chains; ++c) {
      for (Index j = 0; j < shape.dimension; ++j)
        position.column(c)[static_cast<std::size_t>(j)] = known_value(i, c, j);
      potential[static_cast<std::size_t>(c)] = known_potential(i, c);
    }
    spool.append(position, potentials ? std::span<const double>(potential) : std::span<const double>());
  }
}

inline void write_known_spool(const std::string& path, SpoolShape shape, Index draws, bool potentials = true) {
  SpoolWriter spool(path, shape);
  append_known(spool, shape, 0, draws, potentials);
  spool.sync();
}

inline RunFacts known_facts(SpoolShape shape) {
  RunFacts facts;
  facts.sampler = "qlsd++";
  facts.model = "logistic";
  facts.source = "titanic";
  facts.seed = 7;
  facts.chains = shape.chains;
  facts.iterations = facts.done = 2000;
  facts.burn_in = 200;
  facts.thin = 3;
  facts.step = 1e-4;
  facts.temperature = 2;
  facts.clients = 10;
  facts.seconds = 2;
  for (Index j = 0; j < shape.dimension; ++j) facts.labels.push_back("coefficient " + std::to_string(j));
  facts.counters = {.rounds = 2000,
                    .messages = 20000,
                    .uplink_bits = 1'000'000,
                    .downlink_bits = 2'000'000,
                    .broadcast_bits = 200'000,
                    .setup_bits = 512,
                    .gradients = 123456,
                    .uplink_bits_bound = 1.5e6};
  return facts;
}

// Rows with one feature, and a model of them.
inline Table table_of(const std::vector<double>& x, std::vector<double> y) {
  Table table;
  table.rows = static_cast<Index>(x.size());
  table.columns = 1;
  table.stride = 8;
  table.x.assign(x.size() * 8, 0.0);
  for (std::size_t r = 0; r < x.size(); ++r) table.x[r * 8] = x[r];
  table.y = std::move(y);
  return table;
}
inline ModelSpec spec(const std::string& kind, double noise_sd = 1.0) {
  ModelSpec model;
  model.family = &model_family(kind);
  model.features = 1;
  model.noise_sd = noise_sd;
  return model;
}

}  // namespace pollen::sink
