// Checks every setting that a sampler reads and reports all problems at once.
#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "base/words.h"
#include "exact/exact.h"
#include "pollen/errors.h"
#include "samplers.h"

namespace pollen::reference {

namespace {

class Checker {
 public:
  explicit Checker(std::string_view keys) : keys_(keys) {}

  bool reads(std::string_view key) const { return has_word(keys_, key); }
  template <class Number>
  void number(const char* key, Number found, bool good, const char* accepted) {
    if (good || !reads(key)) return;
    problems_.add(fmt::format("sampler.{}", key), fmt::format("found {}, accepted: {}", found, accepted));
  }
  void kernel(const ReferenceSettings& settings) { exact::check_settings(settings, keys_, problems_); }
  void word(const char* key, const std::string& found, const char* one, const char* other) {
    if (reads(key) && found != one && found != other)
      text(key, fmt::format("found \"{}\", accepted: \"{}\" or \"{}\"", found, one, other));
  }
  void text(const char* key, const std::string& what) { problems_.add(fmt::format("sampler.{}", key), what); }
  void raise() const { problems_.raise(); }

 private:
  std::string_view keys_;
  Problems problems_;
};

bool positive(double x) { return std::isfinite(x) && x > 0; }

void check_others(Checker& check, const ReferenceSettings& s) {
  constexpr Index kMostSteps = Index{1} << 20;  // the step of a random stream is 20 bits wide
  check.number("decay", s.decay, s.decay >= 0 && s.decay < 1, "a number from 0 to below 1");
  check.number("damping", s.damping, positive(s.damping), "a number above 0");
  check.number("refresh", s.refresh, s.refresh >= 1, "1 or more");
  check.number("local_steps", s.local_steps, s.local_steps >= 1 && s.local_steps < kMostSteps, "1 to 1048575");
  check.number("server_step", s.server_step.value_or(1), positive(s.server_step.value_or(1)), "a number above 0");
  check.number("tolerance", s.tolerance.value_or(1), positive(s.tolerance.value_or(1)), "a number above 0");
  check.number("samples", s.samples, s.samples >= 1 && s.local_burn_in + s.samples * s.local_steps < kMostSteps,
               "1 or more, with fewer than 1048576 local steps in all");
  check.number("local_burn_in", s.local_burn_in, s.local_burn_in >= 0, "0 or more");
  check.number("shrinkage", s.shrinkage, s.shrinkage >= 0 && std::isfinite(s.shrinkage), "0 or more");
  check.number("distill_steps", s.distill_steps, s.distill_steps >= 1 && s.distill_steps < kMostSteps, "1 to 1048575");
  check.number("distill_rate", s.distill_rate, positive(s.distill_rate), "a number above 0");
  check.number("swag_rate", s.swag_rate.value_or(1), positive(s.swag_rate.value_or(1)), "a number above 0");
  check.number("swag_least_sd", s.swag_least_sd.value_or(1), positive(s.swag_least_sd.value_or(1)), "a number above 0");
  check.word("surrogate", s.surrogate.value_or("draws"), "draws", "swag");
  check.word("server_law", s.server_law, "gaussian", "dirichlet");
  check.word("local_kernel", s.local_kernel, "nuts", "mala");
}

}  // namespace

void check_settings(const ReferenceSampler& sampler, const ReferenceProblem& problem,
                    const ReferenceSettings& settings) {
  Checker check(sampler.keys);
  if (sampler.needs_step && !settings.step)
    check.text("step",
               fmt::format("found none, and {} does not find one by itself, accepted: a number above 0", sampler.name));
  if (settings.step) check.number("step", *settings.step, positive(*settings.step), "a number above 0");
  check.kernel(settings);
  check_others(check, settings);
  if (std::string_view(sampler.name) == "consensus" && settings.warm_up < 4)
    check.number("warm_up", settings.warm_up, false, "4 or more: its second half gives the weights");
  if (check.reads("distill") && settings.distill && (!problem.unlabelled || problem.unlabelled->rows < 1))
    check.text("distill",
               "found true and no rows to learn from, accepted: true with rows without labels (data.distill_source)");
  if (problem.clients.empty() || problem.chains < 1 || problem.dimension < 1)
    check.text("name", fmt::format("found {} clients, {} chains and {} coefficients, accepted: at least one of each",
                                   problem.clients.size(), problem.chains, problem.dimension));
  check.raise();
}

}  // namespace pollen::reference
