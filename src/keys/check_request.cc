#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "holder.h"
#include "pollen/errors.h"

namespace pollen::keys {

namespace {

constexpr const char* kName =
    "accepted: 1 to 64 characters of A-Z a-z 0-9 . _ -, the first neither . nor -, and not \"ca\"";
constexpr const char* kAddress =
    "accepted: a host name (hub.example.org) or an IP address (10.0.0.7, fd00::7), without a port";

// This is not isalnum, because the accepted characters must not depend on the locale.
bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

bool is_word(const std::string& text, std::size_t most) {
  return !text.empty() && text.size() <= most && text.front() != '.' && text.front() != '-' &&
         std::ranges::all_of(text, is_name_character);
}

// Recognises mistyped addresses such as 10.0.0.300, which would pass as host names that no client can connect to.
bool is_broken_ip(const std::string& text) {
  return text.find_first_not_of("0123456789.") == std::string::npos && text.find('.') != std::string::npos &&
         !is_ip(text);
}

std::string entry(const std::string& name) { return fmt::format("{}:{}", is_ip(name) ? "IP" : "DNS", name); }

// Makes a name safe for the user's terminal: control characters are shown as their codes.
std::string shown(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    out += code < 0x20 || code == 0x7f ? fmt::format("\\x{:02x}", code) : std::string(1, c);
  }
  return out;
}

}  // namespace

bool is_ip(const std::string& text) {
  unsigned char bytes[sizeof(in6_addr)];
  return inet_pton(AF_INET, text.c_str(), bytes) == 1 || inet_pton(AF_INET6, text.c_str(), bytes) == 1;
}

void check_request(const KeyRequest& request) {
  Problems problems;
  std::set<std::string> seen;
  const auto check_name = [&](const char* option, const std::string& name) {
    if (!is_word(name, 64) || name == "ca")
      problems.add(option, fmt::format("found \"{}\", {}", shown(name), kName));
    else if (!seen.insert(name).second)
      problems.add(option, fmt::format("found \"{}\" twice, accepted: every name once", name));
  };
  if (request.folder.empty()) problems.add("DIR", "found \"\", accepted: a folder's path");
  if (request.server.empty() && request.clients.empty())
    problems.add("keys", "found neither --server nor --clients, accepted: one of the two at least");
  if (!request.server.empty()) check_name("--server", request.server);
  if (is_broken_ip(request.server))
    problems.add("--server", fmt::format("found \"{}\", which is no IP address; {}", request.server, kAddress));
  for (const std::string& client : request.clients) check_name("--clients", client);
  for (const std::string& address : request.addresses)
    if (!is_ip(address) && (!is_word(address, 253) || is_broken_ip(address)))
      problems.add("--address", fmt::format("found \"{}\", {}", shown(address), kAddress));
  if (request.server.empty() && !request.addresses.empty())
    problems.add("--address", "found without --server: only a server's certificate has addresses");
  if (request.days < 1 || request.days > KeyRequest::kMostDays)
    problems.add("--days", fmt::format("found {}, accepted: 1 to {}", request.days, KeyRequest::kMostDays));
  problems.raise();
}

std::string server_names(const KeyRequest& request) {
  std::vector<std::string> names = {entry(request.server)};
  const auto add = [&](const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  add("DNS:localhost");
  add("IP:127.0.0.1");
  for (const std::string& address : request.addresses) add(entry(address));
  return fmt::format("{}", fmt::join(names, ","));
}

std::string client_names(const std::string& name) { return fmt::format("DNS:{}", name); }

}  // namespace pollen::keys
