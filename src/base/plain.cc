#include "base/plain.h"

namespace pollen {

namespace {

// Recognises ASCII control characters and those of Unicode's second set, which some terminals obey: C2 80 to C2 9F in
// UTF-8.
bool is_control(std::string_view text, std::size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x20 || byte == 0x7f) return true;
  if (byte != 0xc2 || at + 1 == text.size()) return false;
  const auto next = static_cast<unsigned char>(text[at + 1]);
  return next >= 0x80 && next <= 0x9f;
}

}  // namespace

bool is_plain(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (is_control(text, i)) return false;
  return true;
}

std::string without_controls(std::string_view text) {
  std::string out(text);
  for (std::size_t i = 0; i < out.size(); ++i)
    if (out[i] != '\n' && is_control(out, i)) out[i] = '?';
  return out;
}

}  // namespace pollen
