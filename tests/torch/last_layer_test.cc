// Tests the last layer of libtorch's networks as a client's own: at a fixed φ the layer on the features has the
// network's loss and gradient.
#include <gtest/gtest.h>

#include <cmath>

#include "help.h"
#include "model/personal_model.h"
#include "network/network.h"

namespace pollen::testing {
namespace {

class LastLayer : public ::testing::TestWithParam<NetworkSpec> {};

NetworkSpec resnet(const std::string& norm) {
  NetworkSpec spec = image_network("resnet20", 3, 8);
  spec.norm = norm;
  return spec;
}

INSTANTIATE_TEST_SUITE_P(, LastLayer,
                         ::testing::Values(image_network("lenet5", 1, 28), image_network("cnn5", 3, 16), resnet("frn"),
                                           resnet("batch")));

TEST_P(LastLayer, OnItsFeaturesIsTheNetwork) {
  const NetworkModel network{make_torch_network(GetParam()), {0.0}, {1.0}};
  const auto inputs = static_cast<Index>(GetParam().inputs());
  const Index rows = 6;
  AlignedVector<double> x(static_cast<std::size_t>(rows * inputs));
  std::vector<double> y;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(0.37 * static_cast<double>(i));
  for (Index r = 0; r < rows; ++r) y.push_back(static_cast<double>(r % GetParam().outputs));
  const auto model = make_personal_network(network);
  const auto held = model->rows({x.data(), rows, inputs, inputs}, y.data());
  std::vector<double> theta;
  for (const NetworkTensor& tensor : network.network->tensors())
    for (std::int64_t i = 0; i < tensor.size; ++i)
      theta.push_back(static_cast<double>(tensor.center) +
                      static_cast<double>(tensor.spread) * std::cos(1.3 * static_cast<double>(i)));
  ASSERT_EQ(model->shared() + model->latent(), std::ssize(theta));
  const auto shared = std::span(theta).first(static_cast<std::size_t>(model->shared()));
  const auto z = std::span(theta).subspan(shared.size());
  std::vector<double> g(z.size()), h(z.size()), by_shared(shared.size());
  Scratch scratch;
  const double whole = held->potential()->gradient(shared, z, g, by_shared, scratch);
  const double layer = held->at(shared)->potential()->gradient(shared, z, h, {}, scratch);
  EXPECT_NEAR(layer, whole, 1e-4 * whole);
  for (std::size_t j = 0; j < g.size(); ++j) EXPECT_NEAR(g[j], h[j], 1e-3) << j;
}

}  // namespace
}  // namespace pollen::testing
