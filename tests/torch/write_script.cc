// write_script FILE writes an mlp of 5 inputs, 4 tanh units and 3 outputs as TorchScript, with each tensor 0, 1, 2,
// ..., for the tests to read.
#include <ATen/ops/arange.h>
#include <torch/csrc/jit/api/module.h>

int main(int count, char** words) {
  if (count != 2) return 2;
  torch::jit::Module network("network");
  const auto numbers = [](std::int64_t size) { return at::arange(size, at::TensorOptions(at::kFloat)); };
  const auto add_map = [&](const char* name, std::int64_t to, std::int64_t from) {
    torch::jit::Module map("map" + std::string(name));
    map.register_parameter("weight", numbers(to * from).view({to, from}), false);
    map.register_parameter("bias", numbers(to), false);
    map.define("def forward(self, x):\n  return x.matmul(self.weight.t()) + self.bias\n");
    network.register_module(name, map);
  };
  add_map("fc1", 4, 5);
  add_map("fc2", 3, 4);
  network.define("def forward(self, x):\n  return self.fc2.forward(self.fc1.forward(x).tanh())\n");
  network.save(words[1]);
}
