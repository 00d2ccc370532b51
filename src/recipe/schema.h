// The keys of a configuration, each stated once: its path, what it accepts, how it is read and how it is written.
// Reading, unknown-key suggestions and the effective configuration all come from this one table.
#pragma once

#include <toml++/toml.h>

#include <functional>
#include <string>
#include <vector>

#include "pollen/config.h"
#include "pollen/errors.h"

namespace pollen {

struct Key {
  std::string path;      // "sampler.step"
  std::string accepted;  // "a number above 0, or \"auto\""
  // Takes the value, or returns false where it is not acceptable.
  std::function<bool(const toml::node&, Config&)> read;
  // The value as TOML; empty where there is nothing to write (the key is absent by default).
  std::function<std::string(const Config&)> write;
};

const std::vector<Key>& schema();         // [tables]
const std::vector<Key>& client_schema();  // [[client]], read into config.clients.back()

std::string toml_string(const std::string& text);
std::string toml_number(double value);  // round-trips

}  // namespace pollen
