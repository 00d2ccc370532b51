// What a reader has to know before any number of a run: model, target, units, priors, sampler and its error, in words.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "run/experiment.h"
#include "sink/facts.h"
#include "sink/text.h"

namespace pollen::sink {

namespace {

bool in_standard_deviations(const Config& config) {
  return config.output.scale == "standardized" && config.data.standardize.value_or(true);
}

std::string event_of(const RunFacts& f) {
  return f.event ? fmt::format("{} = {}", f.target, f.event->level) : f.target;
}

// What one coefficient is a coefficient of; empty for models without coefficients of columns.
std::string response_words(const std::string& kind, const RunFacts& f) {
  if (kind == "logistic" || kind == "mixed-logistic") return "the log odds of " + event_of(f);
  if (kind == "poisson") return "the log rate of " + f.target;
  if (kind == "softmax") return fmt::format("the log weight of each class of {}", f.target);
  if (kind == "linear" || kind == "mixed-gaussian") return f.target;
  return "";
}

std::string units_words(const Config& config, const RunFacts& f) {
  const std::string of = response_words(config.model.kind, f);
  if (of.empty()) return "";
  const bool scaled = in_standard_deviations(config);
  return fmt::format("coefficients of {}, per {} of each column; intercepts where all columns are {}", of,
                     scaled ? "standard deviation" : "unit", scaled ? "at their means" : "0");
}

// Coefficients of columns whose exponential is a ratio of odds or of rates, without intercepts.
Ratios ratios_of(const Config& config, const std::vector<std::string>& labels) {
  const std::string& kind = config.model.kind;
  const bool mixed = kind == "mixed-logistic";
  Ratios ratios;
  if (kind == "logistic" || mixed) ratios.name = "odds ratio";
  if (kind == "poisson") ratios.name = "rate ratio";
  if (ratios.name.empty()) return ratios;
  for (const std::string& label : labels) {
    const bool fixed = !mixed || std::ranges::count(config.model.fixed, label) > 0;
    const bool random = mixed && label.starts_with("mu[") && label != "mu[intercept]";
    ratios.of.push_back((fixed && label != "intercept") || random);
  }
  return ratios;
}

// What every client has for itself in a mixed-effects model.
std::string own_words(const std::vector<std::string>& random) {
  std::vector<std::string> parts;
  for (const std::string& column : random) parts.push_back(column == "intercept" ? column : "coefficient of " + column);
  return fmt::format("every client has its own {}, from a normal population", fmt::join(parts, " and "));
}

std::string model_words(const Config& config, const RunFacts& f) {
  const std::string& kind = config.model.kind;
  if (kind == "logistic") return fmt::format("Logistic regression of {}: the event is {}.", f.target, event_of(f));
  if (kind == "softmax")
    return fmt::format("Softmax regression of {} with a coefficient per class and column.", f.target);
  if (kind == "poisson") return fmt::format("Poisson regression of the counts {}, with a logarithmic link.", f.target);
  const std::string noise = config.model.noise_sd ? fmt::format("the standard deviation {:.4g}", *config.model.noise_sd)
                                                  : "a standard deviation whose logarithm is log_sigma";
  if (kind == "linear") return fmt::format("Linear regression of {}, with normal errors of {}.", f.target, noise);
  const std::string own = own_words(config.model.random);
  if (kind == "mixed-logistic")
    return fmt::format("Mixed logistic regression of {}: the event is {}, and {}.", f.target, event_of(f), own);
  if (kind == "mixed-gaussian")
    return fmt::format("Linear mixed model of {}: {}, and errors are normal with {}.", f.target, own, noise);
  if (kind == "gaussian") return fmt::format("Gaussian potentials in {} dimensions.", f.dimension());
  if (is_network(config))
    return fmt::format("Neural network {} for {}, with {} weights.", kind, f.target, grouped(f.dimension()));
  const std::string event = f.event ? fmt::format(": the event is {}", event_of(f)) : "";
  return fmt::format("Model {} of {} with {} parameters{}.", kind, f.target, grouped(f.dimension()), event);
}

// Three significant digits, without an exponent where whole numbers can be read.
std::string brief(double x) {
  const double size = std::abs(x);
  return size >= 1000 && size < 1e9 ? grouped(std::llround(x)) : fmt::format("{:.3g}", x);
}

std::string normal(double mean, double sd) { return fmt::format("N({}, {}²)", brief(mean), brief(sd)); }

// The priors of single parameters, as the configuration has them once set-up is over.
std::string listed_priors(const ModelConfig& model, const std::vector<std::string>& labels) {
  constexpr std::size_t kMost = 12;
  const std::vector<double>& sd = model.prior_sd;
  const auto mean = [&](std::size_t j) {
    return model.prior_mean.size() > j ? model.prior_mean[j] : model.prior_mean[0];
  };
  std::vector<std::string> parts;
  for (std::size_t j = 0; j < std::min(sd.size(), labels.size()) && parts.size() < kMost; ++j) {
    const bool at_means = labels[j].ends_with("intercept") && !model.prior_centre.empty();
    parts.push_back(fmt::format("{}{} {}", labels[j], at_means ? " (where the columns are at their means)" : "",
                                normal(mean(j), sd[j])));
  }
  if (sd.size() > parts.size()) parts.push_back(fmt::format("and {} more (config.toml)", sd.size() - parts.size()));
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string prior_words(const Config& config, const RunFacts& f) {
  const ModelConfig& model = config.model;
  const bool mixed = f.states == States::estimates || is_mixed(config);
  const bool asked = config.given.contains("model.prior") || config.given.contains("model.prior_sd");
  if (model.prior == "flat") return "The prior is flat.";
  if (samples_jointly(config) && !is_network(config))
    return fmt::format(
        "Priors: coefficients and population means normal, {}; standard deviations of the population "
        "half-normal, with the scales of their coefficients.",
        model.prior == "auto" ? "with scales from the data (docs/models.md)" : "as model.prior_sd says");
  if (mixed && !is_network(config) && !asked) return "There is no prior: the likelihood alone is maximised.";
  if (model.weight_decay)
    return fmt::format("Prior of every weight: {}.", normal(0, 1 / std::sqrt(*model.weight_decay)));
  if (is_network(config))
    return model.prior_sd.size() > 1
               ? "Prior of the weights: normal, with one standard deviation per tensor (config.toml)."
               : fmt::format("Prior of every weight: {}.", normal(0, model.prior_sd[0]));
  const std::string units = model.prior_scale == "standardized" ? " in standardized columns" : "";
  const bool log_sigma = !f.labels.empty() && f.labels.back() == "log_sigma";
  if (model.prior_sd.size() > 1) return fmt::format("Priors{}: {}.", units, listed_priors(model, f.labels));
  const char* what = model.kind == "gaussian" ? "coordinate" : "coefficient";
  return fmt::format("Prior of every {}{}: {}{}.", what, units, normal(model.prior_mean[0], model.prior_sd[0]),
                     log_sigma ? fmt::format("; log_sigma {}", normal(0, model.log_sigma_sd)) : "");
}

std::string sampler_words(const Config& config, const RunFacts& f) {
  const char* what = f.states == States::estimates  ? "Estimated"
                     : f.states == States::iterates ? "Optimised"
                                                    : "Sampled";
  std::string text = fmt::format("{} by {}", what, f.sampler);
  if (f.step > 0) text += fmt::format(" with step {}", short_number(f.step));
  if (config.sampler.precondition == "full" || config.sampler.precondition == "diagonal")
    text += fmt::format(" in coordinates of the {}curvature at the mode",
                        config.sampler.precondition == "diagonal" ? "diagonal " : "");
  if (f.temperature != 1) text += fmt::format(" at temperature {:.4g}", f.temperature);
  return text + fmt::format(", {} chain{} of {} iterations after a burn-in of {}.", f.chains, f.chains == 1 ? "" : "s",
                            grouped(f.done - std::min(f.done, f.burn_in)), grouped(f.burn_in));
}

std::string error_words(const RunFacts& f) {
  if (f.states == States::estimates)
    return "Standard errors, where they are known, are from the observed information; the rows of the draws are the "
           "algorithm's path.";
  if (f.states == States::iterates) return "The rows are an optimiser's iterates, not draws of a posterior.";
  if (f.exact) return "The sampler accepts and rejects, so that its step makes no error.";
  if (!f.forecast) return "The error that the sampler's step makes could not be forecast.";
  const SamplingForecast& forecast = *f.forecast;
  const auto change = [](double ratio) { return fmt::format("{:+.1f} %", 100 * (ratio - 1)); };
  const std::string least = change(forecast.least_ratio), most = change(forecast.most_ratio);
  return fmt::format(
      "Forecast{} of the sampler's own error: standard deviations {} off the posterior's (worst: {}), and means off by "
      "{} "
      "posterior standard deviations.",
      forecast.exact ? "" : " (at the Gaussian approximation)", least == most ? most : least + " to " + most,
      forecast.widest, forecast.bias < 0.005 ? "less than 0.01" : fmt::format("up to {:.2f}", forecast.bias));
}

}  // namespace

void describe(const Experiment& experiment, const std::string& target, RunFacts& f) {
  const Config& config = experiment.config();
  f.target = target.empty() ? "the target" : target;
  f.units = units_words(config, f);
  f.ratios = ratios_of(config, f.labels);
  std::vector<std::string> sentences = {model_words(config, f)};
  if (f.train_rows > 0)
    sentences.push_back(fmt::format("{} training rows of {} clients{}.", grouped(f.train_rows), grouped(f.clients),
                                    f.test_rows > 0 ? fmt::format(", {} test rows", grouped(f.test_rows)) : ""));
  if (!f.units.empty()) {
    std::string units = f.units;
    units[0] = 'C';
    sentences.push_back(units + '.');
  }
  for (const std::string& line : {prior_words(config, f), sampler_words(config, f), error_words(f)})
    sentences.push_back(line);
  f.statement = fmt::format("{}", fmt::join(sentences, " "));
}

}  // namespace pollen::sink
