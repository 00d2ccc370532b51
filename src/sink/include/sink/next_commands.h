// The commands that a user may want after a run: only those that work for this run. The functions are pure.
#pragma once

#include <string>
#include <vector>

#include "sink/summary.h"

namespace pollen::sink {

// What a run has left, and what this program can do with it.
struct Ending {
  std::string folder = {};              // as the user may type it
  std::vector<std::string> files = {};  // names, for people
  bool draws = true;                    // the draws were written (output.draws)
  bool pages = true;                    // this build has the report's page
};

// Returns commands in which FILE stands for a table of rows and REFERENCE for another run.
std::vector<std::string> next_commands(const Summary& summary, const Ending& ending);

// Writes a word as a shell reads it: in quotes if it needs them.
std::string shell_word(const std::string& word);

}  // namespace pollen::sink
