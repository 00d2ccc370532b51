#include "pollen/version.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/file.h"
#include "commands.h"
#include "network/network.h"
#include "ranks/ranks.h"
#include "terminal.h"

namespace pollen::app {

namespace {

const char* yes(bool there) { return there ? "yes" : "no"; }

bool is_there(const std::string& file) {
  std::error_code none;
  return !file.empty() && std::filesystem::exists(file, none);
}

// Tells whether the torch module is built for GPUs. The module is not loaded; its file names the libraries it needs.
bool computes_on_gpus(const std::string& module) {
  return !module.empty() && read_text(module).find("libtorch_cuda.so") != std::string::npos;
}

}  // namespace

int version_command() {
  std::string module = torch_module();
  if (!is_there(module)) module.clear();  // the module is configured, but its file is missing
  print(fmt::format("pollen {} (git {}, {}, {})\noptional parts: torch {}, cuda {}, grpc {}, mpi {}, tls {}\n",
                    version(), revision(), build_type(), compiler(), yes(!module.empty()),
                    yes(computes_on_gpus(module)), yes(has_grpc()), yes(is_there(mpi_module())), yes(has_tls())));
  return kDone;
}

}  // namespace pollen::app
