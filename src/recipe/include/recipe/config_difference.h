// Where two effective configurations (texts of to_toml) differ: what --resume refuses to go over.
#pragma once

#include <optional>
#include <string>

namespace pollen {

struct ConfigDifference {
  std::string key;          // "sampler.step", "client 3: mean"
  std::string left, right;  // its values; "nothing" where it is absent
};

// The first key, in the order of `left`, whose values differ. Keys of [output] do not count, but for output.lp.
std::optional<ConfigDifference> first_difference(const std::string& left, const std::string& right);

}  // namespace pollen
