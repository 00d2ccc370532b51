// The statistical problem of a configuration: data, model, prior and one potential a client.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "pollen/config.h"
#include "pollen/data.h"
#include "pollen/model.h"
#include "pollen/ranks.h"

namespace pollen {

// The clients' potentials, each made when it is first asked for. Different ones may be asked for by different threads at
// once.
class Potentials {
 public:
  using Make = std::function<std::unique_ptr<Potential>(std::size_t place)>;
  Potentials() = default;
  Potentials(std::size_t count, Make make) : made_(count), make_(std::move(make)) {}

  std::size_t size() const { return made_.size(); }
  bool empty() const { return made_.empty(); }
  const Potential& operator[](std::size_t place) const {
    if (!made_[place]) made_[place] = make_(place);
    return *made_[place];
  }
  void push_back(std::unique_ptr<Potential> potential) { made_.push_back(std::move(potential)); }
  void keep(std::size_t first, std::size_t last);  // of those that were pushed

 private:
  mutable std::vector<std::unique_ptr<Potential>> made_;
  Make make_;
};

struct StatisticalProblem {
  ModelSpec model;
  Prior prior;
  Federation data;
  Potentials potentials;                               // none where the clients are in other processes
  std::vector<Index> rows;                             // N_i; empty for mixed-effects models
  Index first = 0;                                     // potentials are of the clients from this one on
  bool curvature_is_bound = false;                     // over all theta, not only where it is looked at

  Index clients() const { return rows.empty() ? data.clients() : static_cast<Index>(rows.size()); }
  Index dimension() const { return model.dimension(); }
};

// Reads the data and builds the rest. ConfigError where the configuration or the data are wrong. With `ranks` the
// training rows and potentials are those of this rank's clients alone.
StatisticalProblem make_problem(const Config& config, Ranks* ranks = nullptr);

SiteFacts facts_of(const StatisticalProblem& problem, std::size_t client);

// The server's side of a federation: no data and no potentials, only what the clients said. ConfigError where they do
// not fit together.
StatisticalProblem make_remote_problem(const Config& config, const std::vector<SiteFacts>& sites);

// A client's side: its own rows as one client of `clients`.
StatisticalProblem make_own_problem(const Config& config, Federation data, Index clients);

// What the model wants of the target column.
TargetKind target_of(const Config& config);

}  // namespace pollen
