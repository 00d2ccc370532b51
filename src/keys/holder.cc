#include "holder.h"

#include <fmt/format.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <sys/stat.h>

#include <algorithm>

#include "pollen/errors.h"

namespace pollen::keys {

namespace {

void check_fit(const Holder& authority, const CertificateFacts& facts, const std::string& path) {
  if (X509_check_ca(authority.certificate.get()) != 1)
    throw ConfigError(path, "found a certificate that may not sign others, accepted: an authority's");
  if (facts.expired)
    throw ConfigError(path,
                      fmt::format("found an authority that expired on {}, accepted: one valid now; make a new one "
                                  "in another folder",
                                  utc_text(facts.expires)));
}

using Number = std::unique_ptr<BIGNUM, Releases<BN_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Releases<X509_EXTENSION_free>>;

void must(bool done, const char* doing = "make a certificate") {
  if (!done) openssl_failure(doing);
}

// Sets a random serial number, so that authorities that are made repeatedly never issue the same number twice. A number
// of 127 bits is positive and fits into twenty octets.
void set_serial(X509* certificate) {
  const Number number(BN_new());
  must(number && BN_rand(number.get(), 127, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) == 1, "draw a serial number");
  must(BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr);
}

void set_times(X509* certificate, const Subject& subject) {
  must(ASN1_TIME_set(X509_getm_notBefore(certificate), KeyClock::to_time_t(subject.starts)) != nullptr);
  must(ASN1_TIME_set(X509_getm_notAfter(certificate), KeyClock::to_time_t(subject.ends)) != nullptr);
}

void add_to_name(X509_NAME* name, const char* field, const std::string& value) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(value.data());
  must(X509_NAME_add_entry_by_txt(name, field, MBSTRING_ASC, bytes, static_cast<int>(value.size()), -1, 0) == 1);
}

void set_names(X509* certificate, const Subject& subject, const X509* issuer) {
  X509_NAME* name = X509_get_subject_name(certificate);
  if (!subject.organization.empty()) add_to_name(name, "O", subject.organization);
  if (!subject.name.empty()) add_to_name(name, "CN", subject.name);
  must(X509_set_issuer_name(certificate, issuer == nullptr ? name : X509_get_subject_name(issuer)) == 1);
}

void add_extensions(X509* certificate, const Subject& subject, X509* issuer) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer == nullptr ? certificate : issuer, certificate, nullptr, nullptr, 0);
  const auto add = [&](int kind, const std::string& value) {
    const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
    must(extension && X509_add_ext(certificate, extension.get(), -1) == 1, "add an extension");
  };
  const bool authority = subject.role == KeyRole::authority;
  add(NID_basic_constraints, authority ? "critical,CA:TRUE,pathlen:0" : "critical,CA:FALSE");
  add(NID_key_usage, authority ? "critical,keyCertSign,cRLSign" : "critical,digitalSignature");
  if (!authority) add(NID_ext_key_usage, subject.role == KeyRole::server ? "serverAuth" : "clientAuth");
  if (!subject.alternative_names.empty()) add(NID_subject_alt_name, subject.alternative_names);
  // Comes before the authority's identifier, which a self-signed certificate copies from it.
  add(NID_subject_key_identifier, "hash");
  add(NID_authority_key_identifier, "keyid:always");
}

Key make_key() {
  Key key(EVP_EC_gen("P-256"));
  must(key != nullptr, "make a key");
  return key;
}

// Makes a certificate for the public half of `key`. An authority signs itself: pass its own key and no issuer.
Certificate sign(const Subject& subject, EVP_PKEY* key, X509* issuer, EVP_PKEY* issuer_key) {
  Certificate certificate(X509_new());
  must(certificate && X509_set_version(certificate.get(), X509_VERSION_3) == 1);
  set_serial(certificate.get());
  set_times(certificate.get(), subject);
  set_names(certificate.get(), subject, issuer);
  must(X509_set_pubkey(certificate.get(), key) == 1);
  add_extensions(certificate.get(), subject, issuer);
  must(X509_sign(certificate.get(), issuer_key, EVP_sha256()) > 0, "sign a certificate");
  return certificate;
}

}  // namespace

std::string file_in(const std::string& folder, const std::string& name, const char* ending) {
  return fmt::format("{}/{}.{}", folder, name, ending);
}

bool is_there(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

std::optional<Holder> stored_authority(const std::string& folder, KeyClock::time_point now) {
  const std::string pem = file_in(folder, "ca", "pem"), key = file_in(folder, "ca", "key");
  const bool has_pem = is_there(pem), has_key = is_there(key);
  if (!has_pem && !has_key) return std::nullopt;
  if (!has_pem || !has_key)
    throw ConfigError(has_pem ? key : pem, fmt::format("found no such file beside {}, accepted: both of them, to sign "
                                                       "with, or neither, to make a new authority",
                                                       has_pem ? pem : key));
  const CertificateFacts facts = read_certificate(pem, now);
  check_pair(pem, key);
  Holder authority{"ca", KeyRole::authority, parse_key(read_key_file(key), key),
                   std::move(parse_certificates(facts.pem, pem).front())};
  check_fit(authority, facts, pem);
  return authority;
}

Holder make_authority(const std::string& federation, KeyClock::time_point starts, KeyClock::time_point ends) {
  const Subject subject{.role = KeyRole::authority,
                        .name = "pollen authority",
                        .organization = federation,
                        .starts = starts,
                        .ends = ends};
  Key key = make_key();
  Certificate certificate = sign(subject, key.get(), nullptr, key.get());
  return {"ca", KeyRole::authority, std::move(key), std::move(certificate)};
}

Holder make_holder(Subject subject, const Holder& authority) {
  subject.ends = std::min(subject.ends, end_of(authority.certificate.get()));
  Key key = make_key();
  Certificate certificate = sign(subject, key.get(), authority.certificate.get(), authority.key.get());
  return {subject.name, subject.role, std::move(key), std::move(certificate)};
}

}  // namespace pollen::keys
