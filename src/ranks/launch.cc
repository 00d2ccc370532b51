// How this process was started, and the module over MPI. Nothing else of pollen knows MPI.
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <initializer_list>

#include "pollen/errors.h"
#include "ranks/ranks.h"

namespace pollen {

namespace {

constexpr const char* kFileName = "libpollen_mpi.so";
using OpenRanks = Ranks* (*)();

// The first of these variables that is a number.
int number(std::initializer_list<const char*> names, int otherwise) {
  for (const char* name : names)
    if (const char* value = std::getenv(name); value != nullptr && *value >= '0' && *value <= '9')
      return std::atoi(value);
  return otherwise;
}

std::filesystem::path program_folder() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
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

std::string mpi_module() {
  if (const char* named = std::getenv("POLLEN_MPI_MODULE"); named != nullptr && *named != '\0') return named;
  const std::filesystem::path folder = program_folder();
  std::error_code ignored;
  for (const auto& candidate : {folder / kFileName, folder.parent_path() / "lib" / kFileName})
    if (std::filesystem::exists(candidate, ignored)) return candidate.string();
  return {};
}

// Never closed, and its symbols are for all: Open MPI loads parts of itself that look for them.
std::unique_ptr<Ranks> open_ranks() {
  const std::string path = mpi_module();
  const std::string where = fmt::format("mpirun (found {} processes)", launch().size);
  if (path.empty())
    throw ConfigError(where, fmt::format("no {0} in {1} or {1}/../lib: this pollen was built without MPI (Debian: "
                                         "libopenmpi-dev openmpi-bin); accepted: one process",
                                         kFileName, program_folder().string()));
  void* module = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (module == nullptr) {
    const char* why = dlerror();
    throw ConfigError(where, fmt::format("{} cannot be loaded: {}", path, why != nullptr ? why : "no reason given"));
  }
  void* symbol = dlsym(module, "pollen_open_ranks");
  if (symbol == nullptr) throw ConfigError(where, fmt::format("{} is not pollen's module over MPI", path));
  return std::unique_ptr<Ranks>(reinterpret_cast<OpenRanks>(symbol)());
}

}  // namespace pollen
