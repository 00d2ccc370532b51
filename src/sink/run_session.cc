#include "sink/run_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "pollen/errors.h"
#include "recipe/config_difference.h"
#include "round/client_host.h"
#include "sink/personal.h"

namespace pollen::sink {

namespace {

SpoolShape shape_of(const Experiment& experiment) {
  return {experiment.dimension(), experiment.config().run.chains,
          experiment.has_transitions() ? SpoolShape::kTransition : 0};
}

// A resumed run keeps its output settings, except the folder, which may have been moved.
void take_up(Job& job) {
  job.checkpoint = read_checkpoint(job.folder.checkpoint());
  if (!job.checkpoint)
    throw ConfigError(
        "--resume",
        fmt::format("found no checkpoint in {}, accepted: the folder of a run that was stopped", job.shown_folder));
  const Config before = read_config_text(job.checkpoint->config_given, job.folder.checkpoint());
  const bool lp = job.config.output.lp;
  job.config.output = before.output;
  job.config.output.lp = lp;
}

void check_formats(const Config& config) {
  for (const std::string& format : config.output.draws)
    if (format != "csv" && format != "none")
      throw ConfigError(config.file + ": output.draws",
                        fmt::format("found \"{}\", which is not in this version; accepted: \"csv\", \"none\"", format));
}

// Returns the digests of all files that a run reads. Those that other ranks have read need not be here.
std::vector<FileDigest> digests_of_files(const Config& config, const std::vector<FileDigest>& read) {
  std::vector<std::string> paths = files_of(config.data);
  for (const std::string& path : {config.model.file, config.network_time.trace})
    if (!path.empty()) paths.push_back(path);
  std::vector<FileDigest> digests;
  for (const std::string& path : paths) {
    const auto known = std::ranges::find(read, path, &FileDigest::path);
    digests.push_back(known == read.end() ? digest_of(path) : *known);
  }
  return digests;
}

}  // namespace

Job make_job(Config config, const std::string& folder, bool resume) {
  check_formats(config);
  if (folder.empty()) throw ConfigError("output.dir", "found \"\", accepted: a path");
  Job job;
  job.config = std::move(config);
  job.draws = job.config.output.draws;
  job.shown_folder = folder;
  job.config.output.dir = std::filesystem::absolute(folder).lexically_normal().string();
  job.folder = RunFolder(job.config.output.dir);
  if (!resume) job.folder.check_free();
  job.folder.lock();
  if (resume) take_up(job);
  return job;
}

RunSession::RunSession(Job job) : job_(std::move(job)), experiment_(job_.config, options_of_experiment()) {
  config_given_ = to_toml(experiment_.config());
  // In a federation the clients read the data, and know whether they are the same.
  if (job_.experiment.sites.empty() && !complete())
    files_ = digests_of_files(experiment_.config(), experiment_.data().files);
  if (job_.checkpoint)
    check_same_configuration(), check_same_files();
  else
    job_.folder.check_free();
}

ExperimentOptions RunSession::options_of_experiment() {
  ExperimentOptions options = job_.experiment;
  if (job_.live != nullptr && options.sites.empty())
    options.watch = [live = job_.live](std::span<const ClientTraffic> loads) { live->exchanged(loads); };
  options.warming = [this](std::int64_t done, std::int64_t steps) { show_warming(done, steps); };
  return options;
}

// Accepts the configuration as the user gave it, or as DIR/config.toml has it, where the step is a number.
void RunSession::check_same_configuration() const {
  const Checkpoint& checkpoint = *job_.checkpoint;
  if (!first_difference(config_given_, checkpoint.config_used)) return;
  if (const auto difference = first_difference(config_given_, checkpoint.config_given))
    throw ConfigError(
        difference->key,
        fmt::format("found {}, but the run to resume in {} has {}; accepted with --resume: the same configuration",
                    difference->left, job_.shown_folder, difference->right));
}

void RunSession::check_same_files() const {
  Problems problems;
  for (const FileDigest& then : job_.checkpoint->files) {
    const auto now = std::ranges::find(files_, then.path, &FileDigest::path);
    if (now != files_.end() && *now != then)
      problems.add(then.path,
                   fmt::format("found other bytes than when the run began ({} bytes now, {} then); accepted with "
                               "--resume: the same file, or run without --resume",
                               now->bytes, then.bytes));
  }
  problems.raise();
}

void RunSession::say(const std::string& line) const {
  if (job_.on_message) job_.on_message(line);
}

void RunSession::start() {
  if (job_.checkpoint && !job_.checkpoint->experiment.empty())
    start_resumed();
  else
    start_fresh();
}

// A resumed run that had not begun to sample begins in its own folder.
void RunSession::begin_folder() {
  const bool replace = job_.replace || job_.checkpoint;
  const std::string moved = job_.folder.begin(to_toml(experiment_.config()),
                                              replace ? RunFolder::Earlier::replace : RunFolder::Earlier::rename);
  if (moved.empty()) return;
  const std::string shown = RunFolder(job_.shown_folder).path();
  say(fmt::format("{} held an earlier run, which is now {}{}", shown, shown, moved.substr(job_.folder.path().size())));
}

void RunSession::leave_early() {
  begin_folder();
  Checkpoint nothing_yet;
  nothing_yet.config_given = nothing_yet.config_used = config_given_;
  nothing_yet.files = files_;
  sink::write_checkpoint(checkpoint_file(), nothing_yet);
}

void RunSession::start_fresh() {
  try {
    experiment_.prepare();
  } catch (...) {
    end_warming();
    throw;
  }
  for (const std::string& line : experiment_.warnings()) say("warning: " + line);
  begin_folder();
  write_layout();
  const MetricsColumns columns{score_columns(experiment_), experiment_.privacy().asked(),
                               experiment_.simulated() != nullptr};
  make_recorder(std::make_unique<SpoolWriter>(job_.folder.spool(), shape_of(experiment_)),
                std::make_unique<MetricsFile>(job_.folder.metrics(), columns));
  // A server that finds its state without a checkpoint knows that one was lost.
  if (!job_.experiment.sites.empty()) write_checkpoint(Moment::pause);
}

// Writes how columns are encoded, which lets the run predict on machines that do not have its data.
void RunSession::write_layout() const {
  const TargetKind kind = target_of(experiment_.config());
  if (kind == TargetKind::none) return;
  if (job_.layout)
    replace_file(job_.folder.encoder(), to_json(*job_.layout));
  else if (experiment_.data().train.columns > 0)
    replace_file(job_.folder.encoder(), to_json(layout_of(experiment_.data(), experiment_.config().data, kind)));
}

void RunSession::start_resumed() {
  const Checkpoint& checkpoint = *job_.checkpoint;
  try {
    experiment_.load(checkpoint.experiment);
  } catch (const WireError& error) {
    throw ConfigError(checkpoint_file(), error.what());
  }
  if (!std::filesystem::exists(job_.folder.encoder())) write_layout();
  config_given_ = checkpoint.config_given;
  seconds_before_ = checkpoint.seconds;
  cpu_before_ = checkpoint.cpu_seconds;
  make_recorder(std::make_unique<SpoolWriter>(job_.folder.spool(), shape_of(experiment_), checkpoint.draws),
                std::make_unique<MetricsFile>(job_.folder.metrics(), checkpoint.metrics_bytes));
  recorder_->load(checkpoint.recorder);
  say(fmt::format("going on after {} of {} iterations", experiment_.iteration(), experiment_.config().run.iterations));
}

void RunSession::show_warming(std::int64_t done, std::int64_t steps) {
  if (!warming_) {
    say(fmt::format("warming up: {} steps of gradient descent", steps));
    warming_since_ = std::chrono::steady_clock::now();
    warming_.emplace().total = steps;
    warming_->warming_up = true;
  }
  warming_->iteration = done;
  warming_->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - warming_since_).count();
  if (done == steps) return end_warming();
  if (job_.on_progress) job_.on_progress(*warming_);
}

void RunSession::end_warming() {
  if (!warming_) return;
  warming_->last = true;
  if (job_.on_progress) job_.on_progress(*warming_);
  warming_.reset();
}

void RunSession::make_recorder(std::unique_ptr<SpoolWriter> spool, std::unique_ptr<MetricsFile> metrics) {
  RecorderOptions options;
  options.shape = shape_of(experiment_);
  options.facts = facts_of(experiment_.config(), experiment_.recipe(), experiment_.clients());
  options.facts.done = experiment_.iteration();
  options.metrics_every = experiment_.config().output.metrics_every;
  options.checkpoint_every = job_.checkpoint_every;
  options.seconds_before = seconds_before_;
  options.checkpoint = [this] { write_checkpoint(Moment::round); };
  // In a federation whose clients move with every round, one must be on the disk before the next begins. The same holds
  // where clients are skipped, which a server that repeats rounds cannot repeat: clients answer a round only as it was.
  const bool skips = experiment_.config().federation.on_missing.value_or("wait") == "skip";
  options.every_round = !job_.experiment.sites.empty() && (keeps_state(experiment_.recipe()) || skips);
  checkpoints_.emplace(checkpoint_file(), options.every_round);
  options.live = job_.live;
  options.on_progress = job_.on_progress;
  options.sinks = job_.sinks;
  if (job_.live != nullptr) job_.live->begin(experiment_);
  if (experiment_.privacy().asked())
    options.spending = [this](std::int64_t iteration) { return experiment_.privacy().after(iteration); };
  if (experiment_.simulated() != nullptr) options.simulated = [this] { return experiment_.simulated()->total(); };
  if (experiment_.personal() && !experiment_.personal()->apart())
    options.losses = [this] { return losses_of(experiment_); };
  recorder_ = std::make_unique<Recorder>(
      options, std::move(spool), std::move(metrics),
      std::make_unique<RunningScores>(experiment_.model(), experiment_.data().test, options.facts.ece_bins));
}

}  // namespace pollen::sink
