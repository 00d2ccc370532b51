// What outputs say about a run, as plain data. facts_of() takes them from an Experiment (facts.cc); tests make them by
// hand.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pollen/model.h"
#include "pollen/round.h"
#include "pollen/run.h"
#include "run/privacy_meter.h"
#include "run/sampling_forecast.h"
#include "run/simulated_time.h"
#include "sink/transitions.h"

namespace pollen {
class Experiment;
struct Federation;
}  // namespace pollen

namespace pollen::sink {

using pollen::RunStatus;

// What the states after burn-in are: draws of a posterior; draws of a network's weights, whose units can swap; the path
// of estimates, whose average is the result; or an optimiser's iterates, whose last is the result. Warnings about R-hat
// and ESS ask for longer runs only for draws.
enum class States { draws, weights, estimates, iterates };

struct PrivacyFacts {
  bool asked = false;
  PrivacySpending spending;
  std::optional<double> target;
  std::optional<Index> spent_at_round;
  std::string adversary;
  std::vector<std::string> accepted;  // uses of the data outside the accountants that the user accepted
};

// Whether the results of a run can be relied on (sink/verdict.h).
struct Verdict {
  std::optional<bool> converged;     // empty if it cannot be said
  std::string words;                 // one sentence
  std::vector<std::string> reasons;  // what speaks against the results, and what to do about it
  bool operator==(const Verdict&) const = default;
};

// Facts about a run over connections (pollen serve).
struct FederationFacts {
  struct Site {
    std::string name;
    Index rows = 0;
  };
  std::vector<Site> sites;
  std::int64_t skipped = 0, repeated = 0, brought_up = 0;
  std::int64_t bytes_in = 0, bytes_out = 0;  // bytes of whole frames; the counters have payloads only
  double waiting_share = 0;  // of the time since the server's (last) start of rounds, in which it waited for clients
};

// What a model of two classes gives the probability of.
struct EventFacts {
  std::string target, level;  // the target's column, empty if unknown, and the label that counts as 1
};

// The coefficients whose exponential has a name of its own, such as "odds ratio".
struct Ratios {
  std::string name;      // empty if there are none
  std::vector<bool> of;  // one per coordinate
  bool has(std::size_t j) const { return j < of.size() && of[j]; }
};

// The prior of an intercept where the columns are at `centre`, one number per column: N(mean, sd²).
struct InterceptPrior {
  std::vector<double> centre;
  double mean = 0, sd = 1;
};

struct RunFacts {
  std::string sampler, model, source;  // such as "qlsd++", "logistic", "titanic"
  std::uint64_t seed = 1;
  Index chains = 1;
  std::int64_t iterations = 0;  // iterations asked for
  std::int64_t done = 0;        // iterations done
  std::int64_t burn_in = 0;
  Index thin = 1;
  bool coupled = false;  // whether chains share who takes part, where not everybody always does
  double step = 0;
  double temperature = 1;
  double smoothness = 0;
  std::optional<SamplingForecast> forecast = {};  // what the draws were expected to be worth, if that was known
  int ece_bins = 15;
  Index clients = 0;
  Index train_rows = 0, test_rows = 0;
  std::vector<std::string> labels;  // one per coordinate
  std::optional<EventFacts> event;  // models of two classes
  std::string target, units;        // the target's name, and in what coefficients are measured; describe() sets these
  Ratios ratios;
  std::string statement;  // model, target, units, priors, sampler and its error, in words
  std::vector<std::string> warnings, notes;
  Counters counters;
  PrivacyFacts privacy;
  std::optional<FederationFacts> federation;
  double seconds = 0, cpu_seconds = 0;     // time of the sampling loop
  std::optional<SimulatedTime> simulated;  // time in the network of [network]
  TransitionFacts transitions;             // nuts and hmc
  States states = States::draws;
  std::vector<std::size_t> identified;  // estimates: the coordinates that the data determine
  bool reference = false;               // a reference sampler or a competitor, which has coordinates of its own
  bool exact = false;                   // the sampler accepts and rejects, so that its step makes no error
  std::string precondition = "none";    // the coordinates in which it sampled
  std::vector<double> mode;      // the posterior's, one number per coordinate of a draw; empty unless it was found
  std::vector<double> prior_sd;  // per coordinate of a draw, infinite if the prior is flat; empty if unknown
  std::optional<InterceptPrior> prior_intercept = {};  // if the prior is of that, and the intercept comes first
  bool by_label = false;     // clients were made by sorting rows by their labels (data.partition)
  bool predicts = false;     // the model predicts a target of rows
  std::string first_client;  // the name of a client with a latent of its own; empty without latents
  RunStatus status = RunStatus::complete;
  std::string failure;  // what ended a failed run

  Index dimension() const { return static_cast<Index>(labels.size()); }
};

RunFacts facts_of(const Experiment& experiment);
// Sets what tables and reports say before any number: target, units, ratios and the statement. The rest must be known.
void describe(const Experiment& experiment, const std::string& target, RunFacts& facts);
// Returns what the configuration and its recipe say of a run with so many clients. It may not have begun yet.
RunFacts facts_of(const Config& config, const Recipe& recipe, Index clients);
// The samplers whose transitions are counted.
inline bool has_trajectories(const std::string& sampler) { return sampler == "nuts" || sampler == "hmc"; }
const char* name_of(RunStatus status);            // "complete", "interrupted", "failed"
const char* name_of(States states);               // "draws", "weights", "estimates", "iterates"
States states_named(const std::string& name);     // `draws` for a name that is none of these
RunStatus status_named(const std::string& name);  // `complete` for a name that is none of these

}  // namespace pollen::sink
