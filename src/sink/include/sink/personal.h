// What a run leaves about single clients: DIR/clients.json for every run and, for a run with latents,
// DIR/clients/NAME.csv with draws of the latent, and scores per client.
#pragma once

#include "run/experiment.h"
#include "sink/folder.h"
#include "sink/spool.h"
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

// Draws every client's latent at the learnt values, or at draws of their posterior from the spool, writes the files,
// and fills summary.clients, the clients' effects, the predictive check, and summary.metrics with scores over all test
// rows and their spread over clients. Without test rows the scores are of training rows, and there are none per client.
void add_personal(Summary& summary, const SpoolReader& spool, const Experiment& experiment, const RunFolder& folder,
                  const PersonalOptions& options);

// The same at the server of a federation, where each client draws its own latent and keeps it: the estimates and, from
// sums that clients answer, scores over all test rows.
void add_site_personal(Summary& summary, const SpoolReader& spool, const Experiment& experiment, RunStatus status);

// Sets an estimate and its standard error, with a normal 90 % interval.
void set_estimate(double value, double error, stats::ParameterSummary& out);

// A client's file in DIR/clients: its number, then its name with everything but letters, digits, '.', '_' and '-'
// replaced.
std::string client_file(Index client, const std::string& name);
// Draws of a latent, or of anything with these labels, one column each and chain after chain, as csv.
std::string draws_csv(const std::vector<std::string>& labels, ConstPanelView z, Index chains);
// Beside a client's file: draws of (φ, z) with the uncertainty of the estimates, where that is known.
std::string predictive_file(const std::string& client_file);
// Reads such a file with `width` columns of numbers. Throws ConfigError if it is none.
struct StoredDraws {
  Panel draws;               // one column each
  std::vector<Index> chain;  // of each, from 0
};
StoredDraws read_draws_csv(const std::string& path, Index width);
// The place of a client's file in DIR/clients, and the client's number from 0; empty without one.
struct StoredClient {
  std::string path;
  Index number = 0;
};
StoredClient find_client_file(const RunFolder& folder, const std::string& name);

// Mean, 5 % and 95 % quantile of every coordinate of such draws.
std::vector<ClientEffects::Interval> intervals_of(const Panel& z);

// Returns the losses for metrics.csv: nnll_train, and nnll_test if there are test rows.
Scores losses_of(const Experiment& experiment);

}  // namespace pollen::sink
