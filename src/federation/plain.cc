#include "federation/plain.h"

#include <algorithm>

namespace pollen {

std::string plain(std::string_view text) {
  constexpr std::size_t kMost = 2000;
  std::string out = without_controls(text.substr(0, kMost));
  std::ranges::replace(out, '\n', ' ');
  if (text.size() > kMost) out += "...";
  return out;
}

std::string rough_name(const ColumnFacts& facts) {
  const auto rough = [](const std::vector<std::string>& names) {
    const auto at = std::ranges::find_if_not(names, is_plain);
    return at == names.end() ? std::string() : plain(*at);
  };
  std::string found = rough(facts.columns);
  if (found.empty()) found = rough({facts.target});
  for (const auto& [name, levels] : facts.levels) {
    if (found.empty()) found = rough({name});
    if (found.empty()) found = rough(levels);
  }
  return found;
}

Tell in_plain_words(Tell tell) {
  return [tell = std::move(tell)](const Notice& notice) {
    Notice clean = notice;
    clean.text = plain(notice.text);
    clean.client = plain(notice.client);
    tell(clean);
  };
}

}  // namespace pollen
