// Networks over libtorch on made-up rows. The test program knows the module by network/network.h alone, as pollen does.
#pragma once

#include <cmath>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "network/network.h"

namespace pollen {

inline void PrintTo(const NetworkSpec& spec, std::ostream* out) {
  *out << spec.kind << (spec.kind == "resnet20" ? " " + spec.norm : "");
}

}  // namespace pollen

namespace pollen::testing {

// The device on which fleets are tested: "cuda" if libtorch finds a GPU, otherwise "cpu".
const std::string& fleet_device();

NetworkSpec mlp(std::vector<std::int64_t> hidden, std::string activation = "tanh");     // 5 inputs, 3 classes
NetworkSpec image_network(std::string kind, std::int64_t channels, std::int64_t side);  // 10 classes

// A network, rows for it and a θ drawn as its tensors say.
struct Case {
  Case(const NetworkSpec& spec, std::int64_t rows, unsigned seed = 1);

  double loss(const std::vector<float>& at, std::vector<float>* gradient = nullptr) const;
  double loss_of(const std::vector<std::uint32_t>& rows, std::vector<float>* gradient = nullptr) const;
  std::vector<float> gradient() const;

  std::unique_ptr<Network> network;
  std::vector<float> x, y, theta;
  std::unique_ptr<NetworkRows> held;
};

template <typename Numbers>
double norm_of(const Numbers& v) {
  double square = 0;
  for (const auto x : v) square += static_cast<double>(x) * static_cast<double>(x);
  return std::sqrt(square);
}

// Returns |a - b| relative to |b|.
template <typename A, typename B>
double apart(const A& a, const B& b) {
  std::vector<double> difference;
  for (std::size_t i = 0; i < b.size(); ++i)
    difference.push_back(static_cast<double>(a.at(i)) - static_cast<double>(b[i]));
  return norm_of(difference) / norm_of(b);
}

}  // namespace pollen::testing
