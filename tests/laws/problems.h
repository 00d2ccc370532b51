// Small quadratic problems. Each is written once and given twice: as a configuration for the sampler and as terms for
// the exact law.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stats/exact_law.h"

namespace pollen::laws {

class Folder;

struct Problem {
  std::string text;  // [model], the clients and [run], without [sampler]
  stats::QuadraticProblem exact;
  std::shared_ptr<Folder> files;  // the files with the rows, if there are any; removed with the last copy
};

Problem matrices();    // d = 3, three clients given by mean and precision: one term each
Problem points();      // d = 2, gaussian data: 4, 3 and 2 rows
Problem regression();  // d = 2, linear with known noise sd: 4, 3 and 3 rows of different curvature
Problem lopsided();    // the same with 4, 2 and 1 rows: clients that know little of one another's directions
Problem alone();       // the same with one client of 5 rows

// Returns the same posterior with a shared prior: each client owns 1/b of it, in equal parts on its rows, which a
// minibatch sees exactly.
stats::QuadraticProblem prior_on_clients(stats::QuadraticProblem problem);

// These return changed problems whose laws are those of wrong samplers.
stats::QuadraticProblem with_prior_times(double factor, stats::QuadraticProblem problem);
stats::QuadraticProblem with_clients_times(const std::vector<double>& factors, stats::QuadraticProblem problem);
// Expresses batches of two rows with replacement as batches of one, with ordered pairs as rows.
stats::QuadraticProblem pairs_with_replacement(const stats::QuadraticProblem& problem);

}  // namespace pollen::laws
