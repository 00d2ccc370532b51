#include "barred.h"

#include <fmt/format.h>

#include <algorithm>

#include "keys/keys.h"
#include "pollen/errors.h"

namespace pollen::app {

Barred::Barred(std::string list, std::string authority, std::vector<std::string> names)
    : list_(std::move(list)), authority_(std::move(authority)), names_(std::move(names)) {
  if (list_.empty()) return;
  if (authority_.empty()) throw ConfigError("--crl", "found with --insecure, accepted: with --ca, --cert and --key");
  std::error_code none;
  read_at_ = std::filesystem::last_write_time(list_, none);
  serials_ = read_revocations(list_, authority_);
}

bool Barred::renew(const Tell& tell) {
  const auto now = std::chrono::steady_clock::now();
  if (list_.empty() || now < due_) return false;
  due_ = now + std::chrono::seconds(1);
  std::error_code none;
  const Time changed = std::filesystem::last_write_time(list_, none);
  if (none || changed == read_at_) return false;
  read_at_ = changed;
  try {
    serials_ = read_revocations(list_, authority_);
    return true;
  } catch (const std::exception& error) {
    tell({"warning",
          fmt::format("the revocation list stays as it was: {}", error.what()),
          {},
          {},
          Notice::Level::warning});
    return false;
  }
}

std::string Barred::why(const std::string& name, const std::string& serial) const {
  if (std::ranges::count(names_, name) > 0) return "it was removed from this run (serve --without)";
  return serials_.contains(serial) ? "its certificate is revoked" : std::string();
}

}  // namespace pollen::app
