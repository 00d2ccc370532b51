#include "sink/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string_view>
#include <unordered_map>

#include "base/file.h"
#include "numbers.h"
#include "pollen/errors.h"
#include "sink/folder.h"
#include "sink/limits.h"
#include "sink/stored_summary.h"
#include "sink/text.h"

namespace pollen::sink {

namespace {

constexpr Index kMomentsMost = 1000;  // covariances are computed up to this dimension
constexpr Index kPoints = 512;        // draws in the empirical W2, limited by the cost of the exact assignment

// Returns mean, mcse and sd of the reference. Exact references have mcse = 0.
std::vector<stats::ParameterSummary> summaries(const Reference& reference, int threads) {
  if (reference.draws) return summarize(*reference.draws, threads);
  const std::size_t d = reference.moments.mean.size();
  std::vector<stats::ParameterSummary> out(d);
  for (std::size_t j = 0; j < d; ++j) {
    out[j].mean = reference.moments.mean[j];
    out[j].sd = std::sqrt(reference.moments.covariance[j * d + j]);
  }
  return out;
}

stats::Moments moments_of(const DrawSet& draws) { return stats::moments(draws.thinned(draws.chains * draws.length)); }

void add_gaussian_w2(Comparison& comparison, const DrawSet& draws, const Reference& reference) {
  comparison.w2 = comparison.w2_relative = kUnknown;
  if (draws.dimension() > kMomentsMost || draws.chains * draws.length < 2) return;
  const stats::Moments theirs = reference.draws ? moments_of(*reference.draws) : reference.moments;
  comparison.w2 = stats::gaussian_w2(moments_of(draws), theirs);
  double trace = 0;
  for (std::size_t j = 0, d = theirs.mean.size(); j < d; ++j) trace += theirs.covariance[j * d + j];
  comparison.w2_relative = comparison.w2 / std::sqrt(trace);
}

void add_empirical_w2(Comparison& comparison, const DrawSet& draws, const DrawSet& reference) {
  const Index count = std::min({kPoints, draws.chains * draws.length, reference.chains * reference.length / 2});
  if (count < 2) return;
  const Panel ours = draws.thinned(count), theirs = reference.thinned(count);
  comparison.empirical = stats::empirical_w2(ours, theirs);
  const Panel both = reference.thinned(2 * count);
  const ConstPanelView odd{both.view().data, both.rows(), count, 2 * both.stride()};
  const ConstPanelView even{both.view().data + both.stride(), both.rows(), count, 2 * both.stride()};
  comparison.empirical_floor = stats::empirical_w2(odd, even).value;
}

void add_hpd(Comparison& comparison, const DrawSet& draws, const DrawSet& reference) {
  if (draws.lp.empty() || reference.lp.empty()) return;
  std::vector<double> ours(draws.lp), theirs(reference.lp);
  for (double& u : ours) u = -u;
  for (double& u : theirs) u = -u;
  for (const double alpha : {0.01, 0.1, 0.5}) comparison.hpd.push_back({alpha, stats::hpd_error(ours, theirs, alpha)});
}

Predictive averaged(const ChosenDraws& draws, const ModelSpec& model, const Table& test, int threads) {
  Predictive predictive(model, test);
  draws.visit([&](ConstPanelView states, Index) { predictive.add_all(states, threads); });
  return predictive;
}

constexpr std::size_t kRows = 20;

using Summaries = std::vector<stats::ParameterSummary>;

ComparedParameter compared_parameter(const std::string& label, const stats::ParameterSummary& ours,
                                     const stats::ParameterSummary& theirs) {
  const double difference = ours.mean - theirs.mean;
  return {label,
          ours.mean,
          theirs.mean,
          difference / std::hypot(ours.mcse, theirs.mcse),
          difference / theirs.sd,
          ours.sd / theirs.sd};
}

double size_of(double z) { return std::isnan(z) ? 0 : std::abs(z); }

std::string table(std::vector<ComparedParameter> rows) {
  const std::size_t all = rows.size();
  if (all > kRows) {
    std::ranges::stable_sort(rows, std::ranges::greater{}, [](const auto& p) { return size_of(p.z); });
    rows.resize(kRows);
  }
  TextTable text({"parameter", "mean", "reference", "z (MCSE)", "shift (sd)", "sd ratio"});
  for (const auto& p : rows)
    text.row({shorten(p.label, 32), short_number(p.mean), short_number(p.reference_mean),
              std::isnan(p.z) ? "-" : fmt::format("{:+.2f}", p.z), fmt::format("{:+.4f}", p.shift),
              fmt::format("{:.4f}", p.sd_ratio)});
  return text.text() + (all > kRows ? fmt::format("  … and {} more with smaller |z|\n", all - kRows) : "");
}

std::string distances(const Comparison& c) {
  std::string text;
  if (!std::isnan(c.w2))
    text += fmt::format("  Gaussian W2: {} ({:.4g} of the reference's sd)\n", short_number(c.w2), c.w2_relative);
  if (c.empirical)
    text += fmt::format("  empirical W2 of thinned draws ({}): {}; two halves of the reference are {} apart\n",
                        c.empirical->method, short_number(c.empirical->value), short_number(c.empirical_floor));
  if (c.predictives) text += predictives_line(*c.predictives);
  if (!c.hpd.empty()) {
    text += "  HPD level error:";
    for (const HpdError& e : c.hpd) text += fmt::format("  {:.4f} at α = {}", e.error, e.alpha);
    text += '\n';
  }
  return text;
}

}  // namespace

std::vector<ComparedParameter> matched(const std::vector<std::string>& labels, const Summaries& ours,
                                       const std::vector<std::string>& reference_labels, const Summaries& theirs) {
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t j = 0; j < reference_labels.size(); ++j) places.emplace(reference_labels[j], j);
  std::vector<ComparedParameter> out;
  for (std::size_t j = 0; j < labels.size(); ++j)
    if (const auto found = places.find(labels[j]); found != places.end())
      out.push_back(compared_parameter(labels[j], ours[j], theirs[found->second]));
  return out;
}

std::string agreement(const std::vector<ComparedParameter>& all) {
  if (all.empty()) return "the runs have no parameter of the same name";
  constexpr double kSmallShift = 0.1, kSmallRatio = 1.1;
  const auto z = std::ranges::max_element(all, {}, [](const auto& p) { return size_of(p.z); });
  const auto shift = std::ranges::max_element(all, {}, [](const auto& p) { return size_of(p.shift); });
  double low = 1, high = 1;
  for (const auto& p : all) low = std::min(low, p.sd_ratio), high = std::max(high, p.sd_ratio);
  const double limit = chance_limit(all.size());
  const bool agree = size_of(z->z) <= limit;
  const bool little = size_of(shift->shift) <= kSmallShift && low >= 1 / kSmallRatio && high <= kSmallRatio;
  const char* words = agree && little ? "the posteriors agree"
                      : agree         ? "the means agree, but not closely enough to call the posteriors the same"
                      : little        ? "the posteriors differ by more than chance, but by little"
                                      : "the posteriors differ";
  return fmt::format(
      "{}: the means {} (worst |z| {:.2f} at {}, chance allows {:.1f}); largest shift {:.3f} sd at {}; sd ratios "
      "{:.3f} "
      "to {:.3f}",
      words, agree ? "agree within Monte Carlo error" : "differ by more than Monte Carlo error", size_of(z->z),
      z->label, limit, size_of(shift->shift), shift->label, low, high);
}

Reference read_reference(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::exists(path, error))
    throw ConfigError(
        path, "found nothing there, accepted: a folder with draws, a CmdStan CSV, or JSON with mean and covariance");
  Reference reference;
  reference.name = path;
  if (fs::is_directory(path)) {
    const std::string json = RunFolder(path).summary();
    if (draw_files(path).empty() && fs::exists(json))
      reference.moments = read_moments(json);
    else
      reference.draws = read_draws(path);
    return reference;
  }
  const std::string text = read_text(path);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && (text[first] == '{' || text[first] == '['))
    reference.moments = read_moments(path);
  else
    reference.draws = read_draws_file(path);
  return reference;
}

Comparison compare(const DrawSet& draws, const Reference& reference, int threads) {
  if (draws.dimension() != reference.dimension())
    throw ConfigError(reference.name, fmt::format("found {} parameters, accepted: {}, as the draws have",
                                                  reference.dimension(), draws.dimension()));
  if (draws.length == 0 || (reference.draws && reference.draws->length == 0))
    throw ConfigError("compare", "found no draws on one side, accepted: at least one");
  Comparison comparison;
  const auto ours = summarize(draws, threads), theirs = summaries(reference, threads);
  for (std::size_t j = 0; j < ours.size(); ++j) {
    comparison.parameters.push_back(compared_parameter(draws.labels[j], ours[j], theirs[j]));
  }
  add_gaussian_w2(comparison, draws, reference);
  if (reference.draws) {
    add_empirical_w2(comparison, draws, *reference.draws);
    add_hpd(comparison, draws, *reference.draws);
  }
  return comparison;
}

ComparedPredictives compare_predictives(const DrawSet& a, const DrawSet& b, const ModelSpec& model, const Table& test,
                                        int threads) {
  const auto predictive = [&](const DrawSet& draws) {
    return averaged(ChosenDraws(draws.thinned(kPredictiveDraws)), model, test, threads);
  };
  return compared(predictive(a), predictive(b));
}

ComparedPredictives compared(const Predictive& a, const Predictive& b) {
  const std::vector<double> p = a.probabilities(), q = b.probabilities();
  const stats::Predictions ours{p, a.classes()}, theirs{q, b.classes()};
  return {stats::agreement(ours, theirs), stats::total_variation(ours, theirs), ours.rows()};
}

ComparedNetworks compare_networks(const ChosenDraws& draws, const ChosenDraws& reference, const ModelSpec& model,
                                  const Table& test, int ece_bins, int threads) {
  const Predictive ours = averaged(draws, model, test, threads), theirs = averaged(reference, model, test, threads);
  return {ours.scores(ece_bins), theirs.scores(ece_bins), ours.states(), theirs.states(), compared(ours, theirs)};
}

std::string network_report(const ComparedNetworks& c) {
  TextTable table({"score", "run", "reference"});
  for (std::size_t i = 0; i < c.ours.size(); ++i)
    table.row({c.ours[i].name, fmt::format("{:.4f}", c.ours[i].value), fmt::format("{:.4f}", c.theirs[i].value)});
  return table.text() + '\n' +
         fmt::format("  averaged over {} and {} draws; a network's units can change places: weights are not compared\n",
                     c.draws, c.reference_draws) +
         predictives_line(c.predictives);
}

std::string predictives_line(const ComparedPredictives& p) {
  return fmt::format("  predictives on {} test rows: agreement {:.4f}, total variation {:.4f}\n", p.rows, p.agreement,
                     p.total_variation);
}

std::string comparison_report(const Comparison& comparison) {
  return table(comparison.parameters) + '\n' + distances(comparison) +
         fmt::format("  verdict: {}\n", agreement(comparison.parameters));
}

}  // namespace pollen::sink
