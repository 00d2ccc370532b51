// Finds and opens the module over libtorch. No other part of pollen depends on libtorch.
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "base/module.h"
#include "network/network.h"

namespace pollen {
namespace {

constexpr const char* kFileName = "libpollen_torch.so";

// Set before OpenBLAS and OpenMP are loaded, which read them once. OpenBLAS 0.3.21 takes a processor that is newer than
// itself for one without AVX; and our threads are the parallel ones, not those of a product.
void set_environment() {
  const auto unless_set = [](const char* name, const char* value) { setenv(name, value, /*overwrite=*/0); };
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl"))
    unless_set("OPENBLAS_CORETYPE", "SKYLAKEX");
  else if (__builtin_cpu_supports("avx2"))
    unless_set("OPENBLAS_CORETYPE", "HASWELL");
  unless_set("OPENBLAS_NUM_THREADS", "1");
  unless_set("OMP_NUM_THREADS", "1");
  unless_set("CUBLAS_WORKSPACE_CONFIG", ":4096:8");  // without it cuBLAS may add in a different order each time
}

// Opens the module and never closes it, because libtorch's own threads and tables do not survive unloading.
MakeNetwork open_module() {
  const std::string path = torch_module();
  if (path.empty())
    throw std::runtime_error(
        fmt::format("no {} in {}: this pollen was built without libtorch (Debian: libtorch-dev "
                    "libopenblas0-pthread); POLLEN_TORCH_MODULE may name the file",
                    kFileName, module_folders()));
  if (!std::filesystem::exists(path))
    throw std::runtime_error(fmt::format(
        "{}: no such file (POLLEN_TORCH_MODULE names it; built with libtorch, Debian: libtorch-dev)", path));
  set_environment();
  // The symbols are global because cuDNN loads parts of itself that look for them.
  void* module = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (module == nullptr)
    throw std::runtime_error(
        fmt::format("{} cannot be loaded; is libtorch installed (Debian: libtorch-dev)? {}", path, dlerror()));
  void* symbol = dlsym(module, "pollen_make_network");
  if (symbol == nullptr)
    throw std::runtime_error(
        fmt::format("{}: found a library without pollen_make_network, accepted: {}", path, kFileName));
  return reinterpret_cast<MakeNetwork>(symbol);
}

}  // namespace

std::string torch_module() { return find_module(kFileName, "POLLEN_TORCH_MODULE"); }

std::unique_ptr<Network> make_torch_network(const NetworkSpec& spec) {
  static const MakeNetwork make = open_module();  // if this fails, the next call tries again
  return std::unique_ptr<Network>(make(spec));
}

}  // namespace pollen
