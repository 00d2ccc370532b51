#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "holder.h"
#include "pollen/errors.h"
#include "staging.h"

namespace pollen {

namespace {

namespace fs = std::filesystem;
using keys::Holder, keys::Subject;
using std::chrono::hours, std::chrono::minutes;

std::string without_slashes(std::string folder) {
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  return folder;
}

// Only the last folder of a path may be new, so that a misspelt path does not scatter keys.
void check_folder(const std::string& folder) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (fs::is_directory(status)) return;
  if (fs::exists(status)) throw ConfigError(folder, "found a file, accepted: a folder, or a path that is free for one");
  const fs::path parent = fs::path(folder).parent_path();
  if (!parent.empty() && !fs::is_directory(fs::status(parent, error)))
    throw ConfigError(folder,
                      fmt::format("found no folder \"{}\" to make it in, accepted: a folder that is there, or a "
                                  "new one in it",
                                  parent.string()));
}

void check_free(const std::string& folder, const KeyRequest& request) {
  Problems problems;
  std::vector<std::string> names = request.clients;
  if (!request.server.empty()) names.insert(names.begin(), request.server);
  for (const std::string& name : names)
    for (const char* ending : {"pem", "key"})
      if (const std::string path = keys::file_in(folder, name, ending); keys::is_there(path))
        problems.add(path, keys::kTaken);
  problems.raise();
}

// Makes all keys of the request. If the authority is new, it comes first.
std::vector<Holder> make_holders(const std::string& folder, const KeyRequest& request) {
  const auto starts = request.now - minutes(5);  // clocks of other machines may be a little slow
  const auto ends = request.now + hours(24) * request.days;
  std::vector<Holder> made;
  made.reserve(2 + request.clients.size());  // the vector must not move the authority, to which a reference is kept
  std::optional<Holder> stored = keys::stored_authority(folder, request.now);
  if (!stored && request.server.empty())
    throw ConfigError("--server",
                      fmt::format("found none, and no ca.pem in {} to add to; accepted: the server's name", folder));
  if (!stored)
    made.push_back(keys::make_authority(request.server, starts, request.now + hours(24) * KeyRequest::kMostDays));
  const Holder& authority = stored ? *stored : made.front();
  const auto add = [&](KeyRole role, const std::string& name, const std::string& names) {
    const Subject subject{.role = role, .name = name, .alternative_names = names, .starts = starts, .ends = ends};
    made.push_back(keys::make_holder(subject, authority));
  };
  if (!request.server.empty()) add(KeyRole::server, request.server, keys::server_names(request));
  for (const std::string& client : request.clients) add(KeyRole::client, client, keys::client_names(client));
  return made;
}

}  // namespace

std::vector<IssuedKey> make_keys(const KeyRequest& request) {
  keys::check_request(request);
  const std::string folder = without_slashes(request.folder);
  check_folder(folder);
  check_free(folder, request);
  const std::vector<Holder> made = make_holders(folder, request);
  keys::Staging staging(folder);
  std::vector<IssuedKey> issued;
  for (const Holder& holder : made) {
    staging.add(fmt::format("{}.key", holder.name), keys::pem_text(holder.key.get()), 0600);
    staging.add(fmt::format("{}.pem", holder.name), keys::pem_text(holder.certificate.get()), 0644);
    issued.push_back({holder.name, holder.role, keys::file_in(folder, holder.name, "pem"),
                      keys::file_in(folder, holder.name, "key"), keys::fingerprint(holder.certificate.get()),
                      keys::end_of(holder.certificate.get())});
  }
  staging.publish();
  return issued;
}

}  // namespace pollen
