#include "base/module.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

namespace pollen {

namespace fs = std::filesystem;

namespace {

// The folder of libpollen.so if this code was loaded from it, else empty. A program that links the library can be
// anywhere, but the modules were installed with the library.
fs::path library_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&find_module), &info) == 0 || info.dli_fname == nullptr) return {};
  const fs::path file = info.dli_fname;
  std::error_code ignored;
  return file.filename().string().starts_with("libpollen.") ? fs::weakly_canonical(file, ignored).parent_path()
                                                            : fs::path();
}

std::vector<fs::path> folders() {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  std::vector<fs::path> all = {program, program.parent_path() / "lib", program.parent_path() / POLLEN_LIBDIR};
  if (all[2] == all[1]) all.pop_back();
  if (const fs::path library = library_folder(); !library.empty()) all.push_back(library);
  return all;
}

}  // namespace

std::string find_module(const char* name, const char* variable) {
  if (const char* named = std::getenv(variable); named != nullptr && *named != '\0') return named;
  std::error_code ignored;
  for (const fs::path& folder : folders())
    if (fs::exists(folder / name, ignored)) return (folder / name).string();
  return {};
}

std::string module_folders() {
  std::string text;
  for (const fs::path& folder : folders()) text += (text.empty() ? "" : " or ") + folder.string();
  return text;
}

}  // namespace pollen
