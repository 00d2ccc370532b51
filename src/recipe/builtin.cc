#include <algorithm>

#include "parts.h"
#include "pollen/config.h"

namespace pollen {

// Returns the configuration of the built-in problem. A test checks that it equals examples/titanic.toml.
const char* builtin_config() {
  return R"(# Who survived the Titanic? Ten clients hold the passengers; nobody's rows move.
seed = 1

[model]
kind = "logistic"

[data]
source = "titanic"
target = "survived"
partition = "dirichlet"
clients = 10
dirichlet_alpha = 1.0

[sampler]
name = "qlsd++"
batch = 0.2
compressor = "qsgd"
levels = 16
refresh = 50

[run]
iterations = 20000
burn_in = 2000
thin = 5
chains = 4
)";
}

Config read_builtin_config(const Overrides& overrides) {
  const auto given = [&](const char* key) {
    return std::ranges::any_of(overrides, [&](const std::string& text) { return text.starts_with(key); });
  };
  std::string text = builtin_config();
  // Another sampler has other settings, and a burn-in that the user does not give follows the iterations.
  if (given("sampler.name")) text.resize(text.find("[sampler]"));
  if (const std::size_t at = text.find("burn_in"); given("run.iterations") && at < text.size())
    text.erase(at, text.find('\n', at) + 1 - at);
  return read_layers(text, "built-in", ".", overrides, Stores::looked_at);
}

}  // namespace pollen
