// The statistical problem of a configuration: data, model, prior and one potential per client. Reading a problem is
// thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "pollen/config.h"
#include "pollen/data.h"
#include "pollen/model.h"
#include "ranks/ranks.h"

namespace pollen {

// The clients' potentials. They are either stored or made anew whenever one is asked for, which several threads may do
// at once.
class Potentials {
 public:
  using Make = std::function<std::shared_ptr<const Potential>(std::size_t place)>;
  Potentials() = default;
  Potentials(std::size_t count, Make make, bool light) : count_(count), make_(std::move(make)), light_(light) {}
  explicit Potentials(std::vector<std::shared_ptr<const Potential>> stored)
      : Potentials(
            stored.size(), [stored](std::size_t place) { return stored[place]; }, true) {}

  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  std::shared_ptr<const Potential> operator[](std::size_t place) const { return make_(place); }
  bool light() const { return light_; }  // whether they cost little to make
  Potentials part(std::size_t first, std::size_t count) const {
    return {count, [was = make_, first](std::size_t place) { return was(first + place); }, light_};
  }

 private:
  std::size_t count_ = 0;
  Make make_;
  bool light_ = true;
};

// The numbers of a normal prior: sd and mean per coordinate, and the columns' values at which the intercept's holds.
struct PriorNumbers {
  std::vector<double> sd, mean, centre;
};

struct StatisticalProblem {
  ModelSpec model;
  Prior prior;
  std::optional<PriorNumbers> automatic_prior;  // in the data's units, if model.prior = "auto" took them from the data
  Federation data;
  Potentials potentials;            // empty if the clients are in other processes
  std::vector<Index> rows;          // N_i
  Index first = 0;                  // the client of the first potential; the others follow
  bool curvature_is_bound = false;  // curvature bounds hold for all θ, not only where they are asked for
  bool shows_curvature = true;      // all clients answer questions about their whole Hessian

  Index clients() const { return rows.empty() ? data.clients() : static_cast<Index>(rows.size()); }
  Index dimension() const { return model.dimension(); }
};

// Reads the data and builds the rest. Throws ConfigError if the configuration or the data are wrong. With `ranks`, only
// this rank's clients get training rows and potentials.
StatisticalProblem make_problem(const Config& config, Ranks* ranks = nullptr);

// What a client of a federation tells the server about itself.
SiteFacts facts_of(const StatisticalProblem& problem, std::size_t client);

// The problem of a program that brings its own potentials. Throws ConfigError if they do not fit together.
StatisticalProblem make_given_problem(const Posterior& posterior);

// The problem at the server of a federation, which has no data and no potentials, only what the clients said about
// themselves. Throws ConfigError if the clients do not fit together.
StatisticalProblem make_remote_problem(const Config& config, const std::vector<SiteFacts>& sites);

// The problem at a client of a federation: its own rows, as one of `clients` clients.
StatisticalProblem make_own_problem(const Config& config, Federation data, Index clients);

// The keys of [data], with what the model adds to them: which columns keep their origin and their scale. Random columns
// of mixed-effects models keep their origin, because random coefficients of centred columns are another model.
DataSpec data_spec(const Config& config);

// The kind of target column that the model needs.
TargetKind target_of(const Config& config);

}  // namespace pollen
