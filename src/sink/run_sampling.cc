// The sampling of a RunSession, its checkpoints, and what it leaves.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "pollen/errors.h"
#include "sink/parallel.h"
#include "sink/personal.h"
#include "sink/run_session.h"
#include "sink/stan_csv.h"

namespace pollen::sink {

namespace {

// Shows how far the writing of many draws and of their summary has come.
class WritingProgress {
 public:
  WritingProgress(std::function<void(const RunProgress&)> show, std::int64_t numbers) : show_(std::move(show)) {
    now_.writing = true;
    now_.total = (numbers + kUnit - 1) / kUnit;
  }
  void done(std::int64_t more) {
    numbers_ += more;
    now_.iteration = std::min(numbers_ / kUnit, now_.total);
    tell();
  }
  void end() {
    now_.iteration = now_.total;
    now_.last = true;
    tell();
  }

 private:
  static constexpr std::int64_t kUnit = 1'000'000;
  void tell() {
    now_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - since_).count();
    if (show_) show_(now_);
  }
  std::function<void(const RunProgress&)> show_;
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
  std::int64_t numbers_ = 0;
  RunProgress now_;
};

}  // namespace

void RunSession::write_checkpoint(Moment moment) {
  const bool finished = moment == Moment::end;
  const auto start = std::chrono::steady_clock::now();
  recorder_->sync();
  Checkpoint checkpoint;
  checkpoint.finished = finished;
  checkpoint.config_given = config_given_;
  checkpoint.config_used = to_toml(experiment_.config());
  checkpoint.files = files_;
  checkpoint.draws = recorder_->draws();
  checkpoint.metrics_bytes = recorder_->metrics_bytes();
  checkpoint.seconds = recorder_->seconds();
  checkpoint.cpu_seconds = cpu_before_ + recorder_->cpu_seconds();
  if (!finished) checkpoint.recorder = recorder_->save();
  checkpoints_->write(checkpoint, moment == Moment::round, [&](Archive& archive) {
    if (!finished) experiment_.save(archive);
  });
  recorder_->checkpoint_written(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

void RunSession::advance() {
  recorder_->start_clock();
  experiment_.advance(experiment_.config().run.iterations - experiment_.iteration(), *recorder_);
  recorder_->stop_clock();
  write_checkpoint(Moment::pause);
}

RunStatus RunSession::sample() {
  const std::int64_t total = experiment_.config().run.iterations;
  try {
    if (experiment_.iteration() < total && !stopped() && !budget_spent())
      advance();
    else if (experiment_.iteration() == 0)
      write_checkpoint(Moment::pause);  // stopped before the first
  } catch (const Interrupted&) {        // in the middle of a round: the last checkpoint is the one to go on from
    recorder_->stop_clock();
    checkpoints_->settle();
  } catch (const NumericError& error) {
    recorder_->stop_clock();
    failure_ = error.what();
    const bool automatic = experiment_.personal() && !experiment_.config().sampler.step;  // no number can be smaller
    if (!automatic && failure_.find("sampler.step") == std::string::npos) failure_ += "; try a smaller sampler.step";
  } catch (...) {
    recorder_->finish_progress(experiment_.iteration(), experiment_.counters());
    throw;
  }
  recorder_->finish_progress(experiment_.iteration(), experiment_.counters());
  if (!failure_.empty()) return RunStatus::failed;
  return experiment_.iteration() < total && !budget_spent() ? RunStatus::interrupted : RunStatus::complete;
}

bool RunSession::wants_csv() const { return std::ranges::count(job_.draws, "csv") > 0; }

std::unique_ptr<SpoolReader> RunSession::read_draws() const {
  recorder_->sync();
  return std::make_unique<SpoolReader>(job_.folder.spool());
}

RunFacts RunSession::final_facts(RunStatus status) const {
  RunFacts facts = facts_of(experiment_);
  facts.seconds = recorder_->seconds();
  facts.cpu_seconds = cpu_before_ + recorder_->cpu_seconds();
  facts.transitions = recorder_->transition_facts();
  facts.status = status;
  facts.failure = failure_;
  const ColumnFacts& layout = experiment_.data().layout;
  const std::string target = job_.layout             ? job_.layout->target
                             : layout.target.empty() ? experiment_.config().data.target
                                                     : layout.target;
  if (facts.event && job_.layout) facts.event->target = target;
  describe(experiment_, target, facts);
  if (job_.add_facts) job_.add_facts(facts);
  return facts;
}

Summary RunSession::finish(RunStatus status) {
  recorder_->sync();
  const RunFacts facts = final_facts(status);
  const int threads = sensible_threads(job_.experiment.threads);
  const SpoolReader spool(job_.folder.spool());
  constexpr std::int64_t kSlow = 5'000'000;  // numbers that take seconds to write and summarise
  const std::int64_t numbers = spool.draws() * spool.shape().chains * static_cast<std::int64_t>(spool.shape().values());
  std::optional<WritingProgress> progress;
  if (numbers > kSlow) {
    say("writing the draws and their summary");
    progress.emplace(job_.on_progress, wants_csv() ? 2 * numbers : numbers);
  }
  const auto done = [&](std::int64_t more) {
    if (progress) progress->done(more);
  };
  if (wants_csv()) write_stan_csv(job_.folder.path(), facts, spool, done);
  Summary summary = summarize(facts, spool, threads, done);
  if (progress) progress->end();
  const OutputConfig& output = experiment_.config().output;
  if (experiment_.personal() && experiment_.personal()->apart())
    add_site_personal(summary, spool, experiment_, status);
  else if (experiment_.personal() && status != RunStatus::failed)
    add_personal(summary, spool, experiment_, job_.folder,
                 {output.clients, output.client_draws, threads, wants_csv(), !experiment_.privacy().asked()});
  else if (!experiment_.personal() && !job_.experiment.sites.empty())
    add_site_scores(summary, spool, experiment_, status);
  else if (!experiment_.personal())
    add_scores(summary, spool, experiment_.model(), experiment_.data(), !experiment_.privacy().asked(), threads);
  replace_file(job_.folder.client_tables(), client_tables(experiment_));
  replace_file(job_.folder.summary(), to_json(summary));
  return summary;
}

void RunSession::close(RunStatus status) {
  std::error_code ignored;
  if (status == RunStatus::failed) std::filesystem::remove(checkpoint_file(), ignored);
  if (status == RunStatus::complete) write_checkpoint(Moment::end);
  if (status != RunStatus::interrupted) std::filesystem::remove(job_.folder.spool(), ignored);
  job_.folder.release();
}

Ending RunSession::ending(bool pages) const { return {job_.shown_folder, files(), wants_csv(), pages}; }

std::vector<std::string> RunSession::files() const {
  std::vector<std::string> names;
  if (wants_csv()) {
    const Index chains = experiment_.config().run.chains;
    names.push_back(chains == 1 ? "draws-1.csv" : fmt::format("draws-1.csv … draws-{}.csv", chains));
  }
  for (const char* name : {"summary.json", "metrics.csv", "config.toml"}) names.emplace_back(name);
  if (experiment_.personal() && !experiment_.personal()->apart() && wants_csv() &&
      experiment_.config().output.clients > 0)
    names.emplace_back("clients/");
  return names;
}

}  // namespace pollen::sink
