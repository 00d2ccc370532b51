// Phrases that error messages about data and other files share. All functions are thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pollen::data {

// Joins names as "a, b, c", or as "a, b, ... (120 in all)" if there are more than `most`.
std::string listed(const std::vector<std::string>& names, std::size_t most = 20);

// Returns for example `found "sruvived", accepted: class, sex, age, survived; did you mean "survived"?`.
std::string unknown_name(const std::string& found, const std::vector<std::string>& accepted);

std::string_view trimmed(std::string_view text);  // without spaces, tabs and carriage returns at both ends

// Shows a cell in a message: in quotes, with control characters as ?, and cut after about forty bytes.
std::string in_quotes(std::string_view cell);

// Returns "experiment.toml: data.target", or "data.target" if no file is known.
std::string key(const std::string& where, const std::string& name);

}  // namespace pollen::data
