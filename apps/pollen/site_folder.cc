#include "site_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "base/file.h"
#include "data/row_layout.h"
#include "personal/baselines.h"
#include "sink/facts.h"
#include "sink/parallel.h"
#include "sink/personal.h"
#include "sink/stan_csv.h"
#include "sink/summary.h"
#include "terminal.h"

namespace pollen::app {

namespace {

sink::RunFacts facts_of(const Participant& from) {
  sink::RunFacts facts = sink::facts_of(*from.config(), *from.recipe(), from.clients());
  facts.done = facts.iterations;
  facts.labels = from.labels();
  if (from.recipe()->personal)
    facts.states = from.recipe()->exact                      ? sink::States::draws
                   : find_baseline(facts.sampler) != nullptr ? sink::States::iterates
                                                             : sink::States::estimates;
  facts.notes.emplace_back("this is one client's own folder: the server has the counts, and the scores of all clients");
  return facts;
}

// What this client keeps of a model with latents: its draws, as files.
void write_latents(const sink::RunFolder& folder, const SiteLatents& latents, const Participant& from) {
  std::filesystem::create_directories(folder.clients());
  const std::string path = fmt::format("{}/{}", folder.clients(), sink::client_file(from.index(), from.name()));
  const Index chains = from.config()->run.chains;
  replace_file(path, sink::draws_csv(latents.latent_labels, latents.own.z, chains));
  if (latents.predictive.empty()) return;
  std::vector<std::string> labels = latents.shared_labels;
  labels.insert(labels.end(), latents.latent_labels.begin(), latents.latent_labels.end());
  replace_file(sink::predictive_file(path), sink::draws_csv(labels, latents.predictive, 1));
}

// What the server told this client about the estimates, for its predictions.
void add_estimates(const SiteLatents& latents, const std::string& name, sink::Summary& summary) {
  const Panel& average = latents.average;
  const auto d = static_cast<std::size_t>(average.rows());
  if (summary.facts.states != sink::States::draws) summary.last = summary.average = average;
  summary.covariance = latents.covariance;
  summary.own_covariance = latents.own_covariance;
  summary.parameters.resize(d);
  for (std::size_t j = 0; j < d; ++j) {
    double mean = 0;
    for (Index c = 0; c < average.columns(); ++c) mean += average.column(c)[j] / static_cast<double>(average.columns());
    const double variance = latents.covariance.empty() ? 0 : latents.covariance[j * d + j];
    const double error = variance > 0 ? std::sqrt(variance) : std::numeric_limits<double>::quiet_NaN();
    sink::set_estimate(mean, error, summary.parameters[j]);
    summary.parameters[j].rhat = std::numeric_limits<double>::quiet_NaN();
  }
  if (summary.facts.states == sink::States::iterates) return;
  summary.effects.labels = latents.latent_labels;
  summary.effects.pooled.resize(latents.latent_labels.size());
  summary.effects.clients = {name};
  summary.effects.own = {sink::intervals_of(latents.own.z)};
}

}  // namespace

SiteFolder::SiteFolder(const std::string& folder)
    : folder_(std::filesystem::absolute(folder).lexically_normal().string()) {
  folder_.check_free();
  folder_.lock();
}

void SiteFolder::begin(const Participant& from) {
  if (std::exchange(begun_, true)) return;
  Config config = *from.config();
  if (!config.sampler.step && from.recipe()->step.size > 0) config.sampler.step = from.recipe()->step.size;
  config.output.dir = folder_.path();
  if (from.recipe()->personal) config.data.sources.clear();  // what follows comes from this folder, not from rows
  const std::string moved = folder_.begin(to_toml(config));
  if (!moved.empty()) tell(fmt::format("{} held an earlier run, which is now {}", folder_.path(), moved));
  if (const TargetKind kind = target_of(config); kind != TargetKind::none)
    replace_file(folder_.encoder(), to_json(layout_of(from.problem()->data, config.data, kind)));
}

void SiteFolder::keep(const wire::Draws& message, const Participant& from) {
  begin(from);
  if (message.chain == 0 && message.first == 0)
    spool_ = std::make_unique<sink::SpoolWriter>(
        folder_.spool(), sink::SpoolShape{message.positions.rows(), from.config()->run.chains, 0});
  if (message.chain == 0) block_.clear();
  block_.push_back(message.positions);
  if (std::ssize(block_) < from.config()->run.chains) return;
  Panel position(message.positions.rows(), std::ssize(block_));
  for (Index i = 0; i < message.positions.columns(); ++i) {
    for (std::size_t c = 0; c < block_.size(); ++c)
      std::ranges::copy(block_[c].column(i), position.column(static_cast<Index>(c)).begin());
    spool_->append(position, {});
  }
}

void SiteFolder::keep(const SiteScores& scores, const Participant& from) {
  begin(from);
  scores_ = scores;
  if (scores.latents) write_latents(folder_, *scores.latents, from);
  if (!spool_) write_summary(from, nullptr);
}

void SiteFolder::write_summary(const Participant& from, const sink::SpoolReader* spool) const {
  const sink::RunFacts facts = facts_of(from);
  sink::Summary summary;
  summary.facts = facts;
  summary.verdict.words = "The server, which has the path of the chains, judges the run.";
  if (spool != nullptr) summary = sink::summarize(facts, *spool, sink::sensible_threads(1));
  if (scores_ && scores_->latents && spool == nullptr) add_estimates(*scores_->latents, from.name(), summary);
  if (scores_) {
    summary.clients.push_back({from.name(), scores_->train_rows, scores_->test_rows, scores_->scores});
    summary.metrics = scores_->scores;
    summary.scored = {false, scores_->test_rows, scores_->test_rows};
  }
  replace_file(folder_.summary(), sink::to_json(summary));
}

std::int64_t SiteFolder::finish(const Participant& from) {
  if (!spool_) return 0;
  spool_->sync();
  const sink::SpoolReader spool(folder_.spool());
  sink::write_stan_csv(folder_.path(), facts_of(from), spool);
  write_summary(from, &spool);
  std::filesystem::remove(folder_.spool());
  return spool.draws();
}

}  // namespace pollen::app
