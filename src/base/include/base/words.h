// Helpers for names that users type and for lists of such names. Thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pollen {

// Whether `word` is one of `words`, a list separated by spaces.
bool has_word(std::string_view words, std::string_view word);

// Throws a ConfigError for the value `found` of `key`. Its message lists the accepted `names` and suggests the nearest.
[[noreturn]] void refuse_name(const std::string& key, const std::string& found, const std::vector<std::string>& names);

}  // namespace pollen
