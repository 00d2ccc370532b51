#include <fmt/format.h>

#include "recipe/key.h"

namespace pollen {

namespace {

// Writes all keys whose paths begin with `prefix`.
std::string write_keys(const Config& config, const std::string& prefix) {
  std::string out;
  std::string section;
  for (const Key& key : keys()) {
    if (!key.path.starts_with(prefix)) continue;
    const std::string value = key.write(config);
    if (value.empty()) continue;
    if (key.section() != section) {
      section = key.section();
      out += fmt::format("\n[{}]\n", section);
    }
    out += fmt::format("{} = {}\n", key.name(), value);
  }
  return out;
}

}  // namespace

std::string data_to_toml(const Config& config) { return write_keys(config, "data."); }

std::string to_toml(const Config& config) {
  std::string out = write_keys(config, "");
  Config one = config;
  for (const ClientConfig& client : config.clients) {
    one.clients = {client};
    out += "\n[[client]]\n";
    for (const Key& key : client_keys())
      if (const std::string value = key.write(one); !value.empty()) out += fmt::format("{} = {}\n", key.name(), value);
  }
  return out;
}

}  // namespace pollen
