#include "wire_files.h"

#include <fmt/format.h>

#include <charconv>

#include "base/file.h"
#include "base/sha256.h"
#include "pollen/errors.h"

namespace pollen::app {

namespace {

bool is_own(const std::string& host) { return host == "localhost" || host == "[::1]" || host.starts_with("127."); }

}  // namespace

Address address_of(const std::string& option, const std::string& text) {
  const std::size_t colon = text.rfind(':');
  int port = -1;
  if (colon != std::string::npos) {
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data() + colon + 1, last, port);
    if (error != std::errc{} || end != last) port = -1;
  }
  if (colon == 0 || port < 0 || port > 65535)
    throw ConfigError(option, fmt::format("found \"{}\", accepted: HOST:PORT, as in hub.example.org:50051", text));
  return {text.substr(0, colon), port};
}

Identity identity_of(const WireOptions& options, KeyRole role, const Address& address) {
  const bool files = !options.ca.empty() || !options.cert.empty() || !options.key.empty();
  if (options.insecure > 0) {
    if (files) throw ConfigError("--insecure", "found beside --ca, --cert or --key, accepted: one of the two");
    if (!is_own(address.host) && options.insecure < 2)
      throw ConfigError("--insecure",
                        fmt::format("found with {}:{}, which is not this machine: everything would travel in "
                                    "plain text and anybody could join; accepted: --ca, --cert and --key "
                                    "(pollen keys makes them), or --insecure said twice",
                                    address.host, address.port));
    return {};
  }
  if (options.ca.empty() || options.cert.empty() || options.key.empty())
    throw ConfigError("--ca, --cert, --key",
                      "all three are needed (pollen keys makes them), or --insecure on this machine");
  const CertificateFacts facts = read_certificate(options.cert);
  check_pair(options.cert, options.key);
  check_issued_by(options.cert, options.ca, role);
  return {TlsTexts{read_text(options.ca), facts.pem, read_key_file(options.key)}, facts.name,
          hex_as_written(facts.fingerprint).value()};
}

}  // namespace pollen::app
