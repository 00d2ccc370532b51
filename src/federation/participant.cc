#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "federation/client_state.h"
#include "federation/secret.h"
#include "pollen/errors.h"
#include "pollen/federation.h"

namespace pollen {

namespace {

// What must be archived of a reply so that the client can move by it later.
void archive_moved(Archive& a, Reply& reply, Client& client, const Recipe& recipe, Index dimension, Index chains) {
  a.list(reply.chains);
  a.flag(reply.silent);
  if (a.reading()) reply.decoded = Panel(dimension, chains);
  if (recipe.up.memory != Memory::none) a.array(reply.decoded.flat());
  if (recipe.local) client.archive_pending(a);
}

}  // namespace

struct Participant::Parts {
  explicit Parts(ParticipantOptions o) : options(std::move(o)), file(options.state) {}

  ParticipantOptions options;
  ClientStateFile file;
  std::optional<Ended> ended;
  std::int64_t turns = 0;

  // From the welcome on.
  std::string run;
  std::uint32_t index = 0;
  Index clients = 1;
  std::optional<Config> config;
  // From set-up on.
  std::optional<Federation> data;
  std::optional<StatisticalProblem> problem;
  std::size_t part = 0;  // which of the problem's potentials is this client's
  // From the seat on.
  Recipe recipe;
  std::unique_ptr<Fleet> fleet;
  Reply reply;
  bool reply_is_whole = false;  // the pending reply is in memory, not only on the disk
  struct Before {
    std::uint64_t committed, pending;
  };
  std::optional<Before> before;  // the last move, while the disk still has the state before it
  Workspace work;
  // Of shared draws, the block that is coming: every chain's part of it in turn.
  std::uint64_t first_draw = 0;
  std::uint32_t draws_chain = 0;
  Index draws_block = 0;

  ClientState& state() { return file.state(); }
  Client& client() { return fleet->clients().front(); }
  std::uint64_t seed() const { return options.shared_seed ? config->seed : file.state().seed; }

  void stop(const Send& send, const std::string& why) {
    send(wire::encode(wire::Refusal{why, false}));
    ended = Ended{false, false, why};
  }

  void welcomed(const wire::Welcome& message, const Send& send);
  void begin_run(const std::string& name);
  void describe(const Send& send);
  void laid_out(const wire::Layout& message, const Send& send);
  void scaled(const wire::Scaling& message, const Send& send);
  bool too_few(Index rows, const Send& send);
  void send_site(const Send& send);
  void seated(const wire::Seat& message);
  void take_settings(const wire::Settings& message);
  void settled(const wire::Settled& message);
  void caught_up(const wire::Standing& message);
  void asked(const wire::Ask& message, const Send& send);
  void broadcast(ByteView frame, const Send& send);
  void take_draws(const wire::Draws& message);
  void restore();
  void restore_reply();
  void move_back();
  void keep_client();
  void keep_reply(std::uint64_t turn, const Bytes& frame);
  void need_fleet() const {
    if (!fleet) throw WireError("message: before set-up is over");
  }
};

Participant::Participant(ParticipantOptions options) : parts_(std::make_unique<Parts>(std::move(options))) {}
Participant::~Participant() = default;

const std::optional<Participant::Ended>& Participant::ended() const { return parts_->ended; }
void Participant::forget_ending() { parts_->ended.reset(); }
std::int64_t Participant::turns() const { return parts_->turns; }
const Recipe* Participant::recipe() const { return parts_->fleet ? &parts_->recipe : nullptr; }
const StatisticalProblem* Participant::problem() const { return parts_->fleet ? &*parts_->problem : nullptr; }
const Config* Participant::config() const { return parts_->config ? &*parts_->config : nullptr; }

std::size_t Participant::most_bytes() const {
  constexpr std::size_t kSetup = std::size_t{64} << 20;
  if (!parts_->fleet) return kSetup;
  const auto words = static_cast<std::size_t>(parts_->problem->dimension() * parts_->config->run.chains);
  return kSetup + 8 * 8 * words;  // a standing is at most five panels
}

Bytes Participant::hello() const {
  const Parts& p = *parts_;
  wire::Hello hello;
  hello.version = p.options.version;
  hello.name = p.options.name;
  hello.instance = p.file.state().instance;
  hello.part = p.options.part;
  if (p.options.config) hello.config = to_toml(*p.options.config);
  hello.run = p.file.state().run;
  hello.ready = p.fleet != nullptr && p.run == hello.run;
  hello.shared_seed = p.options.shared_seed;
  return wire::encode(hello);
}

void Participant::handle(ByteView frame, const Send& send) {
  Parts& p = *parts_;
  switch (wire::type_of(frame)) {
    case wire::Type::welcome:
      return p.welcomed(wire::decode<wire::Welcome>(frame), send);
    case wire::Type::refusal: {
      const auto message = wire::decode<wire::Refusal>(frame);
      p.ended = Ended{false, message.again, message.why};
      return;
    }
    case wire::Type::layout:
      return p.laid_out(wire::decode<wire::Layout>(frame), send);
    case wire::Type::scaling:
      return p.scaled(wire::decode<wire::Scaling>(frame), send);
    case wire::Type::seat:
      return p.seated(wire::decode<wire::Seat>(frame));
    case wire::Type::settings:
      return p.take_settings(wire::decode<wire::Settings>(frame));
    case wire::Type::settled:
      return p.settled(wire::decode<wire::Settled>(frame));
    case wire::Type::standing:
      return p.caught_up(wire::decode<wire::Standing>(frame));
    case wire::Type::ask:
      return p.asked(wire::decode<wire::Ask>(frame), send);
    case wire::Type::broadcast:
      return p.broadcast(frame, send);
    case wire::Type::draws:
      return p.take_draws(wire::decode<wire::Draws>(frame));
    case wire::Type::end: {
      const auto message = wire::decode<wire::End>(frame);
      p.ended = Ended{message.complete, false, message.why};
      return;
    }
    default:
      throw WireError("message: not one a server sends");
  }
}

void Participant::Parts::welcomed(const wire::Welcome& message, const Send& send) {
  if (message.clients == 0 || message.index >= message.clients) throw WireError("welcome: a number that cannot be");
  if (fleet && run == message.run && index == message.index) return;  // a connection later, nothing else
  fleet.reset();
  problem.reset();
  data.reset();
  index = message.index;
  clients = static_cast<Index>(message.clients);
  run = message.run;
  config = options.config ? *options.config : read_config_text(message.config, "the server's configuration");
  if (state().run != run) begin_run(run);
  const auto& allowed = options.limits.samplers;
  if (!allowed.empty() && std::ranges::count(allowed, config->sampler.name) == 0)
    return stop(send, fmt::format("the server wants to sample with {}; this client allows {}", config->sampler.name,
                                  fmt::join(allowed, ", ")));
  options.tell({"welcome", fmt::format("welcome: client {} of {}, sampler {}, model {}", index + 1, clients,
                                       config->sampler.name, config->model.kind)});
  describe(send);
}

// A secret seed of its own for every run, on the disk before anything is answered.
void Participant::Parts::begin_run(const std::string& name) {
  ClientState fresh;
  fresh.instance = state().instance;
  fresh.run = name;
  fresh.seed = secret_number();
  state() = fresh;
  file.write();
}

void Participant::Parts::describe(const Send& send) {
  if (options.part >= 0) {
    problem = make_problem(*config);
    if (problem->potentials.size() != static_cast<std::size_t>(clients))
      throw ConfigError("--config",
                        fmt::format("found {} clients, the server expects {}", problem->clients(), clients));
    part = static_cast<std::size_t>(options.part);
    return send_site(send);
  }
  send(wire::encode(wire::Columns{column_facts(options.data, config->data, target_of(config->model.kind))}));
}

void Participant::Parts::laid_out(const wire::Layout& message, const Send& send) {
  if (!config || options.part >= 0) throw WireError("layout: not asked for");
  data = load_part(options.data, config->data, message.facts, target_of(config->model.kind), index, seed());
  if (too_few(data->train.rows, send)) return;
  const bool none = target_of(config->model.kind) == TargetKind::none;
  if (!none && *with_defaults(config->data).standardize) return send(wire::encode(wire::Moments{moments_of(*data, 0)}));
  problem = make_own_problem(*config, std::move(*data), clients);
  send_site(send);
}

void Participant::Parts::scaled(const wire::Scaling& message, const Send& send) {
  if (!data) throw WireError("scaling: not asked for");
  const std::size_t columns = static_cast<std::size_t>(data->train.columns) - (data->intercept ? 1 : 0);
  if (message.scaling.mean.size() != columns || message.scaling.sd.size() != columns)
    throw WireError("scaling: of another number of columns");
  for (std::size_t j = 0; j < columns; ++j)
    if (!std::isfinite(message.scaling.mean[j]) || !(message.scaling.sd[j] > 0) ||
        !std::isfinite(message.scaling.sd[j]))
      throw WireError("scaling: not numbers");
  standardize(message.scaling, *data);
  problem = make_own_problem(*config, std::move(*data), clients);
  data.reset();
  send_site(send);
}

// Before anything is sent that depends on the rows; how many there are is nobody's business then.
bool Participant::Parts::too_few(Index rows, const Send& send) {
  if (rows >= options.limits.least_rows) return false;
  options.tell({"refused", fmt::format("{} training rows, fewer than --min-rows {}", rows, options.limits.least_rows)});
  stop(send, "it has fewer training rows than its --min-rows");
  return true;
}

void Participant::Parts::send_site(const Send& send) {
  const SiteFacts facts = facts_of(*problem, part);
  if (too_few(facts.rows, send)) return;
  send(wire::encode(wire::Site{facts}));
}

void Participant::Parts::seated(const wire::Seat& message) {
  if (!problem) throw WireError("seat: before set-up");
  if (!(message.weight > 0 && message.weight <= 1)) throw WireError("seat: a weight that cannot be");
  if (fleet) return;
  std::vector<std::string> warnings;
  recipe = complete(*config, clients, problem->dimension(), warnings);
  recipe.make_bytes = true;
  const FleetSetup setup{&recipe,      &problem->prior, problem->dimension(), config->run.chains, clients,
                         config->seed, seed()};
  const Member member{index, problem->potentials[part].get(), message.weight};
  fleet = std::make_unique<Fleet>(setup, std::span(&member, 1));
  restore();
}

void Participant::Parts::restore() {
  reply_is_whole = false;
  if (!state().has_client) return;
  try {
    Archive archive(state().client);
    client().archive(archive);
    archive.finish();
  } catch (const WireError& error) {
    throw ConfigError("--state", fmt::format("found a state that does not fit this run ({})", error.what()));
  }
}

void Participant::Parts::take_settings(const wire::Settings& message) {
  need_fleet();
  if (!std::isfinite(message.step) || !std::isfinite(message.smoothness) || !std::isfinite(message.convexity))
    throw WireError("settings: not numbers");
  recipe.step = message.step;
  if (recipe.local) {
    recipe.local->smoothness = message.smoothness;
    recipe.local->convexity = message.convexity;
  }
  fleet->station().set_recipe(recipe);
}

// The server says which reply was the last one counted: the pending one, or the one before it.
void Participant::Parts::settled(const wire::Settled& message) {
  need_fleet();
  if (!keeps_state(recipe) || message.counted == state().committed) return;
  if (before && message.counted == before->committed) return move_back();
  if (state().pending == 0 || message.counted != state().pending)
    throw ConfigError(
        "--state", fmt::format("found a state that has moved by reply {} and waits for {}, but the server counted {}: "
                               "it is not the state this client had; the run cannot go on with it",
                               state().committed, state().pending, message.counted));
  restore_reply();
  client().settle(reply, true);
  before = Before{state().committed, state().pending};
  state().committed = message.counted;
  state().pending = 0;
  reply_is_whole = false;
}

// A server that asked where the move had come (emit = "every") and died before its own disk knew of the round.
void Participant::Parts::move_back() {
  state().committed = before->committed;
  state().pending = before->pending;
  before.reset();
  restore();
}

// After a restart what the client would move by is on the disk.
void Participant::Parts::restore_reply() {
  if (reply_is_whole) return;
  Archive archive(state().moved);
  archive_moved(archive, reply, client(), recipe, problem->dimension(), config->run.chains);
  archive.finish();
  reply_is_whole = true;
}

void Participant::Parts::caught_up(const wire::Standing& message) {
  need_fleet();
  Archive archive(message.station);
  fleet->station().archive(archive);
  archive.finish();
}

void Participant::Parts::asked(const wire::Ask& message, const Send& send) {
  need_fleet();
  const Index d = problem->dimension();
  constexpr std::int64_t kMost = std::int64_t{1} << 32;
  if (message.what > static_cast<std::uint8_t>(Query::What::local)) throw WireError("question: of no known kind");
  const auto what = static_cast<Query::What>(message.what);
  if (message.rows < 1 || message.columns < 1 || message.rows > kMost || message.columns > kMost / message.rows ||
      message.at.rows() != d)
    throw WireError("question: of sizes that cannot be");
  const bool side_by_side = what == Query::What::bounds || what == Query::What::rows;
  const bool fits = what == Query::What::value ? message.rows == 1 && message.columns == message.at.columns()
                    : what == Query::What::curvature
                        ? message.direction.rows() == d && message.columns == 1 && message.rows == d
                    : side_by_side               ? message.rows <= 4 && message.columns == clients
                    : what == Query::What::local ? message.rows == d && message.columns == config->run.chains
                                                 : message.rows == d && message.columns == message.at.columns();
  if (!fits || message.at.columns() < 1) throw WireError("question: of sizes that do not fit");
  wire::Answer answer{message.number, Panel(message.rows, message.columns)};
  pollen::answer(client(), fleet->station(), {what, message.at, message.direction}, answer.values, work);
  if (what == Query::What::anchor || what == Query::What::start_memory) keep_client();
  send(wire::encode(answer));
}

void Participant::Parts::keep_client() {
  Archive archive;
  client().archive(archive);
  state().client = archive.take();
  state().has_client = true;
  file.write();
}

void Participant::Parts::keep_reply(std::uint64_t turn, const Bytes& frame) {
  if (!keeps_state(recipe)) return;
  Archive archive;
  archive_moved(archive, reply, client(), recipe, problem->dimension(), config->run.chains);
  state().pending = turn;
  state().reply = frame;
  state().moved = archive.take();
  reply_is_whole = true;
  before.reset();
  keep_client();
}

void Participant::Parts::broadcast(ByteView frame, const Send& send) {
  need_fleet();
  Broadcast heard;
  std::vector<std::uint32_t> chains;
  wire::decode(frame, heard, chains);
  if (static_cast<Index>(heard.offset.size()) - 1 != config->run.chains || chains.empty())
    throw WireError("broadcast: of another number of chains");
  if ((heard.leg.steps > 0) != recipe.local.has_value()) throw WireError("broadcast: for another kind of sampler");
  const std::uint64_t turn = 1 + (recipe.local ? heard.leg.first : heard.round);
  fleet->station().receive(heard, work);
  if (keeps_state(recipe) && state().pending == turn && !state().reply.empty()) return send(state().reply);
  if (keeps_state(recipe) && turn <= state().committed) throw WireError("broadcast: of a round that is over");
  if (const auto most = options.limits.most_rounds; most > 0 && state().turns >= most)
    return stop(send, fmt::format("it has answered {} rounds, its --max-rounds", most));
  client().answer(fleet->station(), chains, reply, work);
  Bytes out;
  wire::encode(reply, out);
  ++state().turns;
  ++turns;
  keep_reply(turn, out);
  send(out);
}

// No more than the run can have kept, each once and in order; a server that was started again begins again.
void Participant::Parts::take_draws(const wire::Draws& message) {
  need_fleet();
  const Panel& positions = message.positions;
  if (message.chain == 0 && message.first == 0) first_draw = draws_chain = 0;
  if (message.chain == 0) draws_block = positions.columns();
  const std::uint64_t most = static_cast<std::uint64_t>(config->run.iterations);
  const auto count = static_cast<std::uint64_t>(positions.columns());
  if (message.chain != draws_chain || message.first != first_draw || positions.rows() != problem->dimension() ||
      count == 0 || positions.columns() != draws_block || count > most || message.first > most - count)
    throw WireError("draws: not those that follow");
  if (!std::ranges::all_of(positions.flat(), [](double x) { return std::isfinite(x); }))
    throw WireError("draws: not numbers");
  if (++draws_chain == static_cast<std::uint32_t>(config->run.chains)) {
    draws_chain = 0;
    first_draw += count;
  }
  if (options.draws) options.draws(message);
}

}  // namespace pollen
