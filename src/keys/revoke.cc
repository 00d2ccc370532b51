// Revocation lists: which certificates of an authority are no longer good.
#include <fmt/format.h>
#include <openssl/err.h>

#include <algorithm>

#include "base/file.h"
#include "holder.h"
#include "pollen/errors.h"

namespace pollen {

namespace keys {

namespace {

using List = std::unique_ptr<X509_CRL, Releases<X509_CRL_free>>;
using Revocation = std::unique_ptr<X509_REVOKED, Releases<X509_REVOKED_free>>;
using ListTime = std::unique_ptr<ASN1_TIME, Releases<ASN1_TIME_free>>;

void listed(bool done) {
  if (!done) openssl_failure("make a revocation list");
}

ListTime list_time(KeyClock::time_point time) {
  ListTime out(ASN1_TIME_set(nullptr, KeyClock::to_time_t(time)));
  listed(out != nullptr);
  return out;
}

// Parses all lists of a PEM text; each must be signed by one of the authorities.
std::vector<List> parse_lists(const std::string& pem, const std::string& where,
                              const std::vector<Certificate>& authorities) {
  constexpr const char* kAccepted = "accepted: a revocation list in PEM (-----BEGIN X509 CRL-----)";
  ERR_clear_error();
  const Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  if (!bio) openssl_failure("take memory");
  std::vector<List> lists;
  while (List one{PEM_read_bio_X509_CRL(bio.get(), nullptr, nullptr, nullptr)}) lists.push_back(std::move(one));
  const unsigned long error = ERR_peek_last_error();
  if (ERR_GET_REASON(error) != PEM_R_NO_START_LINE)
    throw ConfigError(where, fmt::format("found a damaged revocation list ({}), {}", last_reason(), kAccepted));
  ERR_clear_error();
  if (lists.empty()) throw ConfigError(where, fmt::format("found no revocation list, {}", kAccepted));
  for (const List& list : lists) {
    const bool known = std::ranges::any_of(authorities, [&](const Certificate& authority) {
      return X509_CRL_verify(list.get(), X509_get0_pubkey(authority.get())) == 1;
    });
    ERR_clear_error();
    if (!known) throw ConfigError(where, "found a revocation list of another authority, accepted: one of that in --ca");
  }
  return lists;
}

// Opens the folder's list, or begins one.
List list_of(const std::string& path, const Holder& authority) {
  if (is_there(path)) {
    std::vector<Certificate> signers;
    signers.push_back(std::move(parse_certificates(pem_text(authority.certificate.get()), path).front()));
    return std::move(parse_lists(read_text(path), path, signers).front());
  }
  List list(X509_CRL_new());
  listed(list && X509_CRL_set_version(list.get(), X509_CRL_VERSION_2) == 1);
  listed(X509_CRL_set_issuer_name(list.get(), X509_get_subject_name(authority.certificate.get())) == 1);
  return list;
}

void revoke(X509_CRL* list, X509* certificate, KeyClock::time_point now) {
  X509_REVOKED* found = nullptr;
  if (X509_CRL_get0_by_cert(list, &found, certificate) == 1) return;  // it is there already
  Revocation entry(X509_REVOKED_new());
  listed(entry && X509_REVOKED_set_serialNumber(entry.get(), X509_get_serialNumber(certificate)) == 1);
  listed(X509_REVOKED_set_revocationDate(entry.get(), list_time(now).get()) == 1);
  listed(X509_CRL_add0_revoked(list, entry.get()) == 1);
  static_cast<void>(entry.release());  // the list owns it now
}

std::string signed_text(X509_CRL* list, const Holder& authority, KeyClock::time_point now) {
  listed(X509_CRL_set1_lastUpdate(list, list_time(now).get()) == 1);
  listed(X509_CRL_set1_nextUpdate(list, X509_get0_notAfter(authority.certificate.get())) == 1);
  listed(X509_CRL_sort(list) == 1 && X509_CRL_sign(list, authority.key.get(), EVP_sha256()) > 0);
  const Bio bio(BIO_new(BIO_s_mem()));
  listed(bio && PEM_write_bio_X509_CRL(bio.get(), list) == 1);
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return std::string(data, static_cast<std::size_t>(size));
}

}  // namespace

std::string serial_of(const X509_NAME* issuer, const ASN1_INTEGER* number) {
  const unsigned char* name = nullptr;
  std::size_t size = 0;
  X509_NAME_get0_der(issuer, &name, &size);
  const unsigned char* digits = ASN1_STRING_get0_data(number);
  return fmt::format("{:02x}/{:02x}", fmt::join(name, name + size, ""),
                     fmt::join(digits, digits + ASN1_STRING_length(number), ""));
}

std::set<std::string> revoked_in(const std::string& pem, const std::string& where,
                                 const std::vector<Certificate>& authorities) {
  std::set<std::string> serials;
  for (const List& list : parse_lists(pem, where, authorities)) {
    STACK_OF(X509_REVOKED)* entries = X509_CRL_get_REVOKED(list.get());
    for (int i = 0; i < sk_X509_REVOKED_num(entries); ++i)
      serials.insert(serial_of(X509_CRL_get_issuer(list.get()),
                               X509_REVOKED_get0_serialNumber(sk_X509_REVOKED_value(entries, i))));
  }
  return serials;
}

}  // namespace keys

std::string revoke_keys(const std::string& folder, const std::vector<std::string>& names, KeyClock::time_point now) {
  const auto authority = keys::stored_authority(folder, now);
  if (!authority)
    throw ConfigError(folder, "found no authority to sign with, accepted: a folder with ca.pem and ca.key");
  const std::string path = keys::file_in(folder, "crl", "pem");
  const auto list = keys::list_of(path, *authority);
  for (const std::string& name : names) {
    const std::string file = keys::file_in(folder, name, "pem");
    const auto certificate = std::move(keys::parse_certificates(keys::read_text(file), file).front());
    const bool own = X509_verify(certificate.get(), X509_get0_pubkey(authority->certificate.get())) == 1;
    ERR_clear_error();
    if (!own) throw ConfigError(file, "found a certificate of another authority, accepted: one that ca.pem has signed");
    keys::revoke(list.get(), certificate.get(), now);
  }
  replace_file(path, keys::signed_text(list.get(), *authority, now));
  return path;
}

std::set<std::string> read_revocations(const std::string& path, const std::string& authority_path) {
  return keys::revoked_in(keys::read_text(path), path,
                          keys::parse_certificates(keys::read_text(authority_path), authority_path));
}

}  // namespace pollen
