// Completes a configuration by its sampler's defaults, or returns the refusal.
#pragma once

#include <string>
#include <vector>

#include "pollen/config.h"
#include "pollen/errors.h"

namespace pollen {

struct Completed {
  Config config;
  Recipe recipe;
  std::vector<std::string> warnings;
};

inline Completed made(const Overrides& overrides, Index clients = 4, Index dimension = 50) {
  Completed c;
  c.config = read_config_text("", "my.toml", overrides);
  c.recipe = complete(c.config, clients, dimension, c.warnings);
  return c;
}

inline std::string refusal(const Overrides& overrides) {
  try {
    made(overrides);
  } catch (const ConfigError& e) {
    return e.what();
  }
  return "accepted";
}

}  // namespace pollen
