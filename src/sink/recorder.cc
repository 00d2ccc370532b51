#include "sink/recorder.h"

#include <ctime>
#include <limits>

#include "pollen/archive.h"

namespace pollen::sink {

namespace {

constexpr double kLookEvery = 0.02;  // target for the seconds between two looks at the clock
constexpr double kRhatEvery = 0.5;
constexpr double kCheckpointShare = 20;  // a checkpoint that takes t seconds is written at most every 20 t

std::chrono::steady_clock::duration in_seconds(double seconds) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds));
}

double process_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

Recorder::Recorder(const RecorderOptions& options, std::unique_ptr<SpoolWriter> spool,
                   std::unique_ptr<MetricsFile> metrics, std::unique_ptr<RunningScores> scores)
    : options_(options),
      spool_(std::move(spool)),
      metrics_(std::move(metrics)),
      scores_(std::move(scores)),
      rhat_(options.shape.dimension, options.shape.chains),
      ess_(options.shape.dimension, options.shape.chains),
      tally_(options.shape.chains, options.facts.transitions.max_depth),
      checkpoint_due_(Clock::now() + in_seconds(options.checkpoint_every)),
      rhat_value_(std::numeric_limits<double>::quiet_NaN()),
      ess_value_(rhat_value_) {}

void Recorder::closed(std::int64_t iteration, const Counters& counters, ConstPanelView position) {
  for (Sink* sink : options_.sinks) sink->closed(iteration, counters, position);
  // A centralised sampler has no rounds, so its iterations are counted.
  const std::int64_t round = counters.rounds > 0 ? counters.rounds : iteration;
  if (round / options_.metrics_every != last_round_ / options_.metrics_every)
    metrics_row(iteration, counters, position);
  last_round_ = round;
  if (--until_look_ == 0) look_at_clock(iteration, counters);
  if (options_.checkpoint && (options_.every_round || looked_ >= checkpoint_due_)) write_checkpoint();
}

void Recorder::write_checkpoint() {
  stop_clock();
  options_.checkpoint();
  start_clock();
}

void Recorder::transitions(std::span<const Transition> transitions) {
  for (Sink* sink : options_.sinks) sink->transitions(transitions);
  transitions_ = transitions;
  if (has_trajectories()) tally_.add(transitions);
}

void Recorder::kept(ConstPanelView position, std::span<const double> potential) {
  for (Sink* sink : options_.sinks) sink->kept(position, potential);
  spool_->append(position, potential, transitions_);
  rhat_.add(position);
  ess_.add(position);
  if (options_.live != nullptr) options_.live->kept(position);
}

void Recorder::metrics_row(std::int64_t iteration, const Counters& counters, ConstPanelView position) {
  const bool past_burn_in = iteration > options_.facts.burn_in;
  const Scores scores = options_.losses ? options_.losses() : scores_->row(position, past_burn_in);
  MetricsExtras extras;
  if (options_.spending) extras.spending = options_.spending(iteration);
  if (options_.simulated) extras.simulated = options_.simulated();
  metrics_->row(counters, seconds(), scores, extras);
  if (options_.live != nullptr) options_.live->scored(iteration, counters, seconds(), scores);
}

void Recorder::look_at_clock(std::int64_t iteration, const Counters& counters) {
  const Clock::time_point now = Clock::now();
  const double since = std::chrono::duration<double>(now - looked_).count();
  looked_ = now;
  // The interval grows at most by a factor of two, so that a run that slows down is still looked at in time.
  if (since < kLookEvery / 2)
    between_looks_ *= 2;
  else if (since > kLookEvery * 2)
    between_looks_ =
        std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(between_looks_) * kLookEvery / since));
  until_look_ = between_looks_;
  const double loop = seconds_ + running();
  if (loop - rhat_at_ >= kRhatEvery) {
    rhat_value_ = rhat_.worst();
    ess_value_ = ess_.least();
    rhat_at_ = loop;
  }
  if (options_.on_progress) options_.on_progress(state(iteration, counters));
  show(iteration, counters, false);
}

RunProgress Recorder::state(std::int64_t iteration, const Counters& counters) const {
  return {.iteration = iteration,
          .seconds = seconds_ + running(),
          .uplink_bits = counters.uplink_bits,
          .downlink_bits = counters.downlink_bits,
          .rhat = rhat_value_,
          .ess = ess_value_,
          .rounds = counters.rounds,
          .start = options_.facts.done,
          .total = options_.facts.iterations};
}

void Recorder::show(std::int64_t iteration, const Counters& counters, bool last) {
  if (options_.live != nullptr) options_.live->looked({iteration, draws(), seconds(), rhat_value_, counters, last});
}

void Recorder::start_clock() {
  started_ = looked_ = Clock::now();
  cpu_started_ = process_seconds();
}

void Recorder::stop_clock() {
  seconds_ += running();
  cpu_seconds_ += process_seconds() - cpu_started_;
  started_ = Clock::time_point{};
}

double Recorder::running() const {
  if (started_ == Clock::time_point{}) return 0;
  return std::chrono::duration<double>(Clock::now() - started_).count();
}

double Recorder::seconds() const { return options_.seconds_before + seconds_ + running(); }

void Recorder::checkpoint_written(double cost) {
  checkpoint_due_ = Clock::now() + in_seconds(std::max(options_.checkpoint_every, kCheckpointShare * cost));
}

void Recorder::sync() {
  spool_->sync();
  metrics_->sync();
}

void Recorder::archive(Archive& archive) {
  scores_->archive(archive);
  archive.field(last_round_);
  if (has_trajectories()) tally_.archive(archive);
}

std::string Recorder::save() {
  Archive out;
  archive(out);
  const Bytes bytes = out.take();
  return {bytes.begin(), bytes.end()};
}

void Recorder::load(const std::string& state) {
  Archive in(ByteView(reinterpret_cast<const std::uint8_t*>(state.data()), state.size()));
  archive(in);
  in.finish();
}

void Recorder::finish_progress(std::int64_t iteration, const Counters& counters) {
  rhat_value_ = rhat_.worst();
  ess_value_ = ess_.least();
  RunProgress end = state(iteration, counters);
  end.last = true;
  if (options_.on_progress) options_.on_progress(end);
  show(iteration, counters, true);
}

}  // namespace pollen::sink
