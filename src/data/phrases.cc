#include "data/phrases.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "pollen/errors.h"

namespace pollen::data {

std::string listed(const std::vector<std::string>& names, std::size_t most) {
  const std::string text = fmt::format("{}", fmt::join(std::span(names).first(std::min(most, names.size())), ", "));
  return names.size() > most ? fmt::format("{}, ... ({} in all)", text, names.size()) : text;
}

std::string unknown_name(const std::string& found, const std::vector<std::string>& accepted) {
  std::string text = fmt::format("found {}, accepted: {}", in_quotes(found), listed(accepted));
  if (const auto near = nearest(found, accepted)) text += fmt::format("; did you mean \"{}\"?", *near);
  return text;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::string in_quotes(std::string_view cell) {
  constexpr std::size_t kMost = 40;
  std::string text = "\"";
  std::size_t used = 0;
  for (; used < cell.size(); ++used) {
    const auto byte = static_cast<unsigned char>(cell[used]);
    if (used >= kMost && (byte & 0xC0u) != 0x80u) break;  // never cuts inside a UTF-8 character
    if (used >= kMost + 4) break;
    text += byte < 0x20 || byte == 0x7F ? '?' : cell[used];
  }
  return text + (used < cell.size() ? "...\"" : "\"");
}

std::string key(const std::string& where, const std::string& name) {
  return where.empty() ? "data." + name : where + ": data." + name;
}

}  // namespace pollen::data
