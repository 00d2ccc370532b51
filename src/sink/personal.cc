#include "sink/personal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/file.h"
#include "math/math.h"
#include "numbers.h"
#include "personal_scores.h"
#include "pollen/errors.h"
#include "pollen/scores.h"
#include "sink/limits.h"
#include "sink/parallel.h"
#include "sink/score_sums.h"
#include "sink/text.h"
#include "spaced_draws.h"

namespace pollen::sink {

namespace {

// Evenly spaced draws of (φ, β), at most so many per chain, chain after chain.
Learnt posterior_of(const SpoolReader& spool, Index most) {
  const Index chains = spool.shape().chains;
  const std::vector<std::int64_t> chosen = spaced_draws(spool.draws(), chains, most * chains);
  Learnt out{Panel(spool.shape().dimension, chains * std::ssize(chosen)), {}, true};
  for (Index c = 0; c < chains; ++c)
    for (std::size_t n = 0; n < chosen.size(); ++n)
      spool.draw(chosen[n], c, out.at.column(c * std::ssize(chosen) + static_cast<Index>(n)));
  return out;
}

// Which effects are reported: coefficients of columns, which the data determine.
ClientEffects effects_of(const Experiment& experiment, const std::vector<std::string>& labels, Index clients) {
  constexpr std::size_t kMostLatents = 12;
  const PersonalResults& personal = *experiment.personal();
  const std::vector<std::string> latents = personal.latent_labels();
  ClientEffects effects;
  if (personal.is_baseline() || !personal.learns_average() || latents.size() > kMostLatents) return effects;
  effects.labels = latents;
  for (const std::string& latent : latents) {
    auto found = std::ranges::find(labels, fmt::format("mu[{}]", latent));
    if (found == labels.end()) found = std::ranges::find(labels, "mu");
    effects.pooled.push_back(found == labels.end() ? "" : *found);
  }
  for (Index i = 0; i < clients; ++i) effects.clients.push_back(experiment.data().client_names[at(i)]);
  return effects;
}

// Draws for every client, writes the draws to its file and releases them. The scores need only the predictions on test
// rows, and their sums are added up as soon as the clients before have added theirs.
std::vector<OwnDraws> draw_clients(const Experiment& experiment, const RunFolder& folder, Index clients,
                                   const PersonalOptions& options, const OwnQuestion& question, const Learnt& learnt,
                                   ClientEffects& effects, ClientsSums& sums) {
  constexpr Index kTogether = 64;
  std::vector<OwnDraws> out(static_cast<std::size_t>(clients));
  if (!effects.labels.empty()) effects.own.resize(out.size());
  const int threads = experiment.personal()->is_baseline() ? 1 : options.threads;  // a baseline's points exist already
  const auto draw = [&](Index i) {
    const auto at = static_cast<std::size_t>(i);
    out[at] = experiment.personal()->own_draws(i, question, learnt);
    if (!effects.own.empty()) effects.own[at] = intervals_of(out[at].z);
    if (options.files)
      replace_file(fmt::format("{}/{}", folder.clients(), client_file(i, experiment.data().client_names[at])),
                   draws_csv(experiment.personal()->latent_labels(), out[at].z, experiment.config().run.chains));
    out[at].z = Panel();
  };
  for (Index first = 0; first < clients; first += kTogether) {
    const Index count = std::min(kTogether, clients - first);
    for_each_index(count, threads, [&](Index i) { draw(first + i); });
    for (Index i = first; i < first + count; ++i) {
      sums.add(out[at(i)].sums);
      out[at(i)].sums = {};
    }
  }
  return out;
}

// Compares the results with the truth behind synthetic-mixed: the errors of Φ̂ẑ_i and of ẑ_i, and the distance between
// the column spaces of Φ̂ and Φ, as means over chains.
void add_truth(const Experiment& experiment, const std::vector<OwnDraws>& drawn, Scores& metrics) {
  const Config& config = experiment.config();
  const DataSpec& data = config.data;
  if (config.model.kind != "mixed-linear" || data.sources.front() != "synthetic-mixed" ||
      config.model.latent != data.latent_dimension)
    return;
  const Index k = data.dimension, d = data.latent_dimension, clients = std::ssize(drawn);
  MixedTruth truth = synthetic_mixed_truth(data, config.seed);
  truth.z.resize(static_cast<std::size_t>(clients * d));
  const Panel learnt = experiment.personal()->learnt();
  double error = 0, distance = 0, angle = 0;
  for (Index c = 0; c < config.run.chains; ++c) {
    std::vector<double> effects;  // Φ̂ẑ_i of one client after the other
    for (const OwnDraws& own : drawn) std::ranges::copy(own.effects.column(c), std::back_inserter(effects));
    error += stats::aligned_error(effects, truth.phi, truth.z, k, d, clients);
    distance += stats::aligned_latent_distance(effects, truth.z, k, d, clients);
    angle += stats::principal_angle_distance(learnt.column(c).first(truth.phi.size()), truth.phi, k, d);
  }
  const auto chains = static_cast<double>(config.run.chains);
  metrics.push_back({"personal_error", error / chains});
  metrics.push_back({"latent_distance", distance / chains});
  metrics.push_back({"principal_angle", angle / chains});
}

// The standard error of the mean of the chains' averages, from how far they are apart.
double simulation_error(const Panel& average, std::size_t j) {
  const auto chains = static_cast<double>(average.columns());
  double sum = 0, squares = 0;
  for (Index c = 0; c < average.columns(); ++c) sum += average.column(c)[j] / chains;
  for (Index c = 0; c < average.columns(); ++c) squares += (average.column(c)[j] - sum) * (average.column(c)[j] - sum);
  return average.columns() < 2 ? kUnknown : std::sqrt(squares / (chains - 1) / chains);
}

// Puts the estimates and their standard errors in place of what describes the path.
void report_estimates(const Experiment& experiment, Summary& summary) {
  if (summary.facts.states != States::estimates || summary.parameters.empty()) return;
  const RunFacts& facts = summary.facts;
  const Estimates estimates = experiment.personal()->estimates();
  const bool known = !estimates.covariance.empty();
  if (known) {  // the estimates are judged by the standard errors, below
    const std::string line = unsettled(summary.parameters, facts.labels, facts.identified);
    std::erase(summary.warnings, line);
    std::erase(summary.verdict.reasons, line);
  }
  std::vector<std::string> loose;
  for (std::size_t j = 0; j < summary.parameters.size(); ++j) {
    stats::ParameterSummary& p = summary.parameters[j];
    set_estimate(estimates.value[j], estimates.se(j), p);
    p.mcse = simulation_error(summary.average, j);
    if (p.mcse > 0.25 * p.sd) loose.push_back(facts.labels[j]);
  }
  for (Index c = 0; c < summary.average.columns(); ++c) math::add(estimates.moved, summary.average.column(c));
  if (estimates.moves > 0)
    summary.facts.notes.push_back(fmt::format(
        "estimates: the chains' averages were not at the maximum, to which {} Newton steps led", estimates.moves));
  summary.covariance = estimates.covariance;
  summary.own_covariance = estimates.own_covariance;
  summary.why = estimates.why;
  summary.facts.counters = experiment.counters();
  if (!summary.why.empty())
    summary.facts.notes.push_back((known ? "standard errors: " : "no standard errors: ") + summary.why);
  const auto warn = [&](const std::string& line) {
    for (auto* lines : {&summary.warnings, &summary.verdict.reasons}) lines->push_back(line);
  };
  if (!loose.empty() && estimates.moves == 0)
    warn(
        fmt::format("the estimates of {} have not settled: the chains leave a simulation error above a quarter of a "
                    "standard error; "
                    "more run.iterations or sampler.local_steps make it smaller",
                    fmt::join(loose, ", ")));
  if (estimates.away > 0.25)
    warn(
        fmt::format("the estimates have not settled: the maximum is still about {:.2g} standard errors away; more "
                    "run.iterations lead there",
                    estimates.away));
}

}  // namespace

Scores losses_of(const Experiment& experiment) {
  const RowLoss loss = experiment.personal()->row_loss();
  Scores out = {{"nnll_train", loss.train}};
  if (experiment.data().test.rows > 0) out.push_back({"nnll_test", loss.test});
  return out;
}

void set_estimate(double value, double error, stats::ParameterSummary& out) {
  constexpr double kNormal = 1.6448536269514722;  // the 95 % quantile of the standard normal
  out.mean = out.q50 = value;
  out.sd = error;
  out.q5 = value - kNormal * error;
  out.q95 = value + kNormal * error;
  out.mcse = out.ess_bulk = out.ess_tail = kUnknown;
}

void add_site_personal(Summary& summary, const SpoolReader& spool, const Experiment& experiment, RunStatus status) {
  constexpr Index kMostStates = 4000;
  const PersonalResults& personal = *experiment.personal();
  summary.check.words = "No predictive check is made in a federation, whose rows stay with the clients.";
  if (!personal.has_posterior()) {
    summary.last = copy_of(experiment.position());
    summary.average = personal.averaged();
  }
  if (status != RunStatus::complete) return;
  report_estimates(experiment, summary);
  const Index each = std::min(experiment.config().output.client_draws, kMostStates / experiment.config().run.chains);
  const Learnt learnt =
      personal.in_clients_units(personal.has_posterior() ? posterior_of(spool, std::max<Index>(1, each))
                                                         : Learnt{summary.average, summary.own_covariance});
  const Index d = learnt.covariance.empty() ? 0 : learnt.at.rows();
  Panel sums(ScoreSums::numbers(0), 1);
  experiment.ask_scores(learnt.at, {learnt.covariance.data(), d, d, d}, sums);
  const ScoreSums all = ScoreSums::read(sums.column(0), 0);
  if (all.rows == 0) return;
  summary.scored = {false, counted(all.rows), counted(all.rows)};
  summary.metrics = all.scores(personal.predicts_classes());
}

void add_personal(Summary& summary, const SpoolReader& spool, const Experiment& experiment, const RunFolder& folder,
                  const PersonalOptions& options) {
  const PersonalResults& personal = *experiment.personal();
  if (personal.has_posterior() && spool.draws() == 0) return;
  if (!personal.has_posterior()) {
    summary.last = copy_of(experiment.position());
    summary.average = personal.averaged();
  }
  report_estimates(experiment, summary);
  const Federation& data = experiment.data();
  const Index clients = std::min(options.clients, data.clients());
  if (clients == 0) return;
  std::error_code error;
  if (options.files) std::filesystem::create_directory(folder.clients(), error);
  if (error) throw IoError(fmt::format("{}: cannot make the folder: {}", folder.clients(), error.message()));
  const PredictedTargets targets = targets_of(experiment, clients, options.training);
  summary.effects = effects_of(experiment, summary.facts.labels, clients);
  const OwnQuestion question{options.draws, targets.rows.training, targets.groups.edges()};
  const Learnt learnt =
      personal.has_posterior() ? posterior_of(spool, options.draws) : Learnt{summary.average, summary.own_covariance};
  ClientsSums sums(targets.groups, at(clients));
  const std::vector<OwnDraws> drawn =
      draw_clients(experiment, folder, clients, options, question, learnt, summary.effects, sums);
  score_clients(summary, experiment, targets, drawn, sums);
  add_truth(experiment, drawn, summary.metrics);
}

}  // namespace pollen::sink
