// The server of a federation: waits for its clients, samples over them, and goes on where it was after a restart.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "pollen/archive.h"
#include "pollen/errors.h"
#include "pollen/file.h"
#include "run_session.h"
#include "sink/report.h"
#include "sink/version.h"
#include "stop.h"
#include "terminal.h"
#include "wire_files.h"

namespace pollen::app {

namespace fs = std::filesystem;

namespace {

constexpr char kMagic[] = "POLLENFD";

// What differs from `pollen run`: a client is there for all chains or for none, and lp__ costs an exchange a draw.
Config read_serve_config(const RunRequest& request) {
  Config config = read_config_file(request.config, request.set);
  if (config.run.coupled == false && config.given.contains("run.coupled"))
    throw ConfigError(config.file + ": run.coupled",
                      "found false, accepted in a federation: true (a client takes part for all chains or for none)");
  config.run.coupled = true;
  if (!config.given.contains("output.lp")) config.output.lp = false;
  config.sampler.wire = "bytes";
  return config;
}

void check_federated(const Config& config) {
  Problems problems;
  const NamedSampler* sampler = find_sampler(config.sampler.name);
  if (sampler == nullptr || sampler->family == NamedSampler::Family::personal || is_mixed(config))
    problems.add(
        config.file + ": sampler.name",
        fmt::format("found \"{}\", which runs in one process (pollen run); accepted in a federation: the samplers "
                    "of the gradient and the averaging family",
                    config.sampler.name));
  const std::string missing = config.federation.on_missing.value_or("wait");
  const ParticipationConfig& p = config.participation;
  if (missing != "wait" && !config.federation.round_deadline)
    problems.add(config.file + ": federation.round_deadline",
                 fmt::format("needed with on_missing = \"{}\": seconds", missing));
  if (missing == "skip" && p.policy == "full")
    problems.add(
        config.file + ": federation.on_missing",
        "found \"skip\" with participation.policy = \"full\", whose theory has nobody missing; accepted: \"wait\", "
        "\"abort\", or participation.policy = \"bernoulli\" or \"fixed-size\"");
  const bool inverse = p.scaling.value_or(p.probability_is_list ? "inverse-probability" : "active") != "active";
  if (missing == "skip" && p.policy != "full" && (inverse || p.replacement))
    problems.add(config.file + ": federation.on_missing",
                 "found \"skip\" with inverse-probability weights, which a skipped client would make wrong; accepted: "
                 "\"wait\", \"abort\", or participation.scaling = \"active\"");
  problems.raise();
}

// Set-up's outcome on the disk, so that a restarted server knows its federation.
void write_federation(const std::string& path, Hall& hall) {
  Archive archive;
  hall.archive(archive);
  const Bytes bytes = archive.take();
  std::string text = kMagic;
  text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  replace_file(path, text);
  sync_folder(fs::path(path).parent_path().string());
}

void read_federation(const std::string& path, Hall& hall) {
  const std::string text = read_text(path);
  const std::size_t magic = sizeof(kMagic) - 1;
  if (!text.starts_with(kMagic)) throw ConfigError(path, "found another kind of file, accepted: a federation's state");
  try {
    Archive archive(ByteView(reinterpret_cast<const std::uint8_t*>(text.data()) + magic, text.size() - magic));
    hall.archive(archive);
    archive.finish();
  } catch (const WireError& error) {
    throw ConfigError(path, fmt::format("{}; accepted: the same configuration, or another --state", error.what()));
  }
}

struct Paths {
  std::string federation, checkpoint;
};

Paths paths_of(const ServeOptions& options, const sink::RunFolder& folder) {
  if (options.state.empty()) return {folder.file("federation"), folder.checkpoint()};
  return {options.state + "/federation", options.state + "/checkpoint"};
}

// Before the first round: from here on a restarted server goes on.
void begin_state(const ServeOptions& options, const Paths& paths, Hall& hall) {
  if (!options.state.empty()) fs::create_directories(options.state);
  fs::remove(paths.checkpoint);
  write_federation(paths.federation, hall);
}

std::vector<std::string> warnings_of(const RoundStatistics& statistics) {
  std::vector<std::string> lines;
  if (statistics.skipped > 0)
    lines.push_back(
        fmt::format("clients were skipped {} times in {} rounds because they did not answer in time: the "
                    "participation was then not the one the theory assumes",
                    statistics.skipped, statistics.turns));
  return lines;
}

int finish(RunSession& session, Hall& hall, const ServeOptions& options, const std::string& shown) {
  const sink::RunStatus status = session.sample();
  const sink::Summary summary = session.finish(status);
  print(sink::run_report(summary, shown, session.files()));
  if (status == sink::RunStatus::interrupted) {
    // Without --state the same words alone would begin anew in the same folder.
    tell(fmt::format("stopped after {} of {} iterations; start the same command again to go on{}", summary.facts.done,
                     summary.facts.iterations, options.state.empty() && !options.run.resume ? " (add --resume)" : ""));
    return kStopped;
  }
  const bool complete = status == sink::RunStatus::complete;
  hall.end({complete, complete ? "the run is complete" : session.failure()});
  if (!complete) tell(session.failure());
  return complete ? kDone : kFailed;
}

int serve(const ServeOptions& options, Config config, WireServer& wires, const std::string& greeting) {
  const auto log = make_log(options.log_format, options.run.quiet);
  Job job;
  job.request = options.run;
  job.shown_folder = options.run.out.empty() ? config.output.dir : options.run.out;
  config.output.dir = fs::absolute(job.shown_folder).lexically_normal().string();
  job.folder = sink::RunFolder(config.output.dir);
  job.draws = config.output.draws;
  const Paths paths = paths_of(options, job.folder);
  const bool goes_on = (!options.state.empty() || options.run.resume) && fs::exists(paths.federation);

  Hall hall(wires.links(), config, {sink::version(), options.wire.shared_seed, &pause_flag(), log});
  RoundStatistics statistics;
  const auto quorum = static_cast<std::size_t>(config.federation.quorum.value_or(1));
  job.experiment.transport = [&](Station& station, std::vector<Client>&) {
    return make_remote_transport(hall, station, {config.federation, quorum, log, &statistics});
  };
  job.config = config;
  job.checkpoint_file = paths.checkpoint;
  job.warnings = [&] { return warnings_of(statistics); };
  const std::string shown = job.shown_folder;
  try {
    if (goes_on) {
      read_federation(paths.federation, hall);
      job.checkpoint = sink::read_checkpoint(paths.checkpoint);
    } else {
      job.folder.check_free();
    }
    if (!options.run.quiet) tell(greeting);
    if (!goes_on) hall.gather();
    job.experiment.sites = hall.sites();
    job.experiment.setup_bits = hall.setup_bits();
    RunSession session(job);
    if (session.complete()) {
      hall.end({true, "the run is complete"});
      tell(fmt::format("the run in {} is complete", shown));
      return summary_command(shown);
    }
    session.start();
    if (!job.checkpoint) begin_state(options, paths, hall);
    return finish(session, hall, options, shown);
  } catch (const ConfigError& error) {
    hall.end({false, error.what()});
    throw;
  } catch (const NumericError& error) {
    hall.end({false, error.what()});
    throw;
  }
}

}  // namespace

bool has_grpc() { return true; }

int serve_command(const ServeOptions& options) {
  watch_signals();
  check_address("--listen", options.listen);
  const Config config = read_serve_config(options.run);
  check_federated(config);
  const Identity identity = identity_of(options.wire, KeyRole::server, options.listen);
  const auto wires = listen_at(options.listen, identity.tls);
  const std::string greeting =
      fmt::format("listening at {}:{}{}", options.listen.substr(0, options.listen.rfind(':')), wires->port(),
                  identity.tls ? fmt::format(" as {}", identity.name) : " in plain text");
  try {
    return serve(options, config, *wires, greeting);
  } catch (const Interrupted&) {
    tell("stopped before the first round; start the same command again to go on");
    return kStopped;
  }
}

}  // namespace pollen::app
