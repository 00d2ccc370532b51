// The networks again, forward only, by plain loops in double. The tests compare the kernels with them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "network/network.h"

namespace pollen::test {

std::vector<double> reference_outputs(const NetworkSpec& spec, const std::vector<double>& theta, const float* x);
double reference_loss(const NetworkSpec& spec, const std::vector<double>& theta, const float* x, float y);

NetworkSpec lenet5();
NetworkSpec mlp(std::int64_t inputs, std::vector<std::int64_t> hidden, std::int64_t classes,
                const std::string& activation = "relu");
NetworkSpec response(std::int64_t inputs, std::vector<std::int64_t> hidden, const std::string& activation, double sd);

// A network with rows and parameters drawn by a fixed generator.
struct Case {
  Case(const NetworkSpec& spec, std::int64_t rows);
  double reference(const std::vector<std::uint32_t>& chosen, const std::vector<double>& at) const;
  double loss(const std::vector<std::uint32_t>& chosen, std::vector<float>* gradient = nullptr) const;
  std::vector<float> clipped(const std::vector<std::uint32_t>& chosen, double clip) const;

  NetworkSpec spec;
  std::unique_ptr<Network> network;
  std::vector<float> x, y, theta;
  std::unique_ptr<NetworkRows> held;
};

// Returns `count` row numbers below `rows`, some of them repeated, in no particular order.
std::vector<std::uint32_t> some_rows(std::int64_t count, std::uint32_t rows, std::uint32_t seed);
// Returns ‖a - b‖ / ‖b‖.
double distance(const std::vector<float>& a, const std::vector<float>& b);

}  // namespace pollen::test
