// The statistical problem of a configuration: data, model, prior and one potential a client.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "pollen/config.h"
#include "pollen/data.h"
#include "pollen/model.h"
#include "ranks/ranks.h"

namespace pollen {

// The clients' potentials: given, or made anew whenever one is asked for, by several threads at once if need be.
class Potentials {
 public:
  using Make = std::function<std::unique_ptr<const Potential>(std::size_t place)>;
  Potentials() = default;
  Potentials(std::size_t count, Make make, bool light) : count_(count), make_(std::move(make)), light_(light) {}

  std::size_t size() const { return make_ ? count_ : given_.size(); }
  bool empty() const { return size() == 0; }
  std::shared_ptr<const Potential> operator[](std::size_t place) const {
    return make_ ? std::shared_ptr<const Potential>(make_(place)) : given_[place];
  }
  bool light() const { return light_; }  // they cost little to make
  void push_back(std::shared_ptr<const Potential> potential) { given_.push_back(std::move(potential)); }
  void keep(std::size_t first, std::size_t last);  // of those that were given

 private:
  std::vector<std::shared_ptr<const Potential>> given_;
  std::size_t count_ = 0;
  Make make_;
  bool light_ = true;
};

struct StatisticalProblem {
  ModelSpec model;
  Prior prior;
  Federation data;
  Potentials potentials;            // none where the clients are in other processes
  std::vector<Index> rows;          // N_i; empty for mixed-effects models
  Index first = 0;                  // potentials are of the clients from this one on
  bool curvature_is_bound = false;  // over all theta, not only where it is looked at

  Index clients() const { return rows.empty() ? data.clients() : static_cast<Index>(rows.size()); }
  Index dimension() const { return model.dimension(); }
};

// Reads the data and builds the rest. ConfigError where the configuration or the data are wrong. With `ranks` the
// training rows and potentials are those of this rank's clients alone.
StatisticalProblem make_problem(const Config& config, Ranks* ranks = nullptr);

SiteFacts facts_of(const StatisticalProblem& problem, std::size_t client);

// The problem of a program with potentials of its own. ConfigError where they do not fit together.
StatisticalProblem make_given_problem(const Posterior& posterior);

// The server's side of a federation: no data and no potentials, only what the clients said. ConfigError where they do
// not fit together.
StatisticalProblem make_remote_problem(const Config& config, const std::vector<SiteFacts>& sites);

// A client's side: its own rows as one client of `clients`.
StatisticalProblem make_own_problem(const Config& config, Federation data, Index clients);

// What the model wants of the target column.
TargetKind target_of(const Config& config);

}  // namespace pollen
