// The program's entry point: runs a command and turns exceptions into messages and exit codes.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

#include "commands.h"
#include "pollen/errors.h"
#include "terminal.h"

namespace {

int guarded(int argc, char** argv) {
  using namespace pollen;
  try {
    return app::command_line(argc, argv);
  } catch (const ConfigError& error) {
    for (const Problem& problem : error.problems())
      app::tell(problem.where.empty() ? problem.what : problem.where + ": " + problem.what);
    return app::kWrongInput;
  } catch (const std::bad_alloc&) {
    app::tell("out of memory");
  } catch (const std::exception& error) {
    app::tell(error.what());
  }
  return app::kFailed;
}

// Fails if results could not be written to stdout. A reader that went away (| head) is not an error.
int check_output(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  if (errno == EPIPE) return code;
  pollen::app::tell(std::string("standard output: cannot write: ") + std::strerror(errno));
  return code == pollen::app::kDone ? pollen::app::kFailed : code;
}

}  // namespace

int main(int argc, char** argv) {
  // With the signal ignored, a file size limit makes write() fail and is reported like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  const int code = check_output(guarded(argc, argv));
  pollen::app::leave_ranks();
  return code;
}
