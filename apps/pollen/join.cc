// pollen join, a client of a federation: connects, answers requests, and reconnects after any failure until the server
// says that the run is over.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "base/file.h"
#include "federation/federation.h"
#include "federation/plain.h"
#include "pollen/data.h"
#include "pollen/errors.h"
#include "pollen/version.h"
#include "run/problem.h"
#include "site/ledger.h"
#include "site_folder.h"
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

// Returns the policy of this site: the file's or the defaults, and over them what the command line says.
Policy policy_of(const JoinOptions& options) {
  Policy policy = !options.policy.empty()    ? read_policy_file(options.policy)
                  : options.wire.shared_seed ? open_policy()
                                             : Policy();
  if (options.trust_server || options.wire.shared_seed) policy.trust_server = true;
  if (options.max_rounds) policy.max_rounds = options.max_rounds;
  if (options.min_rows) policy.min_rows = *options.min_rows;
  if (options.max_epsilon) policy.max_epsilon = options.max_epsilon;
  if (!options.samplers.empty()) policy.samplers = options.samplers;
  return policy;
}

bool inside(const std::string& path, const std::string& folder) {
  const auto relative = std::filesystem::weakly_canonical(std::filesystem::absolute(path))
                            .lexically_relative(std::filesystem::weakly_canonical(std::filesystem::absolute(folder)));
  return !relative.empty() && *relative.begin() != "..";
}

ParticipantOptions options_of(const JoinOptions& options, const Identity& identity) {
  ParticipantOptions out;
  out.version = version();
  out.name = identity.tls ? identity.name : options.name;
  out.fingerprint = identity.fingerprint;
  out.data = options.data;
  if (!options.config.empty()) {
    out.config = for_federation(read_config_file(options.config, options.set), options.wire.shared_seed);
    out.part = options.part;
  }
  out.state = options.state.empty() ? fmt::format("pollen-state-{}", out.name) : options.state;
  out.shared_seed = options.wire.shared_seed;
  out.model_file = options.model_file;
  if (!options.contract.empty()) out.contract = read_text(options.contract);
  out.contract_hash = options.contract_hash;
  out.new_run = options.new_run;
  out.policy = policy_of(options);
  out.curvature = !options.no_hessian;
  if (!options.wire.shared_seed || !options.policy.empty())
    out.ledger = options.ledger.empty() && options.config.empty() ? default_ledger_folder() : options.ledger;
  if (!out.ledger.empty() && inside(out.ledger, out.state))
    throw ConfigError("--ledger",
                      fmt::format("found \"{}\", which is in the folder of --state, accepted: another folder, "
                                  "because states may be thrown away",
                                  out.ledger));
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
  for (const auto& [option, file] : {std::pair("--contract", &options.contract), {"--model-file", &options.model_file}})
    if (!file->empty() && !std::filesystem::is_regular_file(*file))
      problems.add(option, fmt::format("found \"{}\", accepted: a file", *file));
  const std::string& hash = options.contract_hash;
  if (!hash.empty() && (hash.size() != 64 || hash.find_first_not_of("0123456789abcdef") != std::string::npos))
    problems.add("--contract-hash",
                 fmt::format("found \"{}\", accepted: the 64 digits that join --dry-run prints", hash));
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
  for (const std::string& line : disclosed_messages(Contract(config, {.curvature = curvature})))
    text += fmt::format("  - {}\n", line);
  text += "No row leaves it. Nothing of its data has been sent. docs/privacy.md says more.\n";
  print(text);
}

// Serves one connection until it breaks or the server ends it. Returns whether the server sent more than a refusal.
bool converse(WireClient& wire, Participant& participant) {
  const auto send = [&](const Bytes& frame) { wire.write(frame); };
  wire.write(participant.hello());  // if this fails, the server may have said why before it read anything
  Bytes frame;
  bool welcome = false;
  while (!participant.ended() && wire.read(frame, participant.most_bytes())) {
    try {
      participant.handle(frame, send);
      welcome = welcome || !participant.ended();
    } catch (const WireError& error) {
      wire.write(wire::encode(wire::Refusal{error.what(), false}));
      throw;
    } catch (const StudyRefused& refused) {
      wire.write(wire::encode(wire::Refusal{refused.told(), false}));
      throw;
    } catch (const std::exception&) {
      // The error's text may quote the data, which must not leave this client.
      wire.write(wire::encode(wire::Refusal{"it cannot go on; its own log says why", false}));
      throw;
    }
  }
  return welcome;
}

// Writes the contract for the people who decide about it. A contract that is there already stays as it is.
void write_contract(const Contract& contract, const std::string& folder) {
  namespace fs = std::filesystem;
  const std::string path = folder.empty() ? "contract.toml" : folder + "/contract.toml";
  const std::string text = contract.text();
  if (fs::exists(path)) {
    if (const std::string difference = contract_difference(read_text(path), text); !difference.empty())
      throw ConfigError(path, fmt::format("found another contract ({}), accepted: this study's, or no such file; --out "
                                          "DIR writes it elsewhere",
                                          plain(difference)));
  } else {
    if (!folder.empty()) fs::create_directories(folder);
    replace_file(path, text);
  }
  print(
      fmt::format("The contract is in {}. This site joins under it, and under no other, with --contract {} or with\n"
                  "  --contract-hash {}\n"
                  "The study's own part, which is the same at all sites, has the SHA-256\n  {}\n",
                  path, path, contract.digest(), contract.study_digest()));
}

// Prints the columns of this client's own file. What is wrong with them is said by contract_for(), beside what the
// policy does not allow.
void print_columns(const ParticipantOptions& mine, const Config& study) {
  if (mine.part >= 0) return;
  for (const auto& table : {describe_file, describe_unusable}) try {
      return print(table(mine.data, study.data, target_of(study)) + "\n");
    } catch (const ConfigError&) {
    }
}

// Prints what this client would send, holds the study against the policy, and writes the contract.
int describe(const JoinOptions& options, const ParticipantOptions& mine, const Config& study, Index clients) {
  print_columns(mine, study);
  print_revelations(study, mine.curvature);
  const Contract contract = contract_for(mine, study, clients);
  if (const std::string other = other_than_agreed(mine, contract); !other.empty())
    throw ConfigError("the study is another one than was agreed", plain(other));
  write_contract(contract, options.out);
  return kDone;
}

// Connects, says what the server's configuration would mean for this client, and leaves.
int dry_run(const JoinOptions& options, const ParticipantOptions& mine, const Identity& identity) {
  if (mine.config) return describe(options, mine, *mine.config, 1);
  WireClient wire(options.server, identity.tls, &stop_flag());
  if (!wire.connect(10)) throw IoError(fmt::format("{}: {}", options.server, wire.why()));
  const wire::Hello hello{.version = mine.version, .name = mine.name, .shared_seed = mine.shared_seed};
  Bytes frame;
  wire.write(wire::encode(hello));
  if (!wire.read(frame, std::size_t{64} << 20)) throw IoError(fmt::format("{}: {}", options.server, wire.why()));
  if (wire::type_of(frame) == wire::Type::refusal)
    throw IoError(fmt::format("{} refuses: {}", options.server, plain(wire::decode<wire::Refusal>(frame).why)));
  const auto welcome = wire::decode<wire::Welcome>(frame);
  return describe(options, mine, servers_config(welcome.config, options.model_file), welcome.clients);
}

int end_of(const Participant& participant, const JoinOptions& options, const Tell& log, SiteFolder* folder) {
  const Participant::Ended& ended = *participant.ended();
  log({ended.complete ? "complete" : "ended", fmt::format("{} ({} rounds answered)", ended.why, participant.turns())});
  if (ended.complete && folder != nullptr) {
    const std::int64_t draws = folder->finish(participant);
    log({"draws", draws > 0 ? fmt::format("{} draws per chain are in {}; pollen summary shows them", draws, options.out)
                            : "the server has shared no draws (serve --share-draws)"});
    if (folder->scored())
      log({"scores", fmt::format("the scores of this site's own test rows are in {}/summary.json", options.out)});
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
  if (options.wire.shared_seed)
    mine.tell({"policy", options.policy.empty()
                             ? "--shared-seed: the hub is trusted, and neither a policy nor a ledger is kept"
                             : "--shared-seed: the hub is trusted; the policy holds"});
  if (options.dry_run) return dry_run(options, mine, identity);
  std::optional<SiteFolder> folder;
  if (!options.out.empty()) folder.emplace(options.out);
  const Participant* self = nullptr;
  if (folder) {
    mine.draws = [&](const wire::Draws& message) { folder->keep(message, *self); };
    mine.scored = [&](const SiteScores& scores) { folder->keep(scores, *self); };
  }
  Participant participant(mine);
  self = &participant;
  WireClient wire(options.server, identity.tls, &stop_flag());
  const bool ended = stay(options, wire, participant, mine.tell);
  participant.rest();
  if (ended) return end_of(participant, options, mine.tell, folder ? &*folder : nullptr);
  mine.tell({"stopped", fmt::format("stopped; its state is in {}, start the same command again to go on", mine.state)});
  return kStopped;
}

}  // namespace pollen::app
