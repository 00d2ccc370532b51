// What the program says in place of the parts that this build lacks. CMake defines POLLEN_WITH_... for those it has.
#include "dashboard.h"
#include "monitor.h"
#include "pollen/errors.h"

namespace pollen::app {

namespace {

[[noreturn, maybe_unused]] void refuse(const char* what, const std::string& part, const std::string& packages) {
  throw ConfigError(what, "found a build of pollen without " + part + " (Debian: " + packages +
                              "), accepted: one made by `make full`, which installs and builds everything");
}

}  // namespace

#ifndef POLLEN_WITH_HTTP
std::unique_ptr<Dashboard> open_dashboard(const DashboardOptions& options, const std::string&) {
  if (!options.port) return nullptr;
  refuse("--dashboard", "an HTTP server", "libcpp-httplib-dev");
}
#endif

#ifndef POLLEN_WITH_METRICS
std::unique_ptr<MetricsServer> serve_metrics(const std::string&, int, const Monitor&) {
  refuse("--metrics", "an HTTP server for metrics", "libcpp-httplib-dev prometheus-cpp-dev");
}
#endif

#ifndef POLLEN_WITH_TLS
bool has_tls() { return false; }
int keys_command(const KeysOptions&) { refuse("keys", "TLS", "libssl-dev"); }
#endif

#ifndef POLLEN_WITH_GRPC
bool has_grpc() { return false; }
int serve_command(const ServeOptions&) { refuse("serve", "gRPC", "libgrpc++-dev"); }
int join_command(const JoinOptions&) { refuse("join", "gRPC", "libgrpc++-dev"); }
#endif

}  // namespace pollen::app
