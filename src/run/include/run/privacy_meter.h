// How much privacy a run has spent so far and how long its budget lasts: the two accountants of pollen/privacy.h
// applied to a configuration (docs/privacy.md). There is a number only for fa-ld with a [privacy] section, and only if
// nothing else in the run looks at the data. Const calls are thread-safe.
//
//   PrivacyMeter meter(config, recipe, sizes, uncovered_queries(config, data));
//   meter.after(iterations).epsilon;
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pollen/config.h"
#include "pollen/data.h"
#include "pollen/privacy.h"

namespace pollen {

// Something that looks at rows without the noise that the accountants assume: its name in privacy.accept, and a
// sentence about it.
struct UncoveredQuery {
  std::string name, what;
};

// Lists all such looks of a configuration, accepted or not. Call it before set-up, because afterwards a step that was
// found from the data cannot be told from one that was given.
std::vector<UncoveredQuery> uncovered_queries(const Config& config, const Federation& data);
// Lists them when the data are in other processes. `levels_shown` says whether clients revealed levels of columns that
// data.levels does not give.
std::vector<UncoveredQuery> uncovered_queries(const Config& config, bool levels_shown);

// What one accountant guarantees: ε at δ, or the reasons why there is none.
struct PrivacyGuarantee {
  std::optional<double> epsilon, delta;
  std::vector<std::string> why;
};

// The guarantees of both accountants. Both are true, so the smaller may be quoted.
struct PrivacySpending {
  Index rounds = 0;
  PrivacyGuarantee theorem;  // Theorem G.3 of the FA-LD paper
  PrivacyGuarantee renyi;    // Rényi accounting of the same run
};

class PrivacyMeter {
 public:
  PrivacyMeter() = default;
  // The recipe's step must be known. `sizes` are the clients' numbers of rows N_c.
  PrivacyMeter(const Config& config, const Recipe& recipe, std::span<const Index> sizes,
               std::vector<UncoveredQuery> uncovered);

  bool asked() const { return asked_; }  // whether there is a [privacy] section and the sampler is fa-ld
  PrivacySpending after(std::int64_t iterations) const;  // what all chains together have spent after so many iterations

  // The iterations that target_epsilon allows, in whole rounds. Empty if the whole run fits or there is no target.
  std::optional<std::int64_t> budget() const { return budget_; }
  bool stops() const { return stops_; }
  bool ended(std::int64_t iterations) const { return stops_ && budget_ && iterations >= *budget_; }
  bool spent(std::int64_t iterations) const { return ended(iterations) || (budget_ && iterations > *budget_); }
  Index rounds(std::int64_t iterations) const;  // rounds begun by then
  // Throws ConfigError if a target is to stop the run but not even one round can be accounted for or fits it.
  void check(const std::string& file) const;
  const std::optional<double>& target() const { return target_; }
  const std::string& accountant() const { return accountant_; }
  // The guarantee of that accountant, which is held against the target.
  const PrivacyGuarantee& held(const PrivacySpending& of) const {
    return accountant_ == "renyi" ? of.renyi : of.theorem;
  }

 private:
  void find_budget();

  bool asked_ = false, stops_ = false;
  std::optional<double> target_;
  std::string accountant_ = "theorem";
  std::int64_t iterations_ = 0;  // iterations that the configuration asks for
  double communicate_ = 0;       // p_c, if gaps between averages are random
  PrivacyInputs inputs_;
  double renyi_delta_ = 1e-5;
  std::optional<RenyiCurve> curve_;  // made if a number can be given
  std::vector<std::string> why_ = {"the accountants are about fa-ld: no other sampler here has a guarantee"};
  std::optional<std::int64_t> budget_;
};

}  // namespace pollen
