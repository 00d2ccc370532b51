#include "holder.h"

#include <fmt/format.h>
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
