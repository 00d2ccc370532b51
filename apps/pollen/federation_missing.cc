// Used in builds without gRPC: the commands exist and say what is missing.
#include "commands.h"
#include "pollen/errors.h"

namespace pollen::app {

namespace {

[[noreturn]] int refuse(const char* command) {
  throw ConfigError(command, "this build of pollen has no gRPC; `make full` installs it and builds everything");
}

}  // namespace

bool has_grpc() { return false; }

int serve_command(const ServeOptions&) { refuse("serve"); }
int join_command(const JoinOptions&) { refuse("join"); }

}  // namespace pollen::app
