// Who may not take part in a federation although a certificate names it: the certificates in a revocation list (--crl),
// and names that the operator has removed (--without).
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "federation/federation.h"

namespace pollen::app {

class Barred {
 public:
  // Reads the list, if there is one. Throws ConfigError if it cannot be used.
  Barred(std::string list, std::string authority, std::vector<std::string> names);

  // Reads the list again if the file has changed, at most once a second. A file that cannot be used leaves the list as
  // it was, and is told once. Returns whether there is a new list.
  bool renew(const Tell& tell);
  // Says why a client may not take part, or nothing.
  std::string why(const std::string& name, const std::string& serial) const;

 private:
  using Time = std::filesystem::file_time_type;

  std::string list_, authority_;
  std::vector<std::string> names_;
  std::set<std::string> serials_;
  Time read_at_ = {};
  std::chrono::steady_clock::time_point due_ = {};
};

}  // namespace pollen::app
