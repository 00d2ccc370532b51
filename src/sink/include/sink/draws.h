// Reads the draws of a finished run, or of any CmdStan CSVs, for `summary`, `compare` and `predict`.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pollen/stats.h"
#include "pollen/types.h"
#include "sink/spool.h"

namespace pollen::sink {

struct DrawSet {
  std::vector<std::string> names;           // such as theta.1
  std::vector<std::string> labels;          // readable names from summary.json, otherwise the names
  std::vector<std::vector<double>> values;  // per parameter: chains × length, chain-major
  std::vector<double> lp;                   // chain-major; empty if a file has none or one is not finite
  Index chains = 0;
  Index length = 0;
  bool coupled = false;            // as in summary.json
  std::vector<std::string> notes;  // such as chains of different lengths

  Index dimension() const { return static_cast<Index>(names.size()); }
  stats::Draws of(Index parameter) const { return {values[static_cast<std::size_t>(parameter)], chains}; }
  // Returns at most `most` draws, evenly spaced over all chains, one column per draw.
  Panel thinned(Index most) const;
};

// Reads evenly spaced draws from a run's spool: as many as `most` numbers allow, and at most some thousands per chain.
DrawSet some_draws(const SpoolReader& spool, Index most);

// Reads the CSVs of a folder: draws-1.csv, ... of a pollen run, otherwise every .csv but metrics.csv. Throws
// ConfigError if there are none.
DrawSet read_draws(const std::string& folder);
DrawSet read_draws_file(const std::string& csv);
std::vector<std::string> draw_files(const std::string& folder);  // in the order of their numbers; may be empty

std::vector<stats::ParameterSummary> summarize(const DrawSet& draws, int threads);

// Draws that are visited repeatedly, once per block of rows. They are held in memory if they fit; otherwise they are
// read from the disk each time, a few at once, because the draws of a network may not fit. Const calls are thread-safe.
class ChosenDraws {
 public:
  // Chooses at most `most` draws of a folder's CSVs, or of one CSV: those that DrawSet::thinned returns, in the same
  // order. Throws ConfigError if there are none, or if chains are of different models.
  ChosenDraws(const std::string& path, Index most, Index held_numbers = kHeld);
  // Takes draws that are in memory already, one column per draw.
  explicit ChosenDraws(Panel states) : dimension_(states.rows()), count_(states.columns()), held_(std::move(states)) {}

  Index count() const { return count_; }
  Index dimension() const { return dimension_; }
  // Visits the draws in order, several at a time; `first` is the number of the first of them.
  using Use = std::function<void(ConstPanelView states, Index first)>;
  void visit(const Use& use) const;

 private:
  static constexpr Index kHeld = Index{1} << 26;  // limit of numbers in memory: half a gigabyte
  static constexpr Index kAtOnce = 64;            // draws read at a time
  void read(const Use& use) const;                // visits them from the disk

  std::vector<std::string> files_;  // one per chain
  Index length_ = 0;                // draws per chain, of the shortest
  Index dimension_ = 0, count_ = 0;
  std::optional<Panel> held_;
};

}  // namespace pollen::sink
