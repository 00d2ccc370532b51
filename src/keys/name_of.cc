// Reads from a certificate whose it is.
#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "openssl.h"
#include "pollen/errors.h"

namespace pollen::keys {

namespace {

using AlternativeNames = std::unique_ptr<GENERAL_NAMES, Releases<GENERAL_NAMES_free>>;

// Returns the text if it may stand in logs and decide who a client is: it is not empty and has no control characters.
std::string checked(std::string name, const char* what, const std::string& where) {
  if (name.empty() || std::ranges::any_of(name, [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; }))
    throw ConfigError(where,
                      fmt::format("found an empty {} or one with control characters, accepted: plain text", what));
  return name;
}

std::vector<std::string> common_names(const X509* certificate, const std::string& where) {
  const X509_NAME* subject = X509_get_subject_name(certificate);
  std::vector<std::string> names;
  for (int at = -1; (at = X509_NAME_get_index_by_NID(subject, NID_commonName, at)) >= 0;) {
    unsigned char* bytes = nullptr;
    const int size = ASN1_STRING_to_UTF8(&bytes, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
    if (size < 0)
      throw ConfigError(
          where, fmt::format("found a common name that cannot be read ({}), accepted: plain text", last_reason()));
    std::string name(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
    OPENSSL_free(bytes);
    names.push_back(checked(std::move(name), "common name", where));
  }
  return names;
}

// The alternative names of a certificate: those of hosts and holders, and IP addresses as text.
struct Alternatives {
  std::vector<std::string> dns, ip;
};

Alternatives alternatives_of(const X509* certificate, const std::string& where) {
  int critical = -1;
  const AlternativeNames list(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, &critical, nullptr)));
  if (!list && critical != -1)  // -1 means that there is no such extension
    throw ConfigError(where, fmt::format("found alternative names that cannot be read ({}), accepted: one list of them",
                                         last_reason()));
  Alternatives out;
  for (int i = 0; list && i < sk_GENERAL_NAME_num(list.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(list.get(), i);
    if (name->type != GEN_DNS && name->type != GEN_IPADD) continue;
    const ASN1_STRING* text = name->type == GEN_DNS ? name->d.dNSName : name->d.iPAddress;
    const unsigned char* bytes = ASN1_STRING_get0_data(text);
    const auto size = static_cast<std::size_t>(ASN1_STRING_length(text));
    std::array<char, INET6_ADDRSTRLEN> address{};
    if (name->type == GEN_DNS)
      out.dns.push_back(checked(std::string(reinterpret_cast<const char*>(bytes), size), "alternative name", where));
    else if (size == 4 || size == 16)
      out.ip.emplace_back(inet_ntop(size == 4 ? AF_INET : AF_INET6, bytes, address.data(), address.size()));
  }
  return out;
}

}  // namespace

std::string name_of(const X509* certificate, const std::string& where) {
  const std::vector<std::string> common = common_names(certificate, where);
  const auto [dns, ip] = alternatives_of(certificate, where);
  const auto has = [&](const std::vector<std::string>& names) {
    return std::ranges::find(names, common.front()) != names.end();
  };
  if (common.size() > 1)
    throw ConfigError(where, fmt::format("found the common names {}, accepted: one", fmt::join(common, ", ")));
  if (common.empty() && dns.size() != 1)
    throw ConfigError(where, fmt::format("found a certificate without a common name and with {} alternative names, "
                                         "accepted: one with the holder's name",
                                         dns.empty() ? "no" : "several"));
  if (common.empty()) return dns.front();
  if (!dns.empty() && !has(dns) && !has(ip))
    throw ConfigError(where, fmt::format("found the common name {} and the alternative names {}, accepted: the same "
                                         "name in both",
                                         common.front(), fmt::join(dns, ", ")));
  return common.front();
}

}  // namespace pollen::keys
