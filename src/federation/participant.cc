#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "federation/client_state.h"
#include "federation/plain.h"
#include "federation/question.h"
#include "federation/secret.h"
#include "pollen/errors.h"
#include "pollen/federation.h"
#include "pollen/privacy_meter.h"

namespace pollen {

namespace {

constexpr std::uint32_t kMostClients = std::uint32_t{1} << 20;

// A server's configuration names no file that this client would open: its own --data is all it reads.
Config servers_config(const std::string& text) {
  Config config = read_config_text(text, "the server's configuration");
  config.data.sources.clear();
  config.data.labels.clear();
  const NamedSampler* sampler = find_sampler(config.sampler.name);
  if (sampler == nullptr || sampler->family == NamedSampler::Family::personal || is_mixed(config))
    throw ConfigError("the server's configuration",
                      fmt::format("found the sampler {} for the model {}, which is not for a federation",
                                  config.sampler.name, config.model.kind));
  return config;
}

// What a client keeps is about ten vectors a chain; a server's numbers must not make it ask for more than there is.
void check_room(Index dimension, Index chains) {
  const double machine = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  const double needed = 10.0 * sizeof(double) * static_cast<double>(dimension) * static_cast<double>(chains);
  if (needed > machine)
    throw ConfigError("the server's configuration",
                      fmt::format("found {} coefficients and {} chains, which do not fit into this machine's memory",
                                  dimension, chains));
}

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
  explicit Parts(ParticipantOptions o) : options(std::move(o)), file(options.state) {
    options.tell = in_plain_words(std::move(options.tell));
  }

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
  std::optional<ColumnFacts> own_columns;  // sent, and not yet answered
  std::optional<Federation> data;
  std::uint64_t data_print = 0;  // of the client's own file
  std::optional<StatisticalProblem> problem;
  std::size_t part = 0;  // which of the problem's potentials is this client's
  // From the seat on.
  Recipe recipe;
  std::unique_ptr<Fleet> fleet;
  double weight = 1;
  Reply reply;
  bool reply_is_whole = false;  // the pending reply is in memory, not only on the disk
  struct Before {
    std::uint64_t committed, pending;
  };
  std::optional<PrivacyMeter> meter;  // where the client has a limit
  std::optional<Before> before;       // the last move, while the disk still has the state before it
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
  void check_data();
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
  void measure();
  std::optional<double> epsilon_after(std::uint64_t iterations) const;
  std::string beyond_limits(const Broadcast& heard) const;
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
      p.ended = Ended{false, message.again, plain(message.why)};
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
      p.ended = Ended{message.complete, false, plain(message.why)};
      return;
    }
    default:
      throw WireError("message: not one a server sends");
  }
}

void Participant::Parts::welcomed(const wire::Welcome& message, const Send& send) {
  if (message.clients == 0 || message.clients > kMostClients || message.index >= message.clients)
    throw WireError("welcome: a number that cannot be");
  if (message.run.empty() || message.run.size() > 64 || !is_plain(message.run))
    throw WireError("welcome: a run without a name");
  if (fleet && run == message.run && index == message.index) return;  // a connection later, nothing else
  fleet.reset();
  problem.reset();
  data.reset();
  own_columns.reset();
  config.reset();
  Config told = options.config ? *options.config : servers_config(message.config);
  const auto& allowed = options.limits.samplers;
  if (!allowed.empty() && std::ranges::count(allowed, told.sampler.name) == 0)
    return stop(send, fmt::format("the server wants to sample with {}; this client allows {}", told.sampler.name,
                                  fmt::join(allowed, ", ")));
  index = message.index;
  clients = static_cast<Index>(message.clients);
  run = message.run;
  if (state().run != run) begin_run(run);
  config = std::move(told);
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
  check_data();
  own_columns = column_facts(options.data, config->data, target_of(config->model.kind));
  send(wire::encode(wire::Columns{*own_columns}));
}

// The server cannot see that other rows have come in place of the first ones; the chain would have no law then.
void Participant::Parts::check_data() {
  data_print = fingerprint_of(options.data);
  if (state().data != 0 && state().data != data_print)
    throw ConfigError("--data", fmt::format("found \"{}\", whose rows are not those this client began the run with; "
                                            "accepted: the same file as then",
                                            options.data));
}

void Participant::Parts::laid_out(const wire::Layout& message, const Send& send) {
  if (!config || !own_columns) throw WireError("layout: not asked for");
  union_of({*own_columns, message.facts},
           {"this one", "the server's layout"});  // throws unless it is of the same columns
  own_columns.reset();
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
  check_room(problem->dimension(), config->run.chains);
  std::vector<std::string> warnings;
  recipe = complete(*config, clients, problem->dimension(), warnings);
  recipe.make_bytes = true;
  const FleetSetup setup{&recipe,      &problem->prior, problem->dimension(), config->run.chains, clients,
                         config->seed, seed()};
  const Member member{index, problem->potentials[part].get(), message.weight};
  fleet = std::make_unique<Fleet>(setup, std::span(&member, 1));
  weight = message.weight;
  if (state().data != data_print) {  // from here on it is these rows or none
    state().data = data_print;
    file.write();
  }
  restore();
}

// A meter of this client's own: its rows and all others', whose number its weight tells.
void Participant::Parts::measure() {
  if (options.limits.most_epsilon <= 0) return;
  const Index mine = problem->rows[part];
  const auto all = static_cast<Index>(std::llround(static_cast<double>(mine) / weight));
  std::vector<Index> sizes = {mine};
  if (all > mine) sizes.push_back(all - mine);
  meter.emplace(*config, recipe, sizes, outside_the_theorem(*config, true));
}

std::optional<double> Participant::Parts::epsilon_after(std::uint64_t iterations) const {
  const PrivacySpending spending = meter->after(static_cast<std::int64_t>(iterations));
  if (spending.epsilon && spending.renyi_epsilon) return std::min(*spending.epsilon, *spending.renyi_epsilon);
  return spending.epsilon ? spending.epsilon : spending.renyi_epsilon;
}

// Why this client will not answer; empty where it will.
std::string Participant::Parts::beyond_limits(const Broadcast& heard) const {
  const ParticipantLimits& limits = options.limits;
  if (limits.most_rounds > 0 && file.state().turns >= limits.most_rounds)
    return fmt::format("it has answered {} rounds, its --max-rounds", limits.most_rounds);
  if (!meter) return {};
  const auto epsilon = epsilon_after(heard.leg.first + heard.leg.steps);
  if (!epsilon)
    return fmt::format("no epsilon can be given, so that its --max-epsilon cannot hold: {}",
                       fmt::join(meter->after(1).why, "; "));
  if (*epsilon > limits.most_epsilon)
    return fmt::format("after this round epsilon would be {:.4g}, above its --max-epsilon {:.4g}", *epsilon,
                       limits.most_epsilon);
  return {};
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
  for (const double x : {message.step, message.smoothness, message.convexity})
    if (!std::isfinite(x) || x < 0) throw WireError("settings: numbers that cannot be");
  recipe.step = message.step;
  if (recipe.local) {
    recipe.local->smoothness = message.smoothness;
    recipe.local->convexity = message.convexity;
  }
  fleet->station().set_recipe(recipe);
  measure();
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
  Station& station = fleet->station();
  station.archive(archive);
  archive.finish();
  for (const ConstPanelView panel : {station.position(), station.reference(), station.control(), station.anchor()})
    check_numbers(panel, "standing");
}

void Participant::Parts::asked(const wire::Ask& message, const Send& send) {
  need_fleet();
  const Query::What what = check_question(message, {&recipe, problem->dimension(), config->run.chains, clients});
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
  if (!keeps_state(recipe)) {
    if (options.limits.most_rounds > 0) file.write();  // the count of rounds
    return;
  }
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
  if (static_cast<Index>(heard.offset.size()) - 1 != config->run.chains ||
      static_cast<Index>(chains.size()) != config->run.chains)
    throw WireError("broadcast: of another number of chains");
  check_leg(heard, problem->dimension(), config->run.chains);
  if ((heard.leg.steps > 0) != recipe.local.has_value()) throw WireError("broadcast: for another kind of sampler");
  const std::uint64_t turn = 1 + (recipe.local ? heard.leg.first : heard.round);
  fleet->station().receive(heard, work);
  if (keeps_state(recipe) && state().pending == turn && !state().reply.empty()) return send(state().reply);
  if (keeps_state(recipe) && turn <= state().committed) throw WireError("broadcast: of a round that is over");
  if (const std::string why = beyond_limits(heard); !why.empty()) return stop(send, why);
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
