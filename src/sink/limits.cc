#include "sink/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pollen::sink {

namespace {

using Parameters = std::vector<stats::ParameterSummary>;

// The worst value of one column of the table, and how many values are past the limit.
struct Worst {
  std::size_t count = 0, at = 0;
  double value = 0;
};

template <class Past>
Worst worst_of(const Parameters& parameters, double stats::ParameterSummary::*value, Past past) {
  Worst worst;
  for (std::size_t j = 0; j < parameters.size(); ++j) {
    const double v = parameters[j].*value;
    if (!past(v)) continue;
    if (worst.count++ == 0 || (past(1e300) ? v > worst.value : v < worst.value)) worst.at = j, worst.value = v;
  }
  return worst;
}

std::string share_in(std::size_t count, std::size_t all) {
  return count == all && all > 1 ? fmt::format("all {} parameters", all)
                                 : fmt::format("{} of {} parameters", count, all);
}

}  // namespace

std::vector<std::string> faults_of(const stats::ParameterSummary& p) {
  if (std::isnan(p.rhat) && std::isnan(p.ess_bulk)) return {p.sd == 0 ? "constant" : "not finite"};
  std::vector<std::string> faults;
  if (p.rhat > kMostRhat) faults.push_back(fmt::format("rhat > {}", kMostRhat));
  const bool bulk = p.ess_bulk < kLeastEss, tail = p.ess_tail < kLeastEss;
  if (bulk || tail)
    faults.push_back(fmt::format("{} < {}", bulk && tail ? "ess" : bulk ? "ess_bulk" : "ess_tail", kLeastEss));
  return faults;
}

Extremes extremes_of(const Parameters& parameters) {
  Extremes all;
  for (const stats::ParameterSummary& p : parameters) {
    if (p.rhat > all.rhat) all.rhat = p.rhat;
    if (p.ess_bulk < all.ess_bulk) all.ess_bulk = p.ess_bulk;
    if (p.ess_tail < all.ess_tail) all.ess_tail = p.ess_tail;
  }
  return all;
}

std::vector<std::string> diagnose(const Parameters& parameters, const std::vector<std::string>& labels) {
  std::vector<std::string> lines;
  const Worst rhat = worst_of(parameters, &stats::ParameterSummary::rhat, [](double v) { return v > kMostRhat; });
  if (rhat.count > 0)
    lines.push_back(fmt::format("R-hat above {} for {} (worst {:.3f}: {}): the chains have not mixed", kMostRhat,
                                share_in(rhat.count, parameters.size()), rhat.value, labels[rhat.at]));
  const auto tell_of = [&](double stats::ParameterSummary::*ess, const char* name, const char* uncertain) {
    const Worst low = worst_of(parameters, ess, [](double v) { return v < kLeastEss; });
    if (low.count > 0)
      lines.push_back(fmt::format("{} ESS below {} for {} (least {:.0f}: {}): {} are uncertain", name, kLeastEss,
                                  share_in(low.count, parameters.size()), low.value, labels[low.at], uncertain));
  };
  tell_of(&stats::ParameterSummary::ess_bulk, "bulk", "means");
  tell_of(&stats::ParameterSummary::ess_tail, "tail", "quantiles");
  return lines;
}

bool is_intercept(const std::string& label) { return label.ends_with("intercept"); }

bool is_log_scale(const std::string& label) {
  return label == "log_sigma" || label == "log_sd" || label.starts_with("log_sd[");
}

// The variance between half chains follows from the definition of R-hat: it is about that of all draws times 1 -
// 1/R-hat².
double chance_limit(std::size_t n) {
  return std::sqrt(2 * std::log(static_cast<double>(std::max<std::size_t>(n, 1)) / 0.01));
}

std::string unsettled(const Parameters& parameters, const std::vector<std::string>& labels,
                      const std::vector<std::size_t>& which) {
  std::size_t count = 0, at = 0;
  double worst = 0, apart_at = 0;
  for (const std::size_t j : which) {
    const stats::ParameterSummary& p = parameters[j];
    if (!(p.rhat > kMostRhat)) continue;
    const double apart = p.sd * std::sqrt(1 - 1 / (p.rhat * p.rhat));
    const double relative = is_log_scale(labels[j]) ? apart : apart / std::abs(p.mean);
    if (!(relative > 0.01)) continue;
    ++count;
    if (relative > worst) at = j, worst = relative, apart_at = apart;
  }
  if (count == 0) return "";
  return fmt::format(
      "the estimates of {} have not settled: halves of the chains differ by more than 1 % (worst {}: by about {:.2g})",
      share_in(count, which.size()), labels[at], apart_at);
}

}  // namespace pollen::sink
