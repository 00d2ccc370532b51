// Makes text from outside safe for logs and terminals by removing control characters and limiting its length.
// Thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "federation/federation.h"

namespace pollen {

std::string plain(std::string_view text);
bool is_plain(std::string_view text);  // true if it has no control characters

// Returns a function that cleans every notice and passes it on.
Tell in_plain_words(Tell tell);

}  // namespace pollen
