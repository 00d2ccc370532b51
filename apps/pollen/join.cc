// pollen join, a client of a federation: connects, answers requests, and reconnects after any failure until the server
// says that the run is over.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "federation/federation.h"
#include "pollen/errors.h"
#include "pollen/version.h"
#include "share_draws.h"
#include "terminal.h"
#include "wire_files.h"

namespace pollen::app {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kFirstWait = 0.1, kLongestWait = 30;  // seconds

// Waits before the next attempt to connect: `seconds`, with a random part so that clients do not retry at the same
// moment. The next wait is twice as long.
void back_off(double& seconds) {
  const auto bits = static_cast<std::uint64_t>(Clock::now().time_since_epoch().count()) * 0x9e3779b97f4a7c15U;
  const double share = 0.5 + 0.5 * static_cast<double>(bits >> 11) * 0x1p-53;
  const Clock::time_point until =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds * share));
  seconds = std::min(kLongestWait, 2 * seconds);
  while (!interrupted() && Clock::now() < until)
    std::this_thread::sleep_for(std::min<Clock::duration>(until - Clock::now(), std::chrono::milliseconds(50)));
}

ParticipantOptions options_of(const JoinOptions& options, const Identity& identity) {
  ParticipantOptions out;
  out.version = version();
  out.name = identity.tls ? identity.name : options.name;
  out.data = options.data;
  if (!options.config.empty()) {
    out.config = for_federation(read_config_file(options.config, options.set));
    out.part = options.part;
  }
  out.state = options.state.empty() ? fmt::format("pollen-state-{}", out.name) : options.state;
  out.shared_seed = options.wire.shared_seed;
  out.limits = {options.max_rounds, options.min_rows, options.max_epsilon, options.samplers, !options.no_hessian};
  out.tell = make_log(options.log_format, options.quiet);
  return out;
}

void check_options(const JoinOptions& options, const Identity& identity) {
  Problems problems;
  if (options.data.empty() == options.config.empty())
    problems.add("join",
                 "found neither or both of --data FILE and --config CONFIG --client I, accepted: one of the two");
  if (!options.config.empty() && options.part < 0)
    problems.add("--client", "needed with --config: the number of the part, from 0");
  if (options.config.empty() && options.part >= 0)
    problems.add("--client",
                 "found without --config, accepted: both, because it is a part of that configuration's split");
  if (!options.data.empty() && !std::filesystem::is_regular_file(options.data))
    problems.add("--data", fmt::format("found \"{}\", accepted: a file", options.data));
  for (const std::string& name : options.samplers)
    if (find_sampler(name) == nullptr)
      problems.add("--allow", fmt::format("found \"{}\", accepted: a sampler of pollen list samplers", name));
  if (!identity.tls && options.name.empty()) problems.add("--name", "needed with --insecure: the client's name");
  if (identity.tls && !options.name.empty() && options.name != identity.name)
    problems.add("--name", fmt::format("found \"{}\", but the certificate says \"{}\"", options.name, identity.name));
  problems.raise();
}

void print_revelations(const Config& config, bool curvature) {
  std::string text = fmt::format("Under this configuration (sampler {}, model {}) this client would send:\n",
                                 config.sampler.name, config.model.kind);
  for (const std::string& line : disclosed_messages(config, curvature)) text += fmt::format("  - {}\n", line);
  text += "No row leaves it. Nothing of its data has been sent. docs/privacy.md says more.\n";
  print(text);
}

// Serves one connection until it breaks or the server ends it. Returns whether the server sent more than a refusal.
bool converse(WireClient& wire, Participant& participant) {
  const auto send = [&](const Bytes& frame) { wire.write(frame); };
  if (!wire.write(participant.hello())) return false;
  Bytes frame;
  bool welcome = false;
  while (!participant.ended() && wire.read(frame, participant.most_bytes())) {
    try {
      participant.handle(frame, send);
      welcome = welcome || !participant.ended();
    } catch (const WireError& error) {
      wire.write(wire::encode(wire::Refusal{error.what(), false}));
      throw;
    } catch (const std::exception&) {
      // The error's text may quote the data, which must not leave this client.
      wire.write(wire::encode(wire::Refusal{"it cannot go on; its own log says why", false}));
      throw;
    }
  }
  return welcome;
}

// Connects, prints what the server's configuration would reveal, and leaves.
int dry_run(const JoinOptions& options, const ParticipantOptions& mine, const Identity& identity) {
  if (mine.config) {
    print_revelations(*mine.config, mine.limits.curvature);
    return kDone;
  }
  WireClient wire(options.server, identity.tls, &stop_flag());
  if (!wire.connect(10)) throw IoError(fmt::format("{}: {}", options.server, wire.why()));
  const wire::Hello hello{.version = mine.version, .name = mine.name, .shared_seed = mine.shared_seed};
  Bytes frame;
  if (!wire.write(wire::encode(hello)) || !wire.read(frame, std::size_t{64} << 20))
    throw IoError(fmt::format("{}: {}", options.server, wire.why()));
  if (wire::type_of(frame) == wire::Type::refusal)
    throw IoError(fmt::format("{} refuses: {}", options.server, plain(wire::decode<wire::Refusal>(frame).why)));
  print_revelations(read_config_text(wire::decode<wire::Welcome>(frame).config, "the server's configuration"),
                    mine.limits.curvature);
  return kDone;
}

int end_of(const Participant& participant, const JoinOptions& options, const Tell& log, SharedDraws* shared) {
  const Participant::Ended& ended = *participant.ended();
  log({ended.complete ? "complete" : "ended", fmt::format("{} ({} rounds answered)", ended.why, participant.turns())});
  if (ended.complete && shared != nullptr) {
    const std::int64_t draws = shared->finish(participant);
    log({"draws", draws > 0 ? fmt::format("{} draws per chain are in {}; pollen summary shows them", draws, options.out)
                            : "the server has shared no draws (serve --share-draws)"});
  }
  return ended.complete ? kDone : kFailed;
}

// Connects again and again until the server ends the run. Returns false if the user interrupts it.
bool stay(const JoinOptions& options, WireClient& wire, Participant& participant, const Tell& log) {
  double wait = kFirstWait;
  Clock::time_point last = Clock::now();
  std::string told;
  while (!interrupted()) {
    participant.forget_ending();
    if (wire.connect(options.give_up > 0 ? std::min(5.0, options.give_up) : 5)) {
      const std::int64_t before = participant.turns();
      if (converse(wire, participant)) last = Clock::now();
      if (participant.ended() && !participant.ended()->again) return true;
      if (participant.turns() > before) {
        wait = kFirstWait;
        // The next lost connection is worth reporting again.
        told.clear();
      }
    }
    if (interrupted()) break;
    const std::string why = participant.ended() ? participant.ended()->why : wire.why();
    if (why != told)
      log({"lost", fmt::format("{}: {}; trying again", options.server, why), {}, {}, Notice::Level::warning});
    told = why;
    if (options.give_up > 0 && std::chrono::duration<double>(Clock::now() - last).count() > options.give_up)
      throw IoError(fmt::format("{}: {}; given up after {} s", options.server, why, options.give_up));
    back_off(wait);
  }
  return false;
}

}  // namespace

int join_command(const JoinOptions& options) {
  watch_signals();
  const Address server = address_of("--server", options.server);
  const Identity identity = identity_of(options.wire, KeyRole::client, server);
  check_options(options, identity);
  ParticipantOptions mine = options_of(options, identity);
  if (options.dry_run) return dry_run(options, mine, identity);
  std::optional<SharedDraws> shared;
  if (!options.out.empty()) shared.emplace(options.out);
  const Participant* self = nullptr;
  if (shared) mine.draws = [&](const wire::Draws& message) { shared->keep(message, *self); };
  Participant participant(mine);
  self = &participant;
  WireClient wire(options.server, identity.tls, &stop_flag());
  if (stay(options, wire, participant, mine.tell))
    return end_of(participant, options, mine.tell, shared ? &*shared : nullptr);
  mine.tell({"stopped", fmt::format("stopped; its state is in {}, start the same command again to go on", mine.state)});
  return kStopped;
}

}  // namespace pollen::app
