// pollen serve, the server of a federation: waits for its clients, samples over them, and continues after a restart.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "barred.h"
#include "base/file.h"
#include "commands.h"
#include "dashboard.h"
#include "pollen/archive.h"
#include "pollen/errors.h"
#include "pollen/version.h"
#include "report/web.h"
#include "share_draws.h"
#include "sink/report.h"
#include "sink/run_session.h"
#include "terminal.h"
#include "watch.h"
#include "wire_files.h"

namespace pollen::app {

namespace fs = std::filesystem;

namespace {

struct Paths {
  std::string federation, checkpoint;
};

Paths paths_of(const ServeOptions& options, const sink::RunFolder& folder) {
  if (options.state.empty()) return {folder.file("federation"), folder.checkpoint()};
  return {options.state + "/federation", options.state + "/checkpoint"};
}

// Reads the checkpoint of the run that an earlier server left and that this one continues: one that is not over or,
// with --resume, any. Returns nothing if a new run begins.
std::optional<sink::Checkpoint> run_to_continue(const Paths& paths, const ServeOptions& options,
                                                const sink::RunFolder& folder) {
  if (options.run.force) return std::nullopt;
  if (fs::exists(paths.federation)) {
    auto checkpoint =
        sink::read_checkpoint(paths.checkpoint, "put it back from a backup, or begin a new run with --force");
    if (!checkpoint)
      throw ConfigError(paths.checkpoint,
                        "found no checkpoint, but the state of a run that has begun; accepted: the "
                        "checkpoint, put back in its place, or --force to begin a new run");
    if (!checkpoint->finished && !fs::exists(folder.spool()))
      throw ConfigError(
          "--out", fmt::format("found {}, where the run whose state is in {} has no draws; accepted: the folder that "
                               "this run writes to ({}), or --force to begin a new run",
                               folder.path(), paths.federation,
                               read_config_text(checkpoint->config_given, paths.checkpoint).output.dir));
    if (!checkpoint->finished || options.run.resume) return checkpoint;
  } else if (fs::exists(folder.spool()) &&  // a run that is over has none
             (!fs::exists(paths.checkpoint) || sink::SpoolReader(folder.spool()).draws() > 0)) {
    throw ConfigError(folder.path(),
                      "found a run that is not over, but not its state; accepted: the --state folder "
                      "that it began with, another --out, or --force to begin a new run in its place");
  }
  folder.check_free();
  return std::nullopt;
}

// Returns the numbers of the clients of these names, sorted.
std::vector<std::uint32_t> numbers_of(const std::vector<std::string>& names, const ConnectionRegistry& registry) {
  std::vector<std::uint32_t> numbers;
  for (const std::string& name : names) {
    const auto known = std::ranges::find(registry.names(), name);
    if (known == registry.names().end())
      throw ConfigError("--accept-reply", fmt::format("found \"{}\", accepted: a client of this run: {}", name,
                                                      fmt::join(registry.names(), ", ")));
    numbers.push_back(static_cast<std::uint32_t>(known - registry.names().begin()));
  }
  std::ranges::sort(numbers);
  return numbers;
}

void add_facts(sink::RunFacts& facts, const ConnectionRegistry& registry, const RoundStatistics& statistics) {
  for (const auto& [client, text] : odd_replies(statistics, registry)) facts.warnings.push_back(text);
  sink::FederationFacts f;
  for (std::size_t i = 0; i < registry.names().size(); ++i)
    f.sites.push_back({registry.names()[i], registry.sites()[i].rows});
  f.skipped = statistics.skipped;
  f.repeated = statistics.repeated;
  f.brought_up = statistics.brought_up;
  f.bytes_in = statistics.bytes_in;
  f.bytes_out = statistics.bytes_out;
  f.waiting_share = statistics.waiting_share();
  facts.federation = std::move(f);
  if (statistics.skipped > 0)
    facts.warnings.push_back(
        fmt::format("clients were skipped {} times in {} rounds because they did not answer in time: the "
                    "participation was then not the one the theory assumes",
                    statistics.skipped, statistics.turns));
}

// The work of one server, from the first connections to the end.
class Service {
 public:
  Service(const ServeOptions& options, const Config& config, WireServer& wires)
      : options_(options),
        log_(make_log(options.log_format, options.run.quiet)),
        barred_(options.crl, options.wire.ca, options.without),
        watch_(options.log_format == "json" ? log_ : Tell()),
        registry_(wires.links(), with_folder(config),
                  {version(), options.wire.shared_seed, &stop_flag(), log_,
                   [this](const std::string& name, const std::string& serial) { return barred_.why(name, serial); },
                   [this] { look(); }}),
        paths_(paths_of(options, job_.folder)) {
    const bool elsewhere = fs::weakly_canonical(options.state) != fs::weakly_canonical(job_.folder.path());
    if (!options.state.empty() && elsewhere) lock_.emplace(options.state);
    if (lock_ && !lock_->held())
      throw ConfigError("--state", fmt::format("found \"{}\", which another server is using", options.state));
    watch_.sources = {&registry_, &statistics_, nullptr, nullptr};
    show_dashboard();
    if (options.metrics.empty()) return;
    const Address address = address_of("--metrics", options.metrics);
    metrics_ = serve_metrics(address.host, address.port, watch_.monitor());
    log_({"metrics", fmt::format("metrics at http://{}:{}/metrics", address.host, metrics_->port())});
  }

  int run(const std::string& greeting) {
    try {
      job_.checkpoint = run_to_continue(paths_, options_, job_.folder);
      if (job_.checkpoint) registry_.read(paths_.federation);
      registry_.expel();
      log_({"listening", greeting});
      if (!job_.checkpoint) registry_.gather();
      describe_job();
      return sample();
    } catch (const ConfigError& error) {
      registry_.end({false, error.what()});
      throw;
    } catch (const NumericError& error) {
      registry_.end({false, error.what()});
      throw;
    }
  }

 private:
  // Is called after every look at the connections.
  void look() {
    watch_.look();
    if (barred_.renew(log_)) registry_.expel();
  }

  void show_dashboard() {
    dashboard_ = open_dashboard(options_.run.dashboard, job_.shown_folder);
    if (!dashboard_) return;
    if (options_.run.quiet)
      // Even with --quiet, a user who asked for the dashboard must learn where it is.
      tell(dashboard_->greeting());
    else
      log_({"dashboard", dashboard_->greeting()});
    job_.live = watch_.sources.live = &dashboard_->feed();
    job_.live->phase(sink::LiveState::Phase::waiting);
  }

  // Sets up the job and returns the configuration with the folder of the run's files in it.
  Config with_folder(Config config) {
    // Messages and progress are for people, not for JSON logs.
    quiet_ = options_.run.quiet || options_.log_format == "json";
    job_.experiment.stop = &stop_flag();
    if (!quiet_) job_.on_message = tell, job_.on_progress = progress_on_stderr();
    job_.shown_folder = options_.run.out.empty() ? config.output.dir : options_.run.out;
    config.output.dir = fs::absolute(job_.shown_folder).lexically_normal().string();
    job_.folder = sink::RunFolder(config.output.dir);
    job_.folder.lock();
    job_.replace = options_.run.force;
    job_.draws = config.output.draws;
    job_.config = config;
    return config;
  }

  void describe_job() {
    const FederationConfig& federation = job_.config.federation;
    const auto quorum = static_cast<std::size_t>(federation.quorum.value_or(1));
    job_.experiment.sites = registry_.sites();
    job_.experiment.setup_bits = registry_.setup_bits();
    job_.experiment.believed = numbers_of(options_.accept_replies, registry_);
    job_.experiment.notes = registry_.notes();
    job_.experiment.levels_shown = registry_.levels_shown();
    job_.experiment.transport = [this, federation, quorum](ClientView& view, Clients&) {
      return make_remote_transport(registry_, view, {federation, quorum, log_, &statistics_, job_.experiment.believed});
    };
    if (registry_.layout())
      job_.layout = layout_of(*registry_.layout(), registry_.scaling().value_or(ColumnScaling{}), job_.config.data,
                              target_of(job_.config));
    job_.checkpoint_file = paths_.checkpoint;
    job_.add_facts = [this](sink::RunFacts& facts) { add_facts(facts, registry_, statistics_); };
  }

  int sample() {
    sink::RunSession session(job_);
    if (session.complete()) {
      end_complete();
      log_({"complete", fmt::format("the run in {} is complete", job_.shown_folder)});
      return summary_command({.folder = job_.shown_folder});
    }
    watch_.sources.session = &session;
    if (dashboard_) dashboard_->feed().phase(sink::LiveState::Phase::preparing);
    // The state is written last: where it is, there is a checkpoint, and a server that is restarted continues the run.
    if (!job_.checkpoint) fs::remove(paths_.federation);
    session.start();
    if (quiet_ && !job_.checkpoint)
      for (const std::string& line : session.experiment().warnings())
        log_({"warning", line, {}, {}, Notice::Level::warning});
    if (!job_.checkpoint) registry_.write(paths_.federation);
    const int code = finish(session);
    watch_.sources.session = nullptr;
    return code;
  }

  int finish(sink::RunSession& session) {
    const sink::RunStatus status = session.sample();
    watch_.tell_clients();  // as they are after the last round, which a look at every half second may miss
    if (dashboard_) dashboard_->feed().phase(sink::LiveState::Phase::writing);
    const bool complete = status == sink::RunStatus::complete;
    if (complete && options_.share_draws) share_draws(registry_, *session.read_draws());
    sink::Summary summary;
    try {
      summary = session.finish(status);
    } catch (const Interrupted&) {  // while clients were asked for scores; the checkpoint stays
      log_({"stopped", "stopped while the results were collected; start the same command again to go on"});
      return kStopped;
    }
    if (dashboard_) dashboard_->end(summary);
    print(sink::run_report(summary, session.ending(!web::report_page().empty())));
    if (status == sink::RunStatus::interrupted) {
      log_({"stopped", fmt::format("stopped after {} of {} iterations; start the same command again to go on",
                                   summary.facts.done, summary.facts.iterations)});
      return kStopped;
    }
    watch_.done();
    if (complete) {
      end_complete();
      session.close(status);
      return kDone;
    }
    fs::remove(paths_.federation);
    session.close(status);
    registry_.end({false, session.failure()});
    tell(session.failure());
    return kFailed;
  }

  // Ends a complete run. It waits for clients that are briefly away, so that they learn of the end and stop
  // reconnecting.
  void end_complete() {
    const std::vector<std::string> away = registry_.untold();
    registry_.end({true, "the run is complete"});
    if (away.empty()) return;
    constexpr auto kLinger = std::chrono::seconds(35);  // longer than the half minute between a client's attempts
    log_({"lingering",
          fmt::format("the run is complete; waiting up to {} s to tell {}", kLinger.count(), fmt::join(away, ", "))});
    registry_.linger(registry_.now() + kLinger);
  }

  const ServeOptions& options_;
  sink::Job job_;
  bool quiet_ = false;
  Tell log_;
  RoundStatistics statistics_;
  Barred barred_;
  Watch watch_;
  ConnectionRegistry registry_;
  Paths paths_;
  std::optional<FolderLock> lock_;
  std::unique_ptr<MetricsServer> metrics_;
  std::unique_ptr<Dashboard> dashboard_;
};

}  // namespace

bool has_grpc() { return true; }

int serve_command(const ServeOptions& options) {
  watch_signals();
  const Address address = address_of("--listen", options.listen);
  if (!options.metrics.empty()) address_of("--metrics", options.metrics);  // before anything is opened or read
  const Config config = for_federation(read_config_file(options.run.config, options.run.set), options.wire.shared_seed);
  check_federation(config);
  const Identity identity = identity_of(options.wire, KeyRole::server, address);
  const auto wires = listen_at(options.listen, identity.tls);
  const std::string greeting = fmt::format("listening at {}:{}{}", address.host, wires->port(),
                                           identity.tls ? fmt::format(" as {}", identity.name) : " in plain text");
  try {
    return Service(options, config, *wires).run(greeting);
  } catch (const Interrupted&) {
    make_log(options.log_format,
             options.run.quiet)({"stopped", "stopped before the first round; start the same command again to go on"});
    return kStopped;
  }
}

}  // namespace pollen::app
