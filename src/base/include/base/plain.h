// Makes text from outside safe for terminals, which obey control characters. Thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace pollen {

bool is_plain(std::string_view text);  // whether it has no control characters, line ends included
// Puts a question mark in place of every control character. Line ends stay.
std::string without_controls(std::string_view text);

}  // namespace pollen
