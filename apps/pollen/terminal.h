// Where text for people goes.
#pragma once

#include <functional>
#include <string_view>

#include "pollen/run.h"

namespace pollen::app {

void print(std::string_view text);      // results, to stdout
void tell(std::string_view text);       // a line for people, to stderr, with "pollen: " before it
void to_stderr(std::string_view text);  // as it is; a reader that went away does not matter
bool stderr_is_terminal();
int stderr_width();
bool stdout_is_terminal();
int stdout_width();
// Draws a run's progress on stderr: a bar on a terminal, plain lines elsewhere.
std::function<void(const RunProgress&)> progress_on_stderr();
bool wants_colour();  // of stdout: a terminal, and NO_COLOR is not set

}  // namespace pollen::app
