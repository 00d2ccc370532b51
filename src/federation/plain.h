// Text that came from outside, for logs and terminals: no control characters, and not endless.
#pragma once

#include <string>
#include <string_view>

#include "federation/federation.h"

namespace pollen {

std::string plain(std::string_view text);
bool is_plain(std::string_view text);  // without control characters

// Every notice goes on in plain words.
Tell in_plain_words(Tell tell);

}  // namespace pollen
