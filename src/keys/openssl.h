// OpenSSL's objects with owners, and what is asked of them in more than one place.
#pragma once

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>
#include <vector>

#include "keys/keys.h"

namespace pollen::keys {

template <auto release>
struct Releases {
  template <class T>
  void operator()(T* object) const {
    release(object);
  }
};

using Key = std::unique_ptr<EVP_PKEY, Releases<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Releases<X509_free>>;
using Bio = std::unique_ptr<BIO, Releases<BIO_free>>;

// Throws IoError "OpenSSL cannot <doing>: <its reason>": memory or random numbers have run out, or a library is broken.
[[noreturn]] void openssl_failure(const char* doing);
std::string last_reason();  // of OpenSSL's queue of errors, which is empty afterwards

// All certificates of a PEM text (one at least), or its private key; ConfigError naming `where`.
std::vector<Certificate> parse_certificates(const std::string& pem, const std::string& where);
Key parse_key(const std::string& pem, const std::string& where);

CertificateFacts facts_of(std::string pem, const std::string& where, KeyClock::time_point now);

std::string pem_text(X509* certificate);
std::string pem_text(EVP_PKEY* key);  // PKCS#8, no passphrase

std::string fingerprint(const X509* certificate);
KeyClock::time_point start_of(const X509* certificate);  // ConfigError where it is no time
KeyClock::time_point end_of(const X509* certificate);

// A file that a user named; ConfigError where there is none.
std::string read_text(const std::string& path);

}  // namespace pollen::keys
