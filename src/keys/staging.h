// New files that appear together or not at all, and never in place of others.
//
// They are written and synced in a hidden folder inside the one they are for, then linked to their names: a link,
// unlike a rename, fails where the name is taken. Without publish(), or where it fails, nothing is left, the folder
// itself included where it was made here. A process that is killed leaves at most the hidden folder, or some of the
// links in the order given.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace pollen::keys {

class Staging {
 public:
  explicit Staging(std::string folder);  // made with mode 0700 where it is not there
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  void add(const std::string& name, const std::string& text, mode_t mode);
  void publish();  // ConfigError where a name has been taken in the meantime

 private:
  std::string final_path(const std::string& name) const { return folder_ + "/" + name; }
  std::string hidden_path(const std::string& name) const { return hidden_ + "/" + name; }

  std::string folder_, hidden_;
  bool made_folder_ = false, published_ = false;
  std::vector<std::string> names_;
  std::size_t linked_ = 0;  // of names_, the first so many have their final names
};

// What is said of a name that is taken.
inline constexpr const char* kTaken =
    "found a file that is there already, accepted: names not used yet; keys are never replaced";

}  // namespace pollen::keys
