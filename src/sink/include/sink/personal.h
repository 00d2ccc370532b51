// What a run leaves about single clients: DIR/clients.json for every run and, for a run with latents,
// DIR/clients/NAME.csv with draws of the latent, and scores per client.
#pragma once

#include "run/experiment.h"
#include "sink/folder.h"
#include "sink/summary.h"

namespace pollen::sink {

// Makes DIR/clients.json, which says when clients took part and how many training rows of each label they have, for at
// most 200 groups of clients.
std::string client_tables(const Experiment& experiment);

struct PersonalOptions {
  Index clients = 200;   // only the first so many clients get files and scores
  Index draws = 250;     // draws per chain
  int threads = 1;       // for drawing; files and scores do not depend on it
  bool files = true;     // if false, only scores are computed
  bool training = true;  // whether training rows may be scored if there are no test rows
};

// Draws every client's latent at the learnt values, writes the files, and fills summary.clients, the clients' effects,
// the predictive check, and summary.metrics with scores over all test rows and their spread over clients. Without test
// rows the scores are of training rows, and there are none per client.
void add_personal(Summary& summary, const Experiment& experiment, const RunFolder& folder,
                  const PersonalOptions& options);

// Returns the losses for metrics.csv: nnll_train, and nnll_test if there are test rows.
Scores losses_of(const Experiment& experiment);

}  // namespace pollen::sink
