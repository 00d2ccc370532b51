// The terminal and its signals. Results go to stdout, messages and progress to stderr, so that results can be piped
// into a file or another program.
#pragma once

#include <atomic>
#include <functional>
#include <string_view>

#include "pollen/run.h"

namespace pollen::app {

void print(std::string_view text);      // writes results to stdout
void tell(std::string_view text);       // writes a line for people to stderr, preceded by "pollen: "
void to_stderr(std::string_view text);  // writes the text as it is; a reader that went away is ignored
bool stderr_is_terminal();
int stderr_width();
bool stdout_is_terminal();
int stdout_width();
// Draws a run's progress on stderr: a bar on a terminal, plain lines elsewhere.
std::function<void(const RunProgress&)> progress_on_stderr();
bool wants_colour();  // whether stdout is a terminal and NO_COLOR is not set

// Ctrl-C and SIGTERM set a flag that the sampling loop checks. A second signal ends the program at once. The flag may
// be read from any thread.
void watch_signals();           // from now on, these signals set the flag
void watch_forwarded_signal();  // SIGUSR1 sets it too: mpirun and Slurm forward it without ending the job
void ignore_signals();          // for ranks that stop when rank 0 tells them
bool interrupted();             // whether a signal has arrived
const std::atomic<bool>& stop_flag();

}  // namespace pollen::app
