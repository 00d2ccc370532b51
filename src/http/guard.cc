#include "http/guard.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace pollen::http {

bool is_loopback(const std::string& host) {
  in_addr four{};
  if (::inet_pton(AF_INET, host.c_str(), &four) == 1) return (ntohl(four.s_addr) >> 24) == 127;
  in6_addr six{};
  if (::inet_pton(AF_INET6, host.c_str(), &six) == 1) return IN6_IS_ADDR_LOOPBACK(&six);
  return host == "localhost";
}

namespace {

// Returns the host of a Host header in lower case, without port and brackets; nothing if it is not well-formed.
std::string host_in(std::string_view host_header) {
  std::string host(host_header.substr(0, 256));
  std::string_view port;
  const std::size_t colon = host_header.rfind(':');
  const bool bracketed = host_header.starts_with('[');
  if (colon != std::string_view::npos && (!bracketed || (colon > 0 && host_header[colon - 1] == ']'))) {
    host = host_header.substr(0, std::min<std::size_t>(colon, 256));
    port = host_header.substr(colon + 1);
  }
  if (!std::ranges::all_of(port, [](char c) { return c >= '0' && c <= '9'; })) return {};
  if (bracketed && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  std::ranges::transform(host, host.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return host;
}

}  // namespace

bool names_loopback(std::string_view host_header) { return is_loopback(host_in(host_header)); }

bool names_this_machine(std::string_view host_header, const std::string& own) {
  const std::string host = host_in(host_header);
  in6_addr address{};
  const bool number =
      ::inet_pton(AF_INET, host.c_str(), &address) == 1 || ::inet_pton(AF_INET6, host.c_str(), &address) == 1;
  std::array<char, 256> name{};
  const bool named = ::gethostname(name.data(), name.size() - 1) == 0 && name[0] != 0;
  return number || is_loopback(host) || (!host.empty() && host == host_in(own)) ||
         (named && host == host_in(name.data()));
}

bool same_secret(std::string_view a, std::string_view b) {
  std::size_t differs = a.size() ^ b.size();
  for (std::size_t i = 0; i < b.size(); ++i)
    differs |= static_cast<unsigned char>(i < a.size() ? a[i] : 0) ^ static_cast<unsigned char>(b[i]);
  return differs == 0;
}

}  // namespace pollen::http
