// Used in builds without cpp-httplib: --dashboard exists and says what is missing.
#include "dashboard.h"
#include "pollen/errors.h"

namespace pollen::app {

std::unique_ptr<Dashboard> open_dashboard(const DashboardOptions& options, const std::string&) {
  if (!options.port) return nullptr;
  throw ConfigError("--dashboard",
                    "this build of pollen has no HTTP server (Debian: libcpp-httplib-dev); `make full` installs it and "
                    "builds everything");
}

}  // namespace pollen::app
