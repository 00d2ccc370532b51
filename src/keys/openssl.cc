#include "openssl.h"

#include <fmt/format.h>
#include <openssl/err.h>

#include "pollen/errors.h"

namespace pollen::keys {

namespace {

Bio reading(const std::string& text) {
  Bio bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  if (!bio) openssl_failure("take memory");
  return bio;
}

std::string written(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return std::string(data, static_cast<std::size_t>(size));
}

// Refuses a passphrase. Without this, OpenSSL would ask for it on the terminal.
int no_passphrase(char*, int, int, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

bool at_the_end() {
  const unsigned long error = ERR_peek_last_error();
  return ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
}

}  // namespace

std::string last_reason() {
  const unsigned long error = ERR_peek_last_error();
  const char* reason = ERR_reason_error_string(error);
  ERR_clear_error();
  return reason == nullptr ? fmt::format("error {:x}", error) : reason;
}

void openssl_failure(const char* doing) { throw IoError(fmt::format("OpenSSL cannot {}: {}", doing, last_reason())); }

std::vector<Certificate> parse_certificates(const std::string& pem, const std::string& where) {
  constexpr const char* kAccepted = "accepted: a certificate in PEM (-----BEGIN CERTIFICATE-----)";
  ERR_clear_error();
  const Bio bio = reading(pem);
  std::vector<Certificate> all;
  while (Certificate one{PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)}) all.push_back(std::move(one));
  if (!at_the_end())
    throw ConfigError(where, fmt::format("found a damaged certificate ({}), {}", last_reason(), kAccepted));
  ERR_clear_error();
  if (all.empty()) throw ConfigError(where, fmt::format("found no certificate, {}", kAccepted));
  return all;
}

Key parse_key(const std::string& pem, const std::string& where) {
  constexpr const char* kAccepted = "accepted: a key in PEM without a passphrase (-----BEGIN PRIVATE KEY-----)";
  ERR_clear_error();
  const Bio bio = reading(pem);
  bool asked = false;
  Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_passphrase, &asked));
  if (key) return key;
  const std::string reason = last_reason();
  if (asked) throw ConfigError(where, fmt::format("found a private key with a passphrase, {}", kAccepted));
  throw ConfigError(where, fmt::format("found no private key ({}), {}", reason, kAccepted));
}

std::string pem_text(X509* certificate) {
  const Bio bio(BIO_new(BIO_s_mem()));
  if (!bio || PEM_write_bio_X509(bio.get(), certificate) != 1) openssl_failure("write a certificate");
  return written(bio.get());
}

std::string pem_text(EVP_PKEY* key) {
  const Bio bio(BIO_new(BIO_s_secmem()));
  if (!bio || PEM_write_bio_PKCS8PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) != 1)
    openssl_failure("write a private key");
  return written(bio.get());
}

std::string fingerprint(const X509* certificate) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  if (X509_digest(certificate, EVP_sha256(), digest, &size) != 1) openssl_failure("take a fingerprint");
  return fmt::format("{:02X}", fmt::join(digest, digest + size, ":"));
}

}  // namespace pollen::keys
