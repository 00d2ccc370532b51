// A mixed-effects problem of a configuration: columns picked, one potential a client, the population, the engine's
// settings.
#pragma once

#include <memory>
#include <vector>

#include "pollen/config.h"
#include "pollen/data.h"
#include "pollen/personal.h"

namespace pollen {

// Fixed and random columns of a table, side by side; mixed-linear keeps the table as it is.
struct MixedTable {
  Table fixed, random;
  const Table* whole = nullptr;  // mixed-linear

  MixedRows rows(Index first, Index count) const;
};

// The fixed and random columns of a table with columns `names`, all of which are there.
void pick_columns(const MixedSpec& spec, const std::vector<std::string>& names, const Table& from, MixedTable& to);

struct PersonalParts {
  MixedSpec spec;
  MixedTable train, test;
  std::vector<std::unique_ptr<PersonalPotential>> potentials;
  std::unique_ptr<Population> population;
  PersonalProblem problem;
  bool baseline = false;  // no population: the engine's state is (φ, z)

  std::vector<std::string> labels() const;  // of (φ, β), or (φ, z)
  // The coordinates that chains should agree on. Of mixed-linear log σ alone, because Φz_i is all that rows show.
  std::vector<std::size_t> identified() const;
  Index dimension() const { return baseline ? spec.shared() + spec.latent : problem.dimension(); }
};

// ConfigError where columns do not fit. `data` outlives the result.
std::unique_ptr<PersonalParts> make_personal_parts(const Config& config, const Federation& data);

// The columns that were picked, into the effective configuration.
void write_columns(const PersonalParts& parts, Config& config);

// φ_0 of a chain: zeros, log σ_0 = 0; mixed-linear: normals over √k, because at Φ = 0 no direction leads out.
void start_shared(const PersonalParts& parts, std::uint64_t seed, Index chain, std::span<double> out);

// fedsoul, fedsouk or a baseline.
std::unique_ptr<PersonalEngine> make_personal_engine(const Config& config, const Recipe& recipe,
                                                     const PersonalParts& parts);

}  // namespace pollen
