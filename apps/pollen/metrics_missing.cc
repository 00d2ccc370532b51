// Used in builds without cpp-httplib or prometheus-cpp: --metrics exists and says what is missing.
#include "monitor.h"
#include "pollen/errors.h"

namespace pollen::app {

std::unique_ptr<MetricsServer> serve_metrics(const std::string&, const Monitor&) {
  throw ConfigError("--metrics",
                    "this build of pollen has no HTTP server (Debian: libcpp-httplib-dev prometheus-cpp-dev); "
                    "`make full` installs them and builds everything");
}

}  // namespace pollen::app
