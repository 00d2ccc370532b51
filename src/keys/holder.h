// Those who hold a key and a certificate for it: the authority, and whom it signs for.
#pragma once

#include <optional>
#include <string>

#include "certificate.h"

namespace pollen::keys {

struct Holder {
  std::string name;  // of the files, without .pem and .key
  KeyRole role;
  Key key;
  Certificate certificate;
};

std::string file_in(const std::string& folder, const std::string& name, const char* ending);
bool is_there(const std::string& path);  // whatever it is, a link that leads nowhere included

// The authority of the folder, fit to sign; none where neither of its files is there, ConfigError where it is not fit.
std::optional<Holder> stored_authority(const std::string& folder, KeyClock::time_point now);

// `federation` is told in its certificate, so that people can tell two authorities apart.
Holder make_authority(const std::string& federation, KeyClock::time_point starts, KeyClock::time_point ends);

// Ends with the authority where it would outlive it.
Holder make_holder(Subject subject, const Holder& authority);

}  // namespace pollen::keys
