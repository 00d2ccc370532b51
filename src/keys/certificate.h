// Makes keys and signs certificates: P-256, SHA-256, X.509 version 3.
#pragma once

#include <string>

#include "openssl.h"

namespace pollen::keys {

struct Subject {
  KeyRole role;
  std::string name;                    // the common name
  std::string organization = {};       // left out if empty
  std::string alternative_names = {};  // "DNS:...,IP:..."; left out if empty
  KeyClock::time_point starts, ends;
};

Key make_key();

// Makes a certificate for the public half of `key`. An authority signs itself: pass its own key and no issuer.
Certificate sign(const Subject& subject, EVP_PKEY* key, X509* issuer, EVP_PKEY* issuer_key);

}  // namespace pollen::keys
