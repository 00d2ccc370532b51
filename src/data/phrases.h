// The wording that messages of this room share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pollen::data {

// "a, b, c", cut after `most` names: "a, b, ... (120 in all)".
std::string listed(const std::vector<std::string>& names, std::size_t most = 20);

// `found "sruvived", accepted: class, sex, age, survived; did you mean "survived"?`
std::string unknown_name(const std::string& found, const std::vector<std::string>& accepted);

// A cell as a message shows it: quoted, control characters as ?, cut after some forty bytes.
std::string in_quotes(std::string_view cell);

// "experiment.toml: data.target", or "data.target" where no file is known.
std::string key(const std::string& where, const std::string& name);

}  // namespace pollen::data
