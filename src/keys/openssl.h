// OpenSSL's objects with owners, and helper functions that several files need.
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

// Throws IoError "OpenSSL cannot <doing>: <its reason>". The cause is missing memory or randomness, or a broken
// library.
[[noreturn]] void openssl_failure(const char* doing);
std::string last_reason();  // returns the last reason of OpenSSL's error queue and empties it

// Parse all certificates of a PEM text (at least one), or its private key. They throw a ConfigError that names `where`.
std::vector<Certificate> parse_certificates(const std::string& pem, const std::string& where);
Key parse_key(const std::string& pem, const std::string& where);

CertificateFacts facts_of(std::string pem, const std::string& where, KeyClock::time_point now);

std::string pem_text(X509* certificate);
std::string pem_text(EVP_PKEY* key);  // in PKCS#8, without a passphrase

// Returns the name that says whose certificate this is: its common name or, where it has none, its only alternative
// name (DNS). If both are there they must agree. Throws a ConfigError that names `where` if no single name can be told.
std::string name_of(const X509* certificate, const std::string& where);
// Returns the serials in the revocation lists of a PEM text, which these authorities must have signed.
std::set<std::string> revoked_in(const std::string& pem, const std::string& where,
                                 const std::vector<Certificate>& authorities);
// Returns a text that no other certificate has: its issuer and its serial number.
std::string serial_of(const X509_NAME* issuer, const ASN1_INTEGER* number);
std::string fingerprint(const X509* certificate);
KeyClock::time_point start_of(const X509* certificate);  // throws ConfigError if the certificate holds no valid time
KeyClock::time_point end_of(const X509* certificate);

// Reads a file that a user named; throws ConfigError if there is none.
std::string read_text(const std::string& path);

}  // namespace pollen::keys
