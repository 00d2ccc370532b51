// Finds where two effective configurations (texts written by to_toml) differ. --resume uses it to refuse a
// configuration that is not the one the run was started with. The function is pure.
#pragma once

#include <optional>
#include <string>

namespace pollen {

struct ConfigDifference {
  std::string key;          // "sampler.step", "client 3: mean"
  std::string left, right;  // the two values; "nothing" if the key is absent
};

// Returns the first key, in the order of `left`, whose values differ. Keys of [output] are ignored, except output.lp.
std::optional<ConfigDifference> first_difference(const std::string& left, const std::string& right);

}  // namespace pollen
