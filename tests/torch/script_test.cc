// Tests networks from TorchScript files, which write_script makes during the build.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>
#include <thread>

#include "help.h"
#include "network/network.h"
#include "support/source_dir.h"

namespace pollen::testing {
namespace {

using ::testing::HasSubstr;

NetworkSpec script(const std::string& name) {
  NetworkSpec spec = mlp({});
  spec.kind = "torchscript";
  spec.file = build_dir() + "/tests/torch/" + name;
  return spec;
}

// The file's network is an mlp with one hidden layer of 4, so it must equal the one that is written here.
TEST(Script, IsTheNetworkThatItDescribes) {
  const Case scripted(script("mlp.pt"), 50), written(mlp({4}, "tanh"), 50);
  ASSERT_EQ(scripted.network->tensors().size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(scripted.network->tensors()[i].name, written.network->tensors()[i].name);
    EXPECT_EQ(scripted.network->tensors()[i].shape, written.network->tensors()[i].shape);
    EXPECT_EQ(scripted.network->tensors()[i].spread, written.network->tensors()[i].spread);
  }
  std::vector<float> a, b;
  EXPECT_DOUBLE_EQ(scripted.loss(written.theta, &a), written.loss(written.theta, &b));
  EXPECT_LT(apart(a, b), 1e-6);
}

TEST(Script, HasTheValuesOfItsFile) {
  const Case scripted(script("mlp.pt"), 5), written(mlp({4}, "tanh"), 5);
  const std::vector<float> stored = scripted.network->stored();
  ASSERT_EQ(static_cast<std::int64_t>(stored.size()), scripted.network->dimension());
  for (const NetworkTensor& tensor : scripted.network->tensors())
    for (std::int64_t i = 0; i < tensor.size; ++i)
      EXPECT_EQ(stored[static_cast<std::size_t>(tensor.offset + i)], static_cast<float>(i)) << tensor.name;
  EXPECT_TRUE(written.network->stored().empty());
}

TEST(Script, ThreadsDoNotDisturbOneAnother) {
  const Case c(script("mlp.pt"), 50);
  std::vector<std::vector<float>> thetas(4, c.theta), got(4);
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < 4; ++k) {
    for (float& t : thetas[k]) t *= 1 + static_cast<float>(k);
    threads.emplace_back([&, k] {
      for (int again = 0; again < 20; ++again) c.loss(thetas[k], &got[k]);
    });
  }
  for (std::thread& t : threads) t.join();
  for (std::size_t k = 0; k < 4; ++k) {
    std::vector<float> alone;
    c.loss(thetas[k], &alone);
    EXPECT_EQ(got[k], alone);
  }
}

void expect_error(const NetworkSpec& spec, const std::string& words) {
  try {
    make_torch_network(spec);
    ADD_FAILURE() << "no error with " << words;
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr(words));
  }
}

TEST(Script, ErrorsNameTheFile) {
  expect_error(script("none.pt"), "none.pt: cannot be read as TorchScript");
  NetworkSpec spec = script("mlp.pt");
  spec.outputs = 4;
  expect_error(spec, "makes a tensor of [1, 3] from one row, where [1, 4] is wanted");
  spec = script("mlp.pt");
  spec.channels = 6;
  expect_error(spec, "forward() fails on one row of 6 x 1 x 1 numbers");
  const std::string garbage = ::testing::TempDir() + "garbage.pt";
  std::ofstream(garbage) << "not a zip file";
  spec.file = garbage;
  expect_error(spec, "garbage.pt: cannot be read as TorchScript");
}

}  // namespace
}  // namespace pollen::testing
