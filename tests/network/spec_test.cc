// Tests what a specification becomes, and which specifications are refused.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>

#include "network/network.h"
#include "network/reference.h"

namespace pollen {
namespace {

using test::lenet5;
using test::mlp;
using test::response;
using Shape = std::vector<std::int64_t>;

void expect_tensor(const NetworkTensor& t, const char* name, const Shape& shape, std::int64_t offset, double fan_in) {
  EXPECT_EQ(t.name, name);
  EXPECT_EQ(t.shape, shape);
  EXPECT_EQ(t.offset, offset);
  EXPECT_FLOAT_EQ(t.spread, static_cast<float>(1 / std::sqrt(fan_in)));
  EXPECT_EQ(t.center, 0.0f);
}

TEST(LeanSpec, LeNet5) {
  const auto network = make_lean_network(lenet5());
  EXPECT_EQ(network->dimension(), 61706);
  EXPECT_EQ(network->spec().kind, "lenet5");
  const auto& t = network->tensors();
  ASSERT_EQ(t.size(), 10u);
  expect_tensor(t[0], "conv1.weight", {6, 1, 5, 5}, 0, 25);
  expect_tensor(t[1], "conv1.bias", {6}, 150, 25);
  expect_tensor(t[2], "conv2.weight", {16, 6, 5, 5}, 156, 150);
  expect_tensor(t[3], "conv2.bias", {16}, 2556, 150);
  expect_tensor(t[4], "fc1.weight", {120, 400}, 2572, 400);
  expect_tensor(t[5], "fc1.bias", {120}, 50572, 400);
  expect_tensor(t[6], "fc2.weight", {84, 120}, 50692, 120);
  expect_tensor(t[7], "fc2.bias", {84}, 60772, 120);
  expect_tensor(t[8], "fc3.weight", {10, 84}, 60856, 84);
  expect_tensor(t[9], "fc3.bias", {10}, 61696, 84);
}

TEST(LeanSpec, Mlp) {
  const auto network = make_lean_network(mlp(784, {100}, 10));
  EXPECT_EQ(network->dimension(), 79510);
  const auto& t = network->tensors();
  ASSERT_EQ(t.size(), 4u);
  expect_tensor(t[0], "fc1.weight", {100, 784}, 0, 784);
  expect_tensor(t[1], "fc1.bias", {100}, 78400, 784);
  expect_tensor(t[2], "fc2.weight", {10, 100}, 78500, 100);
  expect_tensor(t[3], "fc2.bias", {10}, 79500, 100);
  EXPECT_EQ(make_lean_network(mlp(784, {}, 10))->dimension(), 7850);
  EXPECT_EQ(make_lean_network(response(8, {4}, "tanh", 1.0))->dimension(), 41);
}

void expect_refused(const NetworkSpec& start, const std::function<void(NetworkSpec&)>& change) {
  NetworkSpec spec = start;
  EXPECT_NO_THROW(make_lean_network(spec));
  change(spec);
  EXPECT_THROW(make_lean_network(spec), std::runtime_error);
}

TEST(LeanSpec, Refused) {
  const auto net = mlp(8, {4}, 3);
  const auto line = response(8, {4}, "relu", 1.0);
  expect_refused(lenet5(), [](NetworkSpec& s) { s.height = 32; });
  expect_refused(lenet5(), [](NetworkSpec& s) { s.channels = 3; });
  expect_refused(lenet5(), [](NetworkSpec& s) { s.kind = "resnet20"; });
  expect_refused(lenet5(), [](NetworkSpec& s) { s.device = "cuda"; });
  expect_refused(net, [](NetworkSpec& s) { s.device = "cuda"; });
  expect_refused(net, [](NetworkSpec& s) { s.activation = "gelu"; });
  expect_refused(net, [](NetworkSpec& s) { s.width = 0; });
  expect_refused(net, [](NetworkSpec& s) { s.outputs = 1; });
  expect_refused(net, [](NetworkSpec& s) { s.hidden = {4, 0}; });
  expect_refused(net, [](NetworkSpec& s) { s.hidden = {1 << 30, 1 << 30}; });
  expect_refused(net, [](NetworkSpec& s) { s.channels = s.height = s.width = std::int64_t{1} << 30; });
  expect_refused(line, [](NetworkSpec& s) { s.outputs = 2; });
  expect_refused(line, [](NetworkSpec& s) { s.noise_sd = 0; });
  expect_refused(line, [](NetworkSpec& s) { s.noise_sd = std::numeric_limits<double>::quiet_NaN(); });
}

}  // namespace
}  // namespace pollen
