// The prior of (φ, β) of a model with latents for hmc, by model.prior and [population]. Numbers are in the units of the
// standardised columns here:
//
//   φ_j, μ_j     N(0, s_j²), where s_j is the prior sd of a regression's coefficient of that column
//   the intercept, at the columns' means ("auto") or where they are 0, N(m, s²), in φ or in μ
//   log σ        N(log s_y, log_sigma_sd²)
//   σ_z,j        half-normal(s_j)
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "math/math.h"
#include "network_model.h"
#include "personal.h"
#include "pollen/errors.h"

namespace pollen {

namespace {

// What the prior is about besides the columns: the target's mean and sd, or for classes 0 and 1.
struct Target {
  double mean = 0, sd = 1;
};

Target target_of(const Config& config, const PersonalParts& parts, const Federation& data) {
  if (parts.network || parts.model->classifies() || config.model.prior != "auto") return {};
  const std::vector<double>& seen = data.scaling.target;
  const std::string where = data.layout.target.empty() ? config.file + ": data.target" : "column " + data.layout.target;
  if (seen.size() != 2)
    throw ConfigError(
        config.file + ": model.prior",
        "found \"auto\" with data of which no means and standard deviations are known; accepted: a number "
        "for model.prior_sd");
  if (!(seen[1] > 0))
    throw ConfigError(where,
                      fmt::format("found the same target, {:.6g}, in all rows, from which nothing can be learnt; "
                                  "accepted: at least two different values",
                                  seen[0]));
  return {seen[0], seen[1]};
}

// A column as the model sees it.
struct Column {
  double mean = 0;    // its mean, in the units that the model has it in
  double origin = 0;  // where it is 0 in the units of the data
  double sd = 1;
};

Column column_of(const std::string& name, const Federation& data) {
  const ColumnScaling& s = data.scaling;
  const auto& names = data.feature_names;
  const std::size_t known = std::max(s.sd.size(), s.raw_sd.size());
  const auto at = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
  if (known == 0 || at >= names.size() || at < names.size() - known) return {};
  const std::size_t j = at - (names.size() - known);
  const double mean = s.mean.empty() ? 0 : s.mean[j], sd = s.sd.empty() ? 1 : s.sd[j];
  const double own_mean = s.raw_mean.empty() ? mean : s.raw_mean[j], own_sd = s.raw_sd.empty() ? sd : s.raw_sd[j];
  return {(own_mean - mean) / sd, -mean / sd, own_sd / sd};
}

class JointPriorMaker {
 public:
  JointPriorMaker(const Config& config, const PersonalParts& parts, const Federation& data)
      : config_(config),
        parts_(parts),
        data_(data),
        target_(target_of(config, parts, data)),
        shared_(static_cast<std::size_t>(parts.model->shared())),
        latent_(static_cast<std::size_t>(parts.model->latent())),
        start_(parts.population->start()),
        precision_(shared_ + start_.size(), 0.0),
        mean_(precision_.size(), 0.0),
        half_(precision_.size(), 0.0),
        weight_(precision_.size(), 0.0) {}

  exact::JointPrior make() {
    if (parts_.network)
      add_network();
    else if (parts_.may_rotate())
      add_rotating();
    else
      add_columns();
    if (parts_.mixed && parts_.mixed->samples_noise() && config_.model.prior != "flat")
      set(shared_ - 1, math::log(target_.sd), config_.model.log_sigma_sd);
    add_given();
    exact::JointPrior prior{{precision_}, half_};
    prior.normal.mean = mean_;
    if (holds_intercept_)
      prior.normal.sums.push_back({0, weight_, 1 / (intercept_.sd * intercept_.sd), intercept_.mean});
    return prior;
  }

 private:
  void set(std::size_t at, double mean, double sd) {
    mean_[at] = mean;
    precision_[at] = sd > 0 ? 1 / (sd * sd) : 0;
  }
  NormalPlace place(std::size_t j) const { return *parts_.population->place(start_, static_cast<Index>(j)); }

  // Gives latent coordinate j the prior of its mean, unless the mean is not learnt, and of its spread. Where several
  // share one number, it has the widest of their priors.
  void set_latent(std::size_t j, double sd, bool mean_too) {
    const NormalPlace at = place(j);
    if (at.of_log_sd >= 0) {
      double& half = half_[shared_ + static_cast<std::size_t>(at.of_log_sd)];
      half = std::max(half, sd);
    }
    if (at.of_mean < 0 || !mean_too || !(sd > 0)) return;
    double& precision = precision_[shared_ + static_cast<std::size_t>(at.of_mean)];
    precision = precision > 0 ? std::min(precision, 1 / (sd * sd)) : 1 / (sd * sd);
  }

  // The prior sd of a column's coefficient, by its place among those of φ if it is there; 0: flat.
  double coefficient_sd(const std::string& name, std::size_t place) const {
    const ModelConfig& m = config_.model;
    const Column column = column_of(name, data_);
    if (m.prior == "flat") return 0;
    if (m.prior == "auto") return 2.5 * target_.sd / (name == "intercept" ? 1 : column.sd);
    if (m.prior_sd.size() != 1 && m.prior_sd.size() <= place)
      throw ConfigError(
          config_.file + ": model.prior_sd",
          fmt::format("found {} numbers, accepted for hmc: one, or one per coefficient, first of the fixed "
                      "columns and then of the random ones ({})",
                      m.prior_sd.size(), parts_.mixed->fixed.size() + latent_));
    const double sd = m.prior_sd.size() == 1 ? m.prior_sd[0] : m.prior_sd[place];
    const std::size_t coordinate =
        place < parts_.mixed->fixed.size() ? place : shared_ + place - parts_.mixed->fixed.size();
    return m.prior_scale == "data" ? sd / parts_.model_units.scale(coordinate) : sd;
  }

  void add_columns() {
    const bool automatic = config_.model.prior == "auto", in_data = config_.model.prior_scale == "data";
    const std::vector<std::string>&fixed = parts_.mixed->fixed, &random = parts_.mixed->random;
    for (std::size_t j = 0; j < fixed.size() + random.size(); ++j) {
      const bool is_fixed = j < fixed.size();
      const std::string& name = is_fixed ? fixed[j] : random[j - fixed.size()];
      const double sd = coefficient_sd(name, j);
      const Index of_mean = is_fixed ? 0 : place(j - fixed.size()).of_mean;
      const std::size_t at = is_fixed ? j : shared_ + static_cast<std::size_t>(std::max<Index>(0, of_mean));
      const bool intercept = name == "intercept", learnt = is_fixed || of_mean >= 0;
      const Column column = column_of(name, data_);
      if (learnt) weight_[at] += intercept ? 1 : automatic ? column.mean : in_data ? column.origin : 0;
      if (intercept && learnt && sd > 0) {
        intercept_ = {target_.mean, sd};
        holds_intercept_ = true;
      }
      if (is_fixed && !intercept) set(at, 0, sd);
      if (!is_fixed) set_latent(j - fixed.size(), sd, !intercept);
    }
  }

  // Φ carries the units of the target; the latents have none.
  void add_rotating() {
    const std::size_t columns = parts_.mixed->fixed.size();
    for (std::size_t j = 0; j < columns * latent_; ++j) set(j, 0, coefficient_sd(parts_.mixed->fixed[j % columns], j));
    for (std::size_t j = 0; j < latent_ && config_.model.prior != "flat"; ++j) set_latent(j, 1, true);
  }

  void add_network() {
    if (config_.model.prior == "flat") return;
    const std::vector<double> whole = network_prior(config_, parts_.net().tensors()).precision;
    for (std::size_t j = 0; j < shared_; ++j) precision_[j] = whole[j];
    for (std::size_t j = 0; j < latent_; ++j) set_latent(j, 1 / std::sqrt(whole[shared_ + j]), true);
  }

  // population.mean_prior_sd and log_sd_prior_sd take the place of what the model's prior says of β.
  void add_given() {
    const PopulationConfig& p = config_.population;
    for (std::size_t j = 0; j < latent_; ++j) {
      const NormalPlace at = place(j);
      if (at.of_mean >= 0 && p.mean_prior_sd) {
        const std::size_t mean = shared_ + static_cast<std::size_t>(at.of_mean);
        set(mean, at.mean, *p.mean_prior_sd / parts_.model_units.scale(shared_ + j));
        if (parts_.mixed && !parts_.may_rotate() && parts_.mixed->random[j] == "intercept") holds_intercept_ = false;
      }
      if (at.of_log_sd < 0 || !p.log_sd_prior_sd) continue;
      const std::size_t spread = shared_ + static_cast<std::size_t>(at.of_log_sd);
      set(spread, math::log(at.sd), *p.log_sd_prior_sd);
      half_[spread] = 0;
    }
  }

  const Config& config_;
  const PersonalParts& parts_;
  const Federation& data_;
  Target target_;
  std::size_t shared_, latent_;
  std::vector<double> start_, precision_, mean_, half_, weight_;
  Target intercept_;  // the mean and sd of the intercept's prior
  bool holds_intercept_ = false;
};

}  // namespace

exact::JointPrior joint_prior(const Config& config, const PersonalParts& parts, const Federation& data) {
  if (config.population.prior != "normal")
    throw ConfigError(config.file + ": population.prior",
                      fmt::format("found \"{}\", whose density is known up to a number that depends on its parameters; "
                                  "accepted for hmc: \"normal\"",
                                  config.population.prior));
  return JointPriorMaker(config, parts, data).make();
}

}  // namespace pollen
