#include "sink/version.h"

#include <fmt/format.h>

#include "commands.h"
#include "terminal.h"

namespace pollen::app {

int version_command() {
  print(fmt::format("pollen {} (git {}, {}, {})\noptional parts: torch no, cuda no, grpc {}, mpi no, tls {}\n",
                    sink::version(), sink::revision(), sink::build_type(), sink::compiler(), has_grpc() ? "yes" : "no", has_tls() ? "yes" : "no"));
  return kDone;
}

}  // namespace pollen::app
