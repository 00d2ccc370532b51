#include "base/name_words.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace pollen {

namespace {

enum class Letter { none, digit, small, capital };

// Bytes beyond ASCII are parts of letters, of which it is not known whether they are capital.
Letter letter_of(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= '0' && byte <= '9') return Letter::digit;
  if (byte >= 'A' && byte <= 'Z') return Letter::capital;
  return (byte >= 'a' && byte <= 'z') || byte >= 0x80 ? Letter::small : Letter::none;
}

// Returns whether a word begins at `at`, which is not the first letter. A capital begins a word after a small letter
// (patientID), and after a capital if a small letter follows (IDNumber).
bool begins_word(const std::string& name, std::size_t at) {
  const Letter before = letter_of(name[at - 1]), here = letter_of(name[at]);
  if (before == Letter::none || (before == Letter::digit) != (here == Letter::digit)) return true;
  if (here != Letter::capital) return false;
  const bool small_follows = at + 1 < name.size() && letter_of(name[at + 1]) == Letter::small;
  return before == Letter::small || small_follows;
}

// Words that are written together with an identifying one, as in patientid, zipcode and dateofbirth.
constexpr std::array<std::string_view, 16> kCompanions{"patient", "person", "subject", "customer", "client", "user",
                                                       "case",    "record", "first",   "last",     "full",   "sur",
                                                       "code",    "number", "of",      "day"};

// Returns whether a word consists of denied words and companions, with at least one that is denied.
bool made_of(std::string_view word, const std::vector<std::string>& denied, bool has_denied = false) {
  if (word.empty()) return has_denied;
  for (const std::string& piece : denied)
    if (word.starts_with(piece) && made_of(word.substr(piece.size()), denied, true)) return true;
  return std::ranges::any_of(kCompanions, [&](std::string_view piece) {
    return word.starts_with(piece) && made_of(word.substr(piece.size()), denied, has_denied);
  });
}

}  // namespace

const std::vector<std::string>& identifying_words() {
  static const std::vector<std::string> words = {"id",   "mrn", "ssn", "name",     "birth",
                                                 "date", "dob", "zip", "postcode", "plz"};
  return words;
}

std::vector<std::string> words_of(const std::string& name) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (letter_of(name[i]) == Letter::none) continue;
    if (i == 0 || begins_word(name, i)) words.emplace_back();
    words.back() += letter_of(name[i]) == Letter::capital ? static_cast<char>(name[i] - 'A' + 'a') : name[i];
  }
  return words;
}

std::optional<std::string> denied_word(const std::string& name, const std::vector<std::string>& denied) {
  constexpr std::size_t kLongest = 40;  // letters of a word that is looked into
  const std::vector<std::string> words = words_of(name);
  std::vector<std::string> single;
  for (const std::string& entry : denied) {
    const std::vector<std::string> parts = words_of(entry);
    if (!std::ranges::search(words, parts).empty()) return entry;
    if (parts.size() == 1) single.push_back(parts.front());
  }
  for (const std::string& word : words)
    if (word.size() <= kLongest && made_of(word, single))
      return *std::ranges::find_if(single, [&](const std::string& piece) { return word.find(piece) != word.npos; });
  return std::nullopt;
}

}  // namespace pollen
