#include "pollen/run.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "pollen/errors.h"
#include "sink/run_session.h"

namespace pollen {

namespace fs = std::filesystem;

namespace {

sink::Job job_of(Config config, const RunOptions& options, const std::string& folder) {
  if (options.posterior) config.model.kind = "gaussian";  // the posterior replaces [model], so any valid kind will do
  sink::Job job = sink::make_job(std::move(config), folder, options.resume);
  job.replace = options.replace;
  job.checkpoint_every = options.checkpoint_every;
  job.experiment.threads = options.threads;
  job.experiment.stop = options.stop;
  job.experiment.posterior = options.posterior;
  job.experiment.transport = options.transport;
  job.sinks = options.sinks;
  job.on_progress = options.on_progress;
  job.on_message = options.on_message;
  return job;
}

Summary to_public(const sink::Summary& found) {
  const sink::RunFacts& facts = found.facts;
  Summary summary{.status = facts.status,
                  .failure = facts.failure,
                  .iterations = facts.done,
                  .draws = found.draws,
                  .labels = facts.labels,
                  .parameters = found.parameters,
                  .covariance = found.covariance,
                  .scores = {},
                  .warnings = found.warnings,
                  .notes = facts.notes,
                  .counters = facts.counters,
                  .seconds = facts.seconds};
  for (const sink::Score& score : found.metrics) summary.scores.emplace_back(score.name, score.value);
  return summary;
}

}  // namespace

struct Run::Parts {
  // The files of a run that was given no folder.
  struct TemporaryFolder {
    TemporaryFolder() {
      if (mkdtemp(path.data()) == nullptr) io_failure(path, "make the folder", errno);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() {
      std::error_code ignored;
      fs::remove_all(path, ignored);
    }
    std::string path = (fs::temp_directory_path() / "pollen-XXXXXX").string();
  };

  Parts(Config config, const RunOptions& options)
      : temporary(options.folder.empty() ? std::make_unique<TemporaryFolder>() : nullptr),
        folder(temporary ? temporary->path + "/run" : options.folder),
        session(job_of(std::move(config), options, folder)) {}

  std::unique_ptr<TemporaryFolder> temporary;
  std::string folder;
  sink::RunSession session;
  std::unique_ptr<sink::SpoolReader> draws;  // keeps the spool open, so that draws() works after the run has deleted it
  RunStatus status = RunStatus::interrupted;
  Summary summary;
};

Run::Run(Config config, RunOptions options) : parts_(std::make_unique<Parts>(std::move(config), options)) {}
Run::~Run() = default;
Run::Run(Run&&) noexcept = default;

bool Run::finished() const { return parts_->session.complete(); }

void Run::start() {
  try {
    parts_->session.start();
  } catch (const Interrupted&) {
    parts_->session.leave_early();
    throw;
  }
}

RunStatus Run::sample() {
  parts_->status = parts_->session.sample();
  parts_->draws = parts_->session.read_draws();
  return parts_->status;
}

const Summary& Run::finish() {
  parts_->summary = to_public(parts_->session.finish(parts_->status));
  parts_->session.close(parts_->status);
  return parts_->summary;
}

const Config& Run::config() const { return parts_->session.experiment().config(); }
const Recipe& Run::recipe() const { return parts_->session.experiment().recipe(); }
std::int64_t Run::iteration() const { return parts_->session.experiment().iteration(); }

Panel Run::draws() const {
  if (!parts_->draws) return {};
  const sink::SpoolReader& spool = *parts_->draws;
  const Index d = spool.shape().dimension, chains = spool.shape().chains;
  Panel out(d, chains * spool.draws());
  spool.each([&](std::int64_t draw, std::span<const double> record) {
    for (Index c = 0; c < chains; ++c) {
      const auto first = static_cast<std::size_t>(c) * spool.shape().width() + 1;
      std::ranges::copy(record.subspan(first, static_cast<std::size_t>(d)),
                        out.column(c * spool.draws() + draw).begin());
    }
  });
  return out;
}

}  // namespace pollen
