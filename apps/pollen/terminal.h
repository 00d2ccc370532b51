// Output for people: results on stdout; messages and progress on stderr. They are separate, so that results can be
// piped into a file or another program.
#pragma once

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

}  // namespace pollen::app
