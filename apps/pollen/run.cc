#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "dashboard.h"
#include "pollen/errors.h"
#include "run_session.h"
#include "sink/report.h"
#include "stop.h"
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

// From the command line a path is the shell's; written in the file it is relative to the file.
std::string folder_of(const RunRequest& request, const Config& config) {
  if (!request.out.empty()) return request.out;
  if (request.config.empty() && request.resume) return kDefaultFolder;  // as read_config() has it
  const bool overridden = std::any_of(request.set.begin(), request.set.end(),
                                      [](const std::string& s) { return s.starts_with("output.dir"); });
  const fs::path dir = config.output.dir;
  if (overridden || request.config.empty() || dir.is_absolute() || config.given.count("output.dir") == 0)
    return dir.string();
  return (fs::path(request.config).parent_path() / dir).string();
}

void check_formats(const Config& config) {
  for (const std::string& format : config.output.draws)
    if (format != "csv" && format != "none")
      throw ConfigError(config.file + ": output.draws",
                        fmt::format("found \"{}\", which is not in this version; accepted: \"csv\", \"none\"", format));
}

// The run goes on with the output settings it began with: the folder may have moved since.
void take_up(Job& job) {
  job.checkpoint = sink::read_checkpoint(job.folder.checkpoint());
  if (!job.checkpoint)
    throw ConfigError(
        "--resume",
        fmt::format("found no checkpoint in {}, accepted: the folder of a run that was stopped", job.shown_folder));
  const Config before = read_config_text(job.checkpoint->config_given, job.folder.checkpoint());
  const bool lp = job.config.output.lp;
  job.config.output = before.output;
  job.config.output.lp = lp;
}

Job make_job(const RunRequest& request) {
  Job job;
  job.request = request;
  job.config = read_config(request);
  check_formats(job.config);
  job.draws = job.config.output.draws;
  job.shown_folder = folder_of(request, job.config);
  if (job.shown_folder.empty()) throw ConfigError("output.dir", "found \"\", accepted: a path");
  job.config.output.dir = fs::absolute(job.shown_folder).lexically_normal().string();
  job.folder = sink::RunFolder(job.config.output.dir);
  if (request.resume)
    take_up(job);
  else
    job.folder.check_free();
  return job;
}

// Kept until the process ends: what goes wrong is told before the job is left.
std::unique_ptr<Ranks>& job_of_ranks() {
  static std::unique_ptr<Ranks> ranks;
  return ranks;
}

// Null unless there are several. Of an error rank 0 alone tells.
Ranks* join_ranks() try {
  if (launch().size < 2) return nullptr;
  job_of_ranks() = open_ranks();
  return job_of_ranks().get();
} catch (const ConfigError&) {
  if (launch().rank != 0) std::quick_exit(kWrongInput);
  throw;
}

// Until rank 0 says that it is over: signals are its business.
int serve(const RunRequest& request, Ranks& ranks) {
  ignore_signals();
  serve_rank(
      ranks, [&] { return read_config(request); }, request.threads, request.dashboard.port.has_value());
  return kDone;
}

int run(const RunRequest& request, Ranks* ranks) {
  Job job = make_job(request);
  job.experiment.ranks = ranks;
  if (ranks != nullptr && !runs_distributed(job.config) && !request.quiet)
    tell(fmt::format("{} ranks are idle: this run is computed by rank 0 alone (docs/cluster.md)", ranks->size() - 1));
  const std::string shown = job.shown_folder;
  const bool over = job.checkpoint && job.checkpoint->finished;
  const std::unique_ptr<Dashboard> dashboard = over ? nullptr : open_dashboard(request.dashboard, shown);
  if (dashboard) tell(dashboard->greeting());
  job.live = dashboard ? &dashboard->feed() : nullptr;
  RunSession session(std::move(job));
  if (session.complete()) {
    tell(fmt::format("the run in {} is complete", shown));
    return summary_command({.folder = shown});
  }
  const auto go_on = fmt::format("Go on with: pollen run --resume --out {}", shown);
  try {
    session.start();
  } catch (const Interrupted&) {
    session.stopped_early();
    tell(fmt::format("stopped before the first iteration. {}", go_on));
    return kStopped;
  }
  const sink::RunStatus status = session.sample();
  if (dashboard) dashboard->feed().phase(sink::LiveState::Phase::writing);
  const sink::Summary summary = session.finish(status);
  if (dashboard) dashboard->end(summary);
  print(sink::run_report(summary, shown, session.files()));
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
