// With run.init = "model" chains start at the values of the TorchScript file.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "network/network.h"
#include "run/experiment.h"
#include "support/source_dir.h"

namespace pollen::testing {
namespace {

TEST(Start, FromTheFile) {
  const std::string rows = fmt::format("{}start-{}.csv", ::testing::TempDir(), ::getpid());
  std::ofstream(rows) << "a,b,c,d,e,kind\n1,2,3,4,5,x\n2,1,3,5,4,y\n5,4,3,2,1,z\n1,1,2,2,3,x\n";
  const std::string config = fmt::format(R"(
[model]
kind = "torchscript"
file = "{}/mlp.pt"
input = [5, 1, 1]
[data]
source = "{}"
target = "kind"
clients = 2
test_fraction = 0.0
[sampler]
name = "lsd"
step = 1e-3
[run]
init = "model"
chains = 2
)",
                                         build_dir() + "/tests/torch", rows);
  Experiment experiment(read_config_text(config, "test.toml"));
  experiment.prepare();
  for (const NetworkTensor& tensor : experiment.model().network.network->tensors())
    for (std::int64_t i = 0; i < tensor.size; ++i)
      EXPECT_EQ(experiment.position().column(1)[static_cast<std::size_t>(tensor.offset + i)], static_cast<double>(i));
}

}  // namespace
}  // namespace pollen::testing
