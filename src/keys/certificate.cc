#include "certificate.h"

#include <openssl/bn.h>
#include <openssl/ec.h>

namespace pollen::keys {

namespace {

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
  add_to_name(name, "CN", subject.name);
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

}  // namespace

Key make_key() {
  Key key(EVP_EC_gen("P-256"));
  must(key != nullptr, "make a key");
  return key;
}

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

}  // namespace pollen::keys
