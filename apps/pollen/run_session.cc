#include "run_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>

#include "base/file.h"
#include "federation/federation.h"
#include "pollen/errors.h"
#include "recipe/config_difference.h"
#include "sink/client_tables.h"
#include "sink/parallel.h"
#include "sink/personal.h"
#include "sink/stan_csv.h"
#include "stop.h"
#include "terminal.h"

namespace pollen::app {

namespace {

sink::SpoolShape shape_of(const Experiment& experiment) {
  return {experiment.dimension(), experiment.config().run.chains,
          experiment.has_transitions() ? sink::SpoolShape::kTransition : 0};
}

}  // namespace

RunSession::RunSession(Job job) : job_(std::move(job)), experiment_(job_.config, options_of_experiment()) {
  config_given_ = to_toml(experiment_.config());
  if (job_.checkpoint)
    check_same_configuration();
  else
    job_.folder.check_free();
}

ExperimentOptions RunSession::options_of_experiment() {
  ExperimentOptions options = job_.experiment;
  options.threads = job_.request.threads;
  options.stop = &pause_flag();
  if (job_.live != nullptr && options.sites.empty())
    options.watch = [live = job_.live](std::span<const ClientTraffic> loads) { live->exchanged(loads); };
  options.warming = [this](std::int64_t done, std::int64_t steps) { show_warming(done, steps); };
  return options;
}

// The same as the user gave then, or as DIR/config.toml has it: there the step is written out.
void RunSession::check_same_configuration() const {
  const sink::Checkpoint& checkpoint = *job_.checkpoint;
  if (!first_difference(config_given_, checkpoint.config_used)) return;
  if (const auto difference = first_difference(config_given_, checkpoint.config_given))
    throw ConfigError(
        difference->key,
        fmt::format("found {}, but the run to resume in {} has {}; accepted with --resume: the same configuration",
                    difference->left, job_.shown_folder, difference->right));
}

void RunSession::start() {
  if (job_.checkpoint && !job_.checkpoint->experiment.empty())
    start_resumed();
  else
    start_fresh();
}

// A checkpoint without a state: --resume prepares again.
void RunSession::stopped_early() {
  job_.folder.begin(to_toml(experiment_.config()));
  sink::Checkpoint nothing_yet;
  nothing_yet.config_given = nothing_yet.config_used = config_given_;
  sink::write_checkpoint(checkpoint_file(), nothing_yet);
}

void RunSession::start_fresh() {
  try {
    experiment_.prepare();
  } catch (...) {
    if (warming_) warming_->progress.finish(warming_->state);
    throw;
  }
  if (!job_.request.quiet)
    for (const std::string& line : experiment_.warnings()) tell("warning: " + line);
  job_.folder.begin(to_toml(experiment_.config()));
  write_layout();
  const sink::SpoolShape shape = shape_of(experiment_);
  const sink::MetricsColumns columns{experiment_.data().test.rows > 0, experiment_.privacy().asked(),
                                     experiment_.personal(), experiment_.simulated() != nullptr};
  make_recorder(std::make_unique<sink::SpoolWriter>(job_.folder.spool(), shape),
                std::make_unique<sink::MetricsFile>(job_.folder.metrics(), experiment_.model(), columns));
}

// So that the run can predict where its data are not.
void RunSession::write_layout() const {
  const TargetKind kind = target_of(experiment_.config());
  if (kind == TargetKind::none) return;
  if (job_.layout)
    replace_file(job_.folder.encoder(), to_json(*job_.layout));
  else if (experiment_.data().train.columns > 0)
    replace_file(job_.folder.encoder(), to_json(layout_of(experiment_.data(), experiment_.config().data, kind)));
}

void RunSession::start_resumed() {
  const sink::Checkpoint& checkpoint = *job_.checkpoint;
  try {
    experiment_.load(checkpoint.experiment);
  } catch (const WireError& error) {
    throw ConfigError(checkpoint_file(), error.what());
  }
  if (!std::filesystem::exists(job_.folder.encoder())) write_layout();
  config_given_ = checkpoint.config_given;
  seconds_before_ = checkpoint.seconds;
  cpu_before_ = checkpoint.cpu_seconds;
  const sink::SpoolShape shape = shape_of(experiment_);
  make_recorder(std::make_unique<sink::SpoolWriter>(job_.folder.spool(), shape, checkpoint.draws),
                std::make_unique<sink::MetricsFile>(job_.folder.metrics(), checkpoint.metrics_bytes));
  recorder_->load(checkpoint.recorder);
  if (!job_.request.quiet)
    tell(fmt::format("going on after {} of {} iterations", experiment_.iteration(),
                     experiment_.config().run.iterations));
}

sink::ProgressOptions RunSession::progress_options() const {
  sink::ProgressOptions options;
  options.terminal = stderr_is_terminal();
  options.width = stderr_width;
  if (!job_.request.quiet) options.write = to_stderr;
  return options;
}

sink::Progress RunSession::make_progress() const {
  sink::ProgressOptions options = progress_options();
  options.total = experiment_.config().run.iterations;
  options.start = experiment_.iteration();
  return sink::Progress(std::move(options));
}

void RunSession::show_warming(std::int64_t done, std::int64_t steps) {
  using Clock = std::chrono::steady_clock;
  if (!warming_) {
    if (!job_.request.quiet) tell(fmt::format("warming up: {} steps of gradient descent", steps));
    sink::ProgressOptions options = progress_options();
    options.total = steps;
    options.counted = options.unit = "steps";
    warming_ = Warming{sink::Progress(std::move(options)), Clock::now()};
  }
  warming_->state = {done, std::chrono::duration<double>(Clock::now() - warming_->since).count(), 0, 0, std::nan("")};
  if (done < steps) return warming_->progress.update(warming_->state);
  warming_->progress.finish(warming_->state);
  warming_.reset();
}

void RunSession::make_recorder(std::unique_ptr<sink::SpoolWriter> spool, std::unique_ptr<sink::MetricsFile> metrics) {
  const Config& config = experiment_.config();
  sink::RecorderOptions options;
  options.shape = shape_of(experiment_);
  options.metrics_every = config.output.metrics_every;
  options.burn_in = experiment_.burn_in();
  options.ece_bins = config.output.ece_bins;
  options.checkpoint_every = job_.request.checkpoint_every;
  options.seconds_before = seconds_before_;
  options.pause = &pause_flag();
  // In a federation whose clients move with every round, one must be on the disk before the next begins.
  options.every_round = !job_.experiment.sites.empty() && keeps_state(experiment_.recipe());
  options.onlooker = job_.live;
  if (job_.live != nullptr) job_.live->begin(experiment_);
  if (experiment_.privacy().asked())
    options.spending = [this](std::int64_t iteration) { return experiment_.privacy().after(iteration); };
  if (experiment_.simulated() != nullptr) options.simulated = [this] { return experiment_.simulated()->total(); };
  if (experiment_.personal()) options.losses = [this] { return sink::losses_of(experiment_); };
  recorder_ = std::make_unique<sink::Recorder>(
      options, std::move(spool), std::move(metrics),
      std::make_unique<sink::Predictive>(experiment_.model(), experiment_.data().test), make_progress());
}

void RunSession::write_checkpoint(bool finished) {
  const auto start = std::chrono::steady_clock::now();
  recorder_->sync();
  sink::Checkpoint checkpoint;
  checkpoint.finished = finished;
  checkpoint.config_given = config_given_;
  checkpoint.config_used = to_toml(experiment_.config());
  checkpoint.draws = recorder_->draws();
  checkpoint.metrics_bytes = recorder_->metrics_bytes();
  checkpoint.seconds = recorder_->seconds();
  checkpoint.cpu_seconds = cpu_before_ + recorder_->cpu_seconds();
  if (!finished) checkpoint.recorder = recorder_->save();
  sink::write_checkpoint(checkpoint_file(), checkpoint, [&](Archive& archive) {
    if (!finished) experiment_.save(archive);
  });
  recorder_->checkpoint_written(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

sink::RunStatus RunSession::sample() {
  const std::int64_t total = experiment_.config().run.iterations;
  try {
    while (experiment_.iteration() < total && !interrupted() && !budget_spent()) {
      recorder_->start_clock();
      experiment_.advance(total - experiment_.iteration(), *recorder_);
      recorder_->stop_clock();
      write_checkpoint(false);
    }
    if (experiment_.iteration() == 0) write_checkpoint(false);  // stopped before the first
  } catch (const Interrupted&) {  // in the middle of a round: the last checkpoint is the one to go on from
    recorder_->stop_clock();
  } catch (const NumericError& error) {
    recorder_->stop_clock();
    failure_ = error.what();
    if (failure_.find("sampler.step") == std::string::npos) failure_ += "; try a smaller sampler.step";
  } catch (...) {
    recorder_->finish_progress(experiment_.iteration(), experiment_.counters());
    throw;
  }
  recorder_->finish_progress(experiment_.iteration(), experiment_.counters());
  if (!failure_.empty()) return sink::RunStatus::failed;
  return experiment_.iteration() < total && !budget_spent() ? sink::RunStatus::interrupted : sink::RunStatus::complete;
}

bool RunSession::wants_csv() const {
  return std::find(job_.draws.begin(), job_.draws.end(), "csv") != job_.draws.end();
}

void RunSession::read_draws(const std::function<void(const sink::SpoolReader&)>& read) {
  recorder_->sync();
  read(sink::SpoolReader(job_.folder.spool()));
}

sink::Summary RunSession::finish(sink::RunStatus status) {
  recorder_->sync();
  sink::RunFacts facts = sink::facts_of(experiment_);
  facts.seconds = recorder_->seconds();
  facts.cpu_seconds = cpu_before_ + recorder_->cpu_seconds();
  facts.status = status;
  facts.failure = failure_;
  if (job_.add_facts) job_.add_facts(facts);
  const int threads = sink::sensible_threads(job_.request.threads);
  const sink::SpoolReader spool(job_.folder.spool());
  constexpr std::int64_t kSlow = 5'000'000;  // numbers that take seconds to write and summarise
  if (!job_.request.quiet && spool.draws() * static_cast<std::int64_t>(spool.shape().record()) > kSlow)
    tell("writing the draws and their summary");
  if (wants_csv()) sink::write_stan_csv(job_.folder.path(), facts, spool);
  sink::Summary summary = sink::summarize(facts, spool, threads);
  if (experiment_.personal() && status != sink::RunStatus::failed)
    sink::add_personal(
        summary, experiment_, job_.folder,
        {experiment_.config().output.clients, experiment_.config().output.client_draws, threads, wants_csv()});
  else if (!experiment_.personal())
    sink::add_scores(summary, spool, experiment_.model(), experiment_.data(), threads);
  replace_file(job_.folder.client_tables(), sink::client_tables(experiment_));
  replace_file(job_.folder.summary(), sink::to_json(summary));
  std::error_code ignored;
  if (status == sink::RunStatus::failed) std::filesystem::remove(checkpoint_file(), ignored);
  if (status == sink::RunStatus::complete) write_checkpoint(true);
  if (status != sink::RunStatus::interrupted) std::filesystem::remove(job_.folder.spool(), ignored);
  return summary;
}

std::vector<std::string> RunSession::files() const {
  std::vector<std::string> names;
  if (wants_csv()) {
    const Index chains = experiment_.config().run.chains;
    names.push_back(chains == 1 ? "draws-1.csv" : fmt::format("draws-1.csv … draws-{}.csv", chains));
  }
  for (const char* name : {"summary.json", "metrics.csv", "config.toml"}) names.emplace_back(name);
  if (experiment_.personal() && wants_csv() && experiment_.config().output.clients > 0) names.emplace_back("clients/");
  return names;
}

}  // namespace pollen::app
