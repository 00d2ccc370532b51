// Names that users type, and lists of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pollen {

// Whether `word` is one of `words`, which spaces separate.
bool has_word(std::string_view words, std::string_view word);

// Throws a ConfigError: `found` is none of `names`, which are listed; the nearest is suggested.
[[noreturn]] void refuse_name(const std::string& key, const std::string& found, const std::vector<std::string>& names);

}  // namespace pollen
