// Makes what other parties say safe for logs and terminals by replacing control characters and limiting its length.
// Thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "base/plain.h"
#include "federation/federation.h"

namespace pollen {

std::string plain(std::string_view text);  // in one line

// Returns the first name of a column or level with a control character, made plain, or an empty text.
std::string rough_name(const ColumnFacts& facts);

// Returns a function that cleans every notice and passes it on.
Tell in_plain_words(Tell tell);

}  // namespace pollen
