// Reads the files of keys and certificates, and checks that they belong together: a key with its certificate, and a
// certificate with its authority.
#include <fcntl.h>
#include <fmt/chrono.h>
#include <openssl/err.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "base/file.h"
#include "openssl.h"
#include "pollen/errors.h"

namespace pollen {

namespace keys {

namespace {

// A file being read. All questions go to the file that was opened, not to its name, which may come to mean another
// file.
class OpenFile {
 public:
  explicit OpenFile(const std::string& path) : path_(path), number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (number_ < 0 && (errno == ENOENT || errno == ENOTDIR))
      throw ConfigError(path_, "found no such file, accepted: a file that pollen keys made, or one like it");
    if (number_ < 0 || ::fstat(number_, &status_) != 0) io_failure(path_, "open", errno);
  }
  ~OpenFile() {
    if (number_ >= 0) ::close(number_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  unsigned mode() const { return status_.st_mode & 07777U; }

  std::string text() const {
    constexpr std::size_t kMost = std::size_t{1} << 20;  // room for a bundle of a few hundred certificates
    if (!S_ISREG(status_.st_mode)) throw ConfigError(path_, "found no plain file, accepted: a file in PEM");
    std::string text(kMost + 1, '\0');
    std::size_t used = 0;
    while (used < text.size()) {
      const ssize_t done = ::read(number_, text.data() + used, text.size() - used);
      if (done < 0 && errno != EINTR) io_failure(path_, "read", errno);
      if (done == 0) break;
      used += static_cast<std::size_t>(std::max<ssize_t>(done, 0));
    }
    if (used > kMost) throw ConfigError(path_, "found more than 1 MiB, accepted: a file in PEM");
    text.resize(used);
    return text;
  }

 private:
  std::string path_;
  int number_;
  struct stat status_ {};
};

KeyClock::time_point time_of(const ASN1_TIME* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1)
    throw ConfigError("certificate", "found a date that cannot be read, accepted: a time in the form of X.509");
  return KeyClock::from_time_t(::timegm(&parts));
}

}  // namespace

std::string read_text(const std::string& path) { return OpenFile(path).text(); }

KeyClock::time_point start_of(const X509* certificate) { return time_of(X509_get0_notBefore(certificate)); }
KeyClock::time_point end_of(const X509* certificate) { return time_of(X509_get0_notAfter(certificate)); }

CertificateFacts facts_of(std::string pem, const std::string& where, KeyClock::time_point now) {
  const auto all = parse_certificates(pem, where);
  const X509* holder = all.front().get();
  CertificateFacts facts{name_of(holder, where), fingerprint(holder), start_of(holder), end_of(holder)};
  facts.expired = facts.expires < now;
  facts.serial = serial_of(X509_get_issuer_name(holder), X509_get0_serialNumber(holder));
  facts.pem = std::move(pem);
  return facts;
}

}  // namespace keys

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

CertificateFacts read_certificate(const std::string& path, KeyClock::time_point now) {
  return keys::facts_of(keys::read_text(path), path, now);
}

CertificateFacts shown_certificate(const std::string& pem) {
  return keys::facts_of(pem, "certificate", KeyClock::now());
}

std::string read_key_file(const std::string& path) {
  const keys::OpenFile file(path);
  std::string text = file.text();
  keys::parse_key(text, path);
  if ((file.mode() & 077U) != 0)
    throw ConfigError(path,
                      fmt::format("found a private key that others may read or write (mode {:04o}), accepted: its "
                                  "owner alone (chmod 600 {})",
                                  file.mode(), path));
  return text;
}

std::string utc_text(KeyClock::time_point time) { return fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(time)); }

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
