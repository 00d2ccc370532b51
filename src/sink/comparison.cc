#include "sink/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "base/file.h"
#include "numbers.h"
#include "pollen/errors.h"
#include "sink/folder.h"
#include "sink/stored_summary.h"

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

Predictive averaged(const DrawSet& draws, const ModelSpec& model, const Table& test, int threads) {
  Predictive predictive(model, test);
  predictive.add_all(draws.thinned(kPredictiveDraws), threads);
  return predictive;
}

}  // namespace

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
    const double difference = ours[j].mean - theirs[j].mean;
    comparison.parameters.push_back({draws.labels[j], ours[j].mean, theirs[j].mean,
                                     difference / std::hypot(ours[j].mcse, theirs[j].mcse), difference / theirs[j].sd,
                                     ours[j].sd / theirs[j].sd});
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
  return compared(averaged(a, model, test, threads), averaged(b, model, test, threads));
}

ComparedPredictives compared(const Predictive& a, const Predictive& b) {
  const std::vector<double> p = a.probabilities(), q = b.probabilities();
  const stats::Predictions ours{p, a.classes()}, theirs{q, b.classes()};
  return {stats::agreement(ours, theirs), stats::total_variation(ours, theirs), ours.rows()};
}

}  // namespace pollen::sink
