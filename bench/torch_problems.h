// Networks and rows for the benchmarks of the module over libtorch.
#pragma once

#include <chrono>
#include <random>
#include <string>
#include <vector>

#include "network/network.h"

namespace pollen::bench {

inline double wall() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline std::vector<NetworkSpec> networks() {
  NetworkSpec mlp, lenet, cnn, resnet;
  mlp.height = mlp.width = lenet.height = lenet.width = 28;
  mlp.hidden = {100};
  lenet.kind = "lenet5";
  cnn.kind = "cnn5";
  cnn.channels = 3;
  cnn.height = cnn.width = 32;
  resnet = cnn;
  resnet.kind = "resnet20";
  std::vector<NetworkSpec> all = {mlp, lenet, cnn};
  for (const char* norm : {"frn", "group", "batch"}) {
    resnet.norm = norm;
    all.push_back(resnet);
  }
  for (NetworkSpec& spec : all) spec.outputs = 10;
  return all;
}

inline std::vector<float> numbers(std::int64_t count, float spread, unsigned seed) {
  std::minstd_rand bits(seed);
  std::vector<float> v(static_cast<std::size_t>(count));
  for (float& x : v) x = spread * (2 * static_cast<float>(bits()) / static_cast<float>(bits.max()) - 1);
  return v;
}

struct Problem {
  std::vector<float> x, y, theta;
};

inline Problem problem_of(const Network& network, std::int64_t rows) {
  Problem p{numbers(rows * network.spec().inputs(), 1, 1), {}, numbers(network.dimension(), 1, 2)};
  for (std::int64_t j = 0; j < rows; ++j) p.y.push_back(static_cast<float>(j % network.spec().outputs));
  for (const NetworkTensor& t : network.tensors())
    for (std::int64_t i = t.offset; i < t.offset + t.size; ++i)
      p.theta[static_cast<std::size_t>(i)] = t.center + t.spread * p.theta[static_cast<std::size_t>(i)];
  return p;
}

}  // namespace pollen::bench
