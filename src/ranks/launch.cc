// Finds out how this process was started and loads the MPI module. No other part of the library knows about MPI.
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <initializer_list>

#include "base/module.h"
#include "pollen/errors.h"
#include "ranks/ranks.h"

namespace pollen {

namespace {

constexpr const char* kFileName = "libpollen_mpi.so";
using OpenRanks = Ranks* (*)();

// Returns the value of the first environment variable that is a number.
int number(std::initializer_list<const char*> names, int otherwise) {
  for (const char* name : names)
    if (const char* value = std::getenv(name); value != nullptr && *value >= '0' && *value <= '9')
      return std::atoi(value);
  return otherwise;
}

}  // namespace

Launch launch() {
  Launch launch;
  launch.size = number({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}, 1);
  if (std::getenv("PMIX_RANK") != nullptr && launch.size == 1)
    launch.size = number({"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"}, 1);
  launch.rank = number({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}, 0);
  return launch;
}

std::string mpi_module() { return find_module(kFileName, "POLLEN_MPI_MODULE"); }

// The module is never closed and its symbols are global, because Open MPI loads parts of itself that look for them.
std::unique_ptr<Ranks> open_ranks() {
  const std::string path = mpi_module();
  const std::string where = fmt::format("mpirun (found {} processes)", launch().size);
  if (path.empty())
    throw ConfigError(where, fmt::format("no {} in {}: this pollen was built without MPI (Debian: libopenmpi-dev "
                                         "openmpi-bin); accepted: one process",
                                         kFileName, module_folders()));
  void* module = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (module == nullptr) {
    const char* why = dlerror();
    throw ConfigError(where, fmt::format("{} cannot be loaded: {}", path, why != nullptr ? why : "no reason given"));
  }
  void* symbol = dlsym(module, "pollen_open_ranks");
  if (symbol == nullptr)
    throw ConfigError(where, fmt::format("found no function pollen_open_ranks in {}, accepted: the {} of this build",
                                         path, kFileName));
  return std::unique_ptr<Ranks>(reinterpret_cast<OpenRanks>(symbol)());
}

}  // namespace pollen
