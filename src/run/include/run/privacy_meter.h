// What a run has given away so far, and how long its budget lasts: the two accountants of privacy.h applied to a
// configuration. Gives a number only for fa-ld with a [privacy] section, and only where nothing else touches the data.
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

// Something that looks at rows without the accountants' noise: its name in [privacy] accept, and a sentence.
struct UncoveredQuery {
  std::string name, what;
};

// Everything of a configuration that is such a look, accepted or not. Before set-up: afterwards a step that was found
// from the data looks like one that was given.
std::vector<UncoveredQuery> uncovered_queries(const Config& config, const Federation& data);
// The same where the data are in other processes; `levels_shown`: of columns that data.levels does not give.
std::vector<UncoveredQuery> uncovered_queries(const Config& config, bool levels_shown);

// Each ε stands beside its δ, or is absent and the reasons are in `why`. Both are true; the smaller may be quoted.
struct PrivacySpending {
  Index rounds = 0;
  std::optional<double> epsilon, delta;  // Theorem G.3
  std::vector<std::string> why;
  std::optional<double> renyi_epsilon, renyi_delta;  // Rényi accounting of the same run
  std::vector<std::string> renyi_why;
};

class PrivacyMeter {
 public:
  PrivacyMeter() = default;
  // The recipe's step must be known. sizes: N_c.
  PrivacyMeter(const Config& config, const Recipe& recipe, std::span<const Index> sizes,
               std::vector<UncoveredQuery> outside);

  bool asked() const { return asked_; }                  // there is a [privacy] section and the sampler is fa-ld
  PrivacySpending after(std::int64_t iterations) const;  // of every chain

  // The iterations that target_epsilon allows, whole rounds; nothing where the whole run fits or there is no target.
  std::optional<std::int64_t> budget() const { return budget_; }
  bool stops() const { return stops_; }
  bool ended(std::int64_t iterations) const { return stops_ && budget_ && iterations >= *budget_; }
  bool spent(std::int64_t iterations) const { return ended(iterations) || (budget_ && iterations > *budget_); }
  Index rounds(std::int64_t iterations) const;  // begun
  // ConfigError where a target is to stop the run and not even one round of it can be accounted for or fits.
  void check(const std::string& file) const;
  const std::optional<double>& target() const { return target_; }
  const std::string& accountant() const { return accountant_; }

 private:
  void find_budget();

  bool asked_ = false, stops_ = false;
  std::optional<double> target_;
  std::string accountant_ = "theorem";
  std::int64_t iterations_ = 0;  // asked for
  double communicate_ = 0;       // p_c, with random gaps
  PrivacyInputs inputs_;
  double renyi_delta_ = 1e-5;
  std::optional<RenyiCurve> curve_;  // made where a number may be given
  std::vector<std::string> why_ = {"the accountants are about fa-ld: no other sampler here has a guarantee"};
  std::optional<std::int64_t> budget_;
};

}  // namespace pollen
