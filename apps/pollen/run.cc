#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "commands.h"
#include "dashboard.h"
#include "pollen/errors.h"
#include "report/web.h"
#include "sink/report.h"
#include "sink/run_session.h"
#include "terminal.h"

namespace pollen::app {

namespace fs = std::filesystem;

namespace {

constexpr const char* kDefaultFolder = "pollen-out";

Config read_config(const RunRequest& request) {
  if (!request.config.empty()) return read_config_file(request.config, request.set);
  if (request.resume) {
    const std::string left = sink::RunFolder(request.out.empty() ? kDefaultFolder : request.out).config();
    if (fs::exists(left)) return read_config_file(left, request.set);
  }
  return read_builtin_config(request.set);
}

// Returns the run's folder. A path from the command line is relative to the working folder, a path in the config file
// is relative to that file.
std::string folder_of(const RunRequest& request, const Config& config) {
  if (!request.out.empty()) return request.out;
  // read_config() makes the same choice.
  if (request.config.empty() && request.resume) return kDefaultFolder;
  const bool overridden = std::any_of(request.set.begin(), request.set.end(),
                                      [](const std::string& s) { return s.starts_with("output.dir"); });
  const fs::path dir = config.output.dir;
  if (overridden || request.config.empty() || dir.is_absolute() || config.given.count("output.dir") == 0)
    return dir.string();
  return (fs::path(request.config).parent_path() / dir).string();
}

sink::Job make_job(const RunRequest& request) {
  const Config config = read_config(request);
  sink::Job job = sink::make_job(config, folder_of(request, config), request.resume);
  job.replace = request.force;
  job.checkpoint_every = request.checkpoint_every;
  job.experiment.threads = request.threads;
  job.experiment.stop = &stop_flag();
  if (!request.quiet) job.on_message = tell, job.on_progress = progress_on_stderr();
  return job;
}

// Holds the MPI job until the process ends, because errors are reported before the job is left.
std::unique_ptr<Ranks>& job_of_ranks() {
  static std::unique_ptr<Ranks> ranks;
  return ranks;
}

// Joins the MPI job, or returns null if there is only one rank. Only rank 0 reports an error.
Ranks* join_ranks() try {
  if (launch().size < 2) return nullptr;
  job_of_ranks() = open_ranks();
  return job_of_ranks().get();
} catch (const ConfigError&) {
  if (launch().rank != 0) std::quick_exit(kWrongInput);
  throw;
}

// Serves as a rank other than 0 until rank 0 says that the run is over. Only rank 0 handles signals.
int serve(const RunRequest& request, Ranks& ranks) {
  ignore_signals();
  serve_rank(
      ranks, [&] { return read_config(request); }, request.threads, request.dashboard.port.has_value());
  return kDone;
}

int run(const RunRequest& request, Ranks* ranks) {
  sink::Job job = make_job(request);
  job.experiment.ranks = ranks;
  if (ranks != nullptr && !runs_distributed(job.config) && !request.quiet)
    tell(fmt::format("{} ranks are idle, because rank 0 computes this run alone (docs/cluster.md)", ranks->size() - 1));
  const std::string shown = job.shown_folder;
  const bool over = job.checkpoint && job.checkpoint->finished;
  const std::unique_ptr<Dashboard> dashboard = over ? nullptr : open_dashboard(request.dashboard, shown);
  if (dashboard) tell(dashboard->greeting());
  job.live = dashboard ? &dashboard->feed() : nullptr;
  sink::RunSession session(std::move(job));
  if (session.complete()) {
    tell(fmt::format("the run in {} is complete", shown));
    return summary_command({.folder = shown});
  }
  const auto go_on = fmt::format("Go on with: pollen run --resume --out {}", shown);
  try {
    session.start();
  } catch (const Interrupted&) {
    session.leave_early();
    tell(fmt::format("stopped before the first iteration. {}", go_on));
    return kStopped;
  }
  const sink::RunStatus status = session.sample();
  if (dashboard) dashboard->feed().phase(sink::LiveState::Phase::writing);
  const sink::Summary summary = session.finish(status);
  session.close(status);
  if (dashboard) dashboard->end(summary);
  print(sink::run_report(summary, session.ending(!web::report_page().empty())));
  switch (status) {
    case sink::RunStatus::complete:
      return kDone;
    case sink::RunStatus::interrupted:
      tell(fmt::format("stopped after {} of {} iterations; what was drawn is kept. {}", summary.facts.done,
                       summary.facts.iterations, go_on));
      return kStopped;
    case sink::RunStatus::failed:
      tell(session.failure());
      return kFailed;
  }
  return kFailed;
}

}  // namespace

int run_command(const RunRequest& request) {
  watch_signals();
  Ranks* ranks = join_ranks();
  if (ranks == nullptr) return run(request, nullptr);
  if (ranks->rank() != 0) return serve(request, *ranks);
  watch_forwarded_signal();
  const RanksAtWork others(*ranks);
  return run(request, ranks);
}

void leave_ranks() { job_of_ranks().reset(); }

}  // namespace pollen::app
