// Checks that files belong together: a key with its certificate, and a certificate with its authority.
#include <fmt/format.h>
#include <openssl/err.h>

#include "openssl.h"
#include "pollen/errors.h"

namespace pollen {

namespace {

using Store = std::unique_ptr<X509_STORE, keys::Releases<X509_STORE_free>>;
using Verification = std::unique_ptr<X509_STORE_CTX, keys::Releases<X509_STORE_CTX_free>>;

const char* use_of(KeyRole role) { return role == KeyRole::server ? "server" : "client"; }

std::string reason_of(int error, X509* certificate, const std::string& authority_path, KeyRole role) {
  switch (error) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return fmt::format(
          "found a certificate or its authority expired (the certificate on {}), accepted: one valid now",
          utc_text(keys::end_of(certificate)));
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return fmt::format(
          "found a certificate or its authority not valid yet (the certificate from {}), accepted: one valid "
          "now; is the clock right?",
          utc_text(keys::start_of(certificate)));
    case X509_V_ERR_INVALID_PURPOSE:
      return fmt::format("found a certificate that is not for a {0}, accepted: one made for a {0}", use_of(role));
    default:
      return fmt::format("found a certificate that {} has not signed ({}), accepted: one of this authority",
                         authority_path, X509_verify_cert_error_string(error));
  }
}

Store store_of(const std::vector<keys::Certificate>& authorities) {
  Store store(X509_STORE_new());
  if (!store) keys::openssl_failure("take memory");
  for (const auto& authority : authorities)
    if (X509_STORE_add_cert(store.get(), authority.get()) != 1) keys::openssl_failure("take an authority");
  return store;
}

}  // namespace

void check_pair(const std::string& certificate_path, const std::string& key_path) {
  const auto certificates = keys::parse_certificates(keys::read_text(certificate_path), certificate_path);
  const keys::Key key = keys::parse_key(read_key_file(key_path), key_path);
  const bool fits = X509_check_private_key(certificates.front().get(), key.get()) == 1;
  ERR_clear_error();
  if (!fits)
    throw ConfigError(
        key_path,
        fmt::format("found a key that is not the one of {}, accepted: the two files made together", certificate_path));
}

void check_issued_by(const std::string& certificate_path, const std::string& authority_path, KeyRole role,
                     KeyClock::time_point now) {
  const auto certificates = keys::parse_certificates(keys::read_text(certificate_path), certificate_path);
  const Store store = store_of(keys::parse_certificates(keys::read_text(authority_path), authority_path));
  X509* certificate = certificates.front().get();
  const Verification verification(X509_STORE_CTX_new());
  if (!verification || X509_STORE_CTX_init(verification.get(), store.get(), certificate, nullptr) != 1)
    keys::openssl_failure("verify a certificate");
  X509_STORE_CTX_set_purpose(verification.get(),
                             role == KeyRole::server ? X509_PURPOSE_SSL_SERVER : X509_PURPOSE_SSL_CLIENT);
  X509_STORE_CTX_set_time(verification.get(), 0, KeyClock::to_time_t(now));
  const bool good = X509_verify_cert(verification.get()) == 1;
  const int error = X509_STORE_CTX_get_error(verification.get());
  ERR_clear_error();
  if (!good) throw ConfigError(certificate_path, reason_of(error, certificate, authority_path, role));
}

}  // namespace pollen
