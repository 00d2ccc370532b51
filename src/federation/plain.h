// Text that came from outside, for logs and terminals: no control characters, and not endless.
#pragma once

#include <string>
#include <string_view>

namespace pollen {

std::string plain(std::string_view text);
bool is_plain(std::string_view text);  // without control characters

}  // namespace pollen
