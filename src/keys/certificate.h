// Making keys and signing certificates: P-256, SHA-256, X.509 version 3.
#pragma once

#include <string>

#include "openssl.h"

namespace pollen::keys {

struct Subject {
  KeyRole role;
  std::string name;                    // common name
  std::string organization = {};       // left out where empty
  std::string alternative_names = {};  // "DNS:...,IP:..."; left out where empty
  KeyClock::time_point starts, ends;
};

Key make_key();

// A certificate for the public half of `key`. An authority signs itself: give it its own key and no issuer.
Certificate sign(const Subject& subject, EVP_PKEY* key, X509* issuer, EVP_PKEY* issuer_key);

}  // namespace pollen::keys
