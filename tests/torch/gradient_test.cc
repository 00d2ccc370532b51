// A gradient is the derivative of the loss, for every kind, tensor after tensor.
#include <gtest/gtest.h>

#include <algorithm>

#include "help.h"
#include "network/network.h"

namespace pollen::testing {
namespace {

NetworkSpec resnet(const std::string& norm) {
  NetworkSpec spec = image_network("resnet20", 3, 8);
  spec.norm = norm;
  return spec;
}

NetworkSpec response() {
  NetworkSpec spec = mlp({6, 4}, "swish");
  spec.outputs = 1;
  spec.classifies = false;
  spec.noise_sd = 0.7;
  return spec;
}

struct Named {
  std::string name;
  NetworkSpec spec;
  std::int64_t rows;
};
void PrintTo(const Named& named, std::ostream* out) { *out << named.name; }

class Gradient : public ::testing::TestWithParam<Named> {};
INSTANTIATE_TEST_SUITE_P(Kinds, Gradient,
                         ::testing::Values(Named{"softmax", mlp({}), 20}, Named{"mlp", mlp({7, 6}, "tanh"), 20},
                                           Named{"response", response(), 20},
                                           Named{"lenet5", image_network("lenet5", 1, 28), 4},
                                           Named{"cnn5", image_network("cnn5", 3, 16), 4},
                                           Named{"frn", resnet("frn"), 4}, Named{"group", resnet("group"), 4},
                                           Named{"batch", resnet("batch"), 4}),
                         [](const auto& named) { return named.param.name; });

// Returns how far to go along a tensor's gradient: until the loss has changed by about 0.002, but by at most a tenth of
// the tensor's largest number (0.001 if that is 0), because an eps of 1e-4 soon gives a different function.
double step_of(const std::vector<float>& theta, const std::vector<float>& g, std::size_t first, std::size_t end) {
  double square = 0, largest = 0, steepest = 0;
  for (std::size_t i = first; i < end; ++i) {
    square += double{g[i]} * double{g[i]};
    largest = std::max(largest, std::abs(double{theta[i]}));
    steepest = std::max(steepest, std::abs(double{g[i]}));
  }
  return std::min(0.002 / square, (largest > 0 ? 0.1 * largest : 0.001) / steepest);
}

// Takes a step up and a step down along each tensor's own gradient. The losses are sums of float32 numbers behind about
// twenty layers, with a relative accuracy of about 1e-6. The third order and the kinks of ReLU on the way amount to a
// few percent.
TEST_P(Gradient, IsTheDerivativeOfTheLoss) {
  const Case c(GetParam().spec, GetParam().rows);
  std::vector<float> g;
  const double loss = c.loss(c.theta, &g);
  for (const NetworkTensor& t : c.network->tensors()) {
    const std::size_t first = static_cast<std::size_t>(t.offset), end = static_cast<std::size_t>(t.offset + t.size);
    const double step = step_of(c.theta, g, first, end);
    std::vector<float> up = c.theta, down = c.theta;
    double expected = 0;
    for (std::size_t i = first; i < end; ++i) {
      up[i] += static_cast<float>(step * double{g[i]});
      down[i] -= static_cast<float>(step * double{g[i]});
      expected += (double{up[i]} - double{down[i]}) * double{g[i]};
    }
    EXPECT_NEAR(c.loss(up) - c.loss(down), expected, 0.05 * expected + 2e-6 * loss) << t.name;
  }
}

TEST_P(Gradient, IsAskedForOrNotTheLossIsTheSame) {
  const Case c(GetParam().spec, GetParam().rows);
  std::vector<float> g;
  EXPECT_EQ(c.loss(c.theta, &g), c.loss(c.theta));
}

}  // namespace
}  // namespace pollen::testing
