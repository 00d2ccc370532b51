#include "keys/keys.h"

#include <fmt/format.h>

#include "commands.h"
#include "pollen/errors.h"
#include "sink/text.h"
#include "terminal.h"

namespace pollen::app {

namespace {

constexpr int kPort = 50051;

// Splits comma-separated lists: "a,b" and "c" become a, b, c. Empty parts are kept, so that they can be reported.
std::vector<std::string> pieces(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  for (const std::string& word : words)
    for (const std::string_view part : sink::split(word, ',')) out.emplace_back(part);
  return out;
}

const char* role_name(KeyRole role) {
  return role == KeyRole::authority ? "authority" : role == KeyRole::server ? "server" : "client";
}

std::string table(const std::vector<IssuedKey>& issued) {
  sink::TextTable table({"name", "role", "files", "expires", "SHA-256 fingerprint"});
  for (std::size_t column = 1; column < 5; ++column) table.left(column);
  for (const IssuedKey& key : issued)
    table.row({key.name, role_name(key.role), fmt::format("{} {}", key.certificate_path, key.key_path),
               utc_text(key.expires), key.fingerprint});
  return table.text("  ");
}

// Returns instructions on which files to copy to whom. A private key goes to its holder only.
std::string hand_out(const std::vector<IssuedKey>& issued, const std::string& folder) {
  const std::string authority = fmt::format("{}/ca.pem", folder);
  std::string text = "\ncopy\n";
  for (const IssuedKey& key : issued)
    if (key.role != KeyRole::authority)
      text += fmt::format("  to {} {} only: {} {} {}\n", role_name(key.role), key.name, authority, key.certificate_path,
                          key.key_path);
  return text + fmt::format("  to nobody: {}/ca.key signs new names; keep it offline\n", folder);
}

// Returns the commands to start the server and a client with the keys made here.
std::string commands(const std::vector<IssuedKey>& issued, const std::string& server) {
  const auto files = [](const std::string& name) {
    return fmt::format("--ca ca.pem --cert {0}.pem --key {0}.key", name);
  };
  std::string text = "\nthen, where the copies are\n";
  bool client_shown = false;
  for (const IssuedKey& key : issued) {
    if (key.role == KeyRole::server)
      text += fmt::format("  pollen serve CONFIG.toml --listen 0.0.0.0:{} --out DIR {}\n", kPort, files(key.name));
    if (key.role == KeyRole::client && !client_shown)
      text += fmt::format("  pollen join --server {}:{} --data FILE --dry-run {}\n", server.empty() ? "HOST" : server,
                          kPort, files(key.name));
    client_shown = client_shown || key.role == KeyRole::client;
  }
  return text;
}

}  // namespace

bool has_tls() { return true; }

int keys_command(const KeysOptions& options) {
  if (!options.revoked.empty()) {
    if (!options.server.empty() || !options.clients.empty())
      throw ConfigError("--revoke", "found beside --server or --clients, accepted: one of the two");
    const std::string list = revoke_keys(options.folder, pieces(options.revoked));
    print(fmt::format("{} has the revoked certificates; copy it to the server, where serve --crl reads it\n", list));
    return kDone;
  }
  const auto issued = make_keys({.folder = options.folder,
                                 .server = options.server,
                                 .addresses = pieces(options.addresses),
                                 .clients = pieces(options.clients),
                                 .days = options.days});
  std::string folder = options.folder;
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  print(table(issued) + hand_out(issued, folder) + commands(issued, options.server));
  return kDone;
}

}  // namespace pollen::app
