// What a run with latents leaves of its clients: DIR/clients/NAME.csv with draws of the latent, and scores of their
// own.
#pragma once

#include "run/experiment.h"
#include "sink/folder.h"
#include "sink/summary.h"

namespace pollen::sink {

struct PersonalOptions {
  Index clients = 200;  // the first so many; others are drawn for no file and no score
  Index draws = 250;    // a chain
  int threads = 1;      // clients are drawn on; files and scores do not depend on it
  bool files = true;    // else scores alone
};

// Draws every client's latent at what was learnt, writes the files, fills summary.clients and summary.metrics: scores
// over all test rows, and how they spread over clients.
void add_personal(Summary& summary, const Experiment& experiment, const RunFolder& folder,
                  const PersonalOptions& options);

// metrics.csv's: nnll_train, and nnll_test where there are test rows.
Scores losses_of(const Experiment& experiment);

// A client's file name: its name with all but letters, digits, '.', '_' and '-' replaced, its number before it.
std::string client_file(Index client, const std::string& name);

}  // namespace pollen::sink
