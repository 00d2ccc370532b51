#include "base/words.h"

#include <fmt/format.h>

#include <algorithm>

#include "pollen/errors.h"

namespace pollen {

bool has_word(std::string_view words, std::string_view word) {
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    if (words.substr(at, end - at) == word) return true;
    at = end + 1;
  }
  return false;
}

void refuse_name(const std::string& key, const std::string& found, const std::vector<std::string>& names) {
  const auto near = nearest(found, names);
  throw ConfigError(key, fmt::format("found \"{}\", accepted: {}{}", found, fmt::join(names, ", "),
                                     near ? fmt::format("; did you mean {}?", *near) : ""));
}

}  // namespace pollen
