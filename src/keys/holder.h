// Holders of a key and its certificate: the authority, and the server and clients for whom it signs.
#pragma once

#include <optional>
#include <string>

#include "certificate.h"

namespace pollen::keys {

struct Holder {
  std::string name;  // name of the files, without .pem and .key
  KeyRole role;
  Key key;
  Certificate certificate;
};

std::string file_in(const std::string& folder, const std::string& name, const char* ending);
bool is_there(const std::string& path);  // true for anything at that path, even a link that leads nowhere

// Reads the authority of the folder and checks that it can sign. Returns nothing if neither of its files exists, and
// throws ConfigError if it cannot sign.
std::optional<Holder> stored_authority(const std::string& folder, KeyClock::time_point now);

// Makes an authority. Its certificate contains `federation`, so that people can tell two authorities apart.
Holder make_authority(const std::string& federation, KeyClock::time_point starts, KeyClock::time_point ends);

// Makes a key and a signed certificate. The certificate ends no later than the authority's.
Holder make_holder(Subject subject, const Holder& authority);

}  // namespace pollen::keys
