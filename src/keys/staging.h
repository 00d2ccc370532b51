// Creates new files that appear together or not at all, and never replace others.
//
// The files are written and synced in a hidden folder inside their final folder, and are then linked to their names;
// unlike a rename, a link fails if the name is taken. Without publish(), or if it fails, nothing is left, and a final
// folder that was made here is removed too. A process that is killed leaves at most the hidden folder, or some of the
// links in the order given.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace pollen::keys {

class Staging {
 public:
  explicit Staging(std::string folder);  // made with mode 0700 if it does not exist
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  void add(const std::string& name, const std::string& text, mode_t mode);
  void publish();  // throws ConfigError if a name has been taken in the meantime

 private:
  std::string final_path(const std::string& name) const { return folder_ + "/" + name; }
  std::string hidden_path(const std::string& name) const { return hidden_ + "/" + name; }

  std::string folder_, hidden_;
  bool made_folder_ = false, published_ = false;
  std::vector<std::string> names_;
  std::size_t linked_ = 0;  // number of names_ that have their final names already
};

// The error text for a name that is taken.
inline constexpr const char* kTaken =
    "found a file that is there already, accepted: names not used yet; keys are never replaced";

}  // namespace pollen::keys
