// Tests tensors, their names, sizes and starts, and specs that are impossible.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

#include "help.h"
#include "network/network.h"

namespace pollen::testing {
namespace {

using ::testing::HasSubstr;

std::map<std::string, NetworkTensor> by_name(const Network& network) {
  std::map<std::string, NetworkTensor> named;
  for (const NetworkTensor& t : network.tensors()) named[t.name] = t;
  return named;
}

std::int64_t dimension_of(NetworkSpec spec, const std::string& norm = "frn") {
  spec.norm = norm;
  return make_torch_network(spec)->dimension();
}

TEST(Kinds, HaveTheKnownNumbersOfParameters) {
  EXPECT_EQ(dimension_of(image_network("lenet5", 1, 28)), 61706);
  EXPECT_EQ(dimension_of(image_network("cnn5", 3, 32)), 307842);
  EXPECT_EQ(dimension_of(image_network("resnet20", 3, 32), "batch"), 272474);
  EXPECT_EQ(dimension_of(image_network("resnet20", 3, 32), "group"), 272474);
  EXPECT_EQ(dimension_of(image_network("resnet20", 3, 32), "frn"), 274042);  // as in Izmailov et al. 2021
  EXPECT_EQ(dimension_of(mlp({7, 6})), 5 * 7 + 7 + 7 * 6 + 6 + 6 * 3 + 3);
}

TEST(Kinds, NameTheirTensorsAndStartAsPyTorchDoes) {
  const auto lenet = by_name(*make_torch_network(image_network("lenet5", 1, 28)));
  EXPECT_EQ(lenet.at("conv1.weight").shape, (std::vector<std::int64_t>{6, 1, 5, 5}));
  EXPECT_EQ(lenet.at("fc1.weight").shape, (std::vector<std::int64_t>{120, 400}));
  EXPECT_FLOAT_EQ(lenet.at("conv1.weight").spread, 0.2f);
  EXPECT_FLOAT_EQ(lenet.at("conv1.bias").spread, 0.2f);
  EXPECT_FLOAT_EQ(lenet.at("fc1.bias").spread, 0.05f);
  const auto resnet = by_name(*make_torch_network(image_network("resnet20", 3, 32)));
  for (const char* norm : {"norm1", "layer2.0.shortcut.norm", "layer3.2.norm2"}) {
    const std::string name = norm;
    EXPECT_EQ(resnet.at(name + ".weight").center, 1.0f);
    EXPECT_EQ(resnet.at(name + ".tau").center, 0.0f);
    for (const char* part : {".weight", ".bias", ".tau", ".eps"}) EXPECT_EQ(resnet.at(name + part).spread, 0.0f);
  }
  EXPECT_EQ(resnet.count("layer1.0.shortcut.conv.weight"), 0u);
}

TEST(Kinds, TensorsFollowOneAnother) {
  const auto network = make_torch_network(image_network("resnet20", 3, 32));
  std::int64_t offset = 0;
  for (const NetworkTensor& t : network->tensors()) {
    EXPECT_EQ(t.offset, offset) << t.name;
    offset += t.size;
  }
  EXPECT_EQ(offset, network->dimension());
}

void expect_error(const NetworkSpec& spec, const std::string& words) {
  try {
    make_torch_network(spec);
    ADD_FAILURE() << "no error with " << words;
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr(words));
  }
}

TEST(Errors, SayWhatCannotBe) {
  expect_error(image_network("lenet", 1, 28), "not \"lenet\"");
  expect_error(image_network("lenet5", 3, 32), "1 x 28 x 28, not 3 x 32 x 32");
  expect_error(image_network("cnn5", 3, 12), "at least 16 x 16");
  expect_error(mlp({3}, "gelu"), "found \"gelu\", accepted: relu");
  expect_error(mlp({3, 0}), "0 units");
  NetworkSpec spec = image_network("resnet20", 3, 32);
  spec.norm = "layer";
  expect_error(spec, "not \"layer\"");
  spec = mlp({});
  spec.classifies = false;
  expect_error(spec, "one output, not 3");
  spec.outputs = 1;
  spec.noise_sd = 0;
  expect_error(spec, "noise_sd");
  spec = mlp({});
  spec.outputs = 0;
  expect_error(spec, "0 outputs");
  spec = mlp({});
  spec.device = "tpu";
  expect_error(spec, "not \"tpu\"");
  expect_error(image_network("torchscript", 1, 28), "needs its file");
}

TEST(Errors, AGpuThatIsNotThereIsSaidSo) {
  NetworkSpec spec = mlp({});
  spec.device = "cuda";
  try {
    make_torch_network(spec);
    GTEST_SKIP() << "there is a GPU";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("nvidia-smi"));
  }
}

TEST(Errors, RowsThatCannotBe) {
  const Case c(mlp({}), 4);
  std::vector<float> y = {0, 1, 3, 2};
  EXPECT_THROW(c.network->hold(c.x.data(), y.data(), 4), std::runtime_error);
  y[2] = 0.5f;
  EXPECT_THROW(c.network->hold(c.x.data(), y.data(), 4), std::runtime_error);
  EXPECT_THROW(c.loss_of({4}), std::runtime_error);
  EXPECT_THROW(c.network->loss(*c.held, nullptr, 5, c.theta.data(), nullptr), std::runtime_error);
  std::vector<float> f(3 * 5);
  EXPECT_THROW(c.network->outputs(*c.held, 0, 5, c.theta.data(), f.data()), std::runtime_error);
  const auto without = c.network->hold(c.x.data(), nullptr, 4);
  c.network->outputs(*without, 0, 4, c.theta.data(), f.data());
  EXPECT_THROW(c.network->loss(*without, nullptr, 4, c.theta.data(), nullptr), std::runtime_error);
}

}  // namespace
}  // namespace pollen::testing
