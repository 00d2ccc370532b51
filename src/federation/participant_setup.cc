// A participant in set-up, from the welcome to the seat: the run's configuration and this client's columns, scaling and
// rows.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/secret.h"
#include "data/column_handshake.h"
#include "participant_parts.h"

namespace pollen {

namespace {

constexpr std::uint32_t kMostClients = std::uint32_t{1} << 20;

// Reads the server's configuration and removes every file name from it, so that the client opens only its own --data.
Config servers_config(const std::string& text) {
  Config config = read_config_text(text, "the server's configuration");
  config.data.sources.clear();
  clear_paths(config.data);
  if (!federated(config))
    throw ConfigError("the server's configuration",
                      fmt::format("found the sampler {} for the model {}, which is not for a federation",
                                  config.sampler.name, config.model.kind));
  return config;
}

// Checks that the state, about ten vectors per chain, fits into memory, so that a server's numbers cannot make the
// client ask for too much.
void check_room(Index dimension, Index chains) {
  const double machine = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  const double needed = 10.0 * sizeof(double) * static_cast<double>(dimension) * static_cast<double>(chains);
  if (needed > machine)
    throw ConfigError("the server's configuration",
                      fmt::format("found {} coefficients and {} chains, which do not fit into this machine's memory",
                                  dimension, chains));
}

}  // namespace

void Participant::Parts::welcomed(const wire::Welcome& message, const Send& send) {
  if (message.clients == 0 || message.clients > kMostClients || message.index >= message.clients)
    throw WireError(fmt::format("welcome: found client {} of {}, accepted: 1 to {} clients, and a number below theirs",
                                message.index, message.clients, kMostClients));
  if (message.run.empty() || message.run.size() > 64 || !is_plain(message.run))
    throw WireError(
        fmt::format("welcome: found a run named \"{}\", accepted: 1 to 64 plain characters", plain(message.run)));
  if (host && run == message.run && index == message.index) return;  // only the connection is new
  host.reset();
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

// Makes a new secret seed for every run and stores it before anything is answered.
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
  own_columns = column_facts(options.data, config->data, target_of(*config));
  send(wire::encode(wire::Columns{*own_columns}));
}

// Checks that the client's file is still the one it began with. The server cannot notice other rows, and the chain
// would have no defined law with them.
void Participant::Parts::check_data() {
  data_print = fingerprint_of(options.data);
  if (state().data != 0 && state().data != data_print)
    throw ConfigError("--data", fmt::format("found \"{}\", whose rows are not those this client began the run with; "
                                            "accepted: the same file as then",
                                            options.data));
}

void Participant::Parts::laid_out(const wire::Layout& message, const Send& send) {
  if (!config || !own_columns)
    throw WireError("layout: found one that this client did not ask for, accepted: one, after its columns");
  if (const auto why = column_difference(*own_columns, message.facts, "this client's file has"); !why.empty())
    throw ConfigError("the server's layout", why);
  own_columns.reset();
  data = load_part(options.data, config->data, message.facts, target_of(*config), index, seed());
  if (too_few(data->train.rows, send)) return;
  if (pools_columns(config->data, target_of(*config)))
    return send(wire::encode(wire::Moments{moments_of(*data, 0, config->data.target_moments)}));
  problem = make_own_problem(*config, std::move(*data), clients);
  send_site(send);
}

void Participant::Parts::scaled(const wire::Scaling& message, const Send& send) {
  if (!data) throw WireError("scaling: found one that this client did not ask for, accepted: one, after its moments");
  const std::size_t columns = static_cast<std::size_t>(data->train.columns) - (data->intercept ? 1 : 0);
  const bool standardized = standardizes(config->data, target_of(*config));
  if (const std::string why = scaling_fault(message.scaling, columns, standardized, config->data.column_moments);
      !why.empty())
    throw WireError("scaling: " + why);
  if (message.scaling.target.size() != (config->data.target_moments ? 2U : 0U))
    throw WireError(fmt::format("scaling: found {} numbers of the target, accepted: {}", message.scaling.target.size(),
                                config->data.target_moments ? 2 : 0));
  if (!data->intercept && message.scaling.dropped.size() == columns)
    throw WireError("scaling: found all columns among those to leave out, accepted: at least one that stays");
  standardize(message.scaling, *data);
  problem = make_own_problem(*config, std::move(*data), clients);
  data.reset();
  send_site(send);
}

// Refuses if the client has too few rows. This comes before anything that depends on the rows is sent, and the refusal
// does not reveal their number.
bool Participant::Parts::too_few(Index rows, const Send& send) {
  if (rows >= options.limits.least_rows) return false;
  options.tell({"refused", fmt::format("{} training rows, fewer than --min-rows {}", rows, options.limits.least_rows)});
  stop(send, "it has fewer training rows than its --min-rows");
  return true;
}

void Participant::Parts::send_site(const Send& send) {
  SiteFacts facts = facts_of(*problem, part);
  facts.shows_curvature = options.limits.curvature;
  if (too_few(facts.rows, send)) return;
  send(wire::encode(wire::Site{facts}));
}

void Participant::Parts::seated(const wire::Seat& message) {
  if (!problem) throw WireError("seat: found before this client has described its data, accepted: after that");
  if (!(message.weight > 0 && message.weight <= 1))
    throw WireError(fmt::format("seat: found the weight {}, accepted: above 0, at most 1", message.weight));
  if (host) return;
  check_room(problem->dimension(), config->run.chains);
  std::vector<std::string> warnings;
  recipe = complete(*config, clients, problem->dimension(), warnings);
  recipe.make_bytes = true;
  // If this client's batch is all its rows, whatever its number, the view keeps no anchors.
  if (recipe.keeps_anchors() && !recipe.uses_anchor(problem->rows[part])) recipe.batch = {};
  step_known = false;
  coordinates.reset();
  const HostSetup setup{&recipe,      &problem->prior, problem->dimension(), config->run.chains, clients,
                        config->seed, seed()};
  const Member member{index, problem->potentials[part], message.weight};
  host = std::make_unique<ClientHost>(setup, 1, [member](std::size_t) { return member; });
  weight = message.weight;
  if (state().data != data_print) {  // from here on the client is bound to these rows
    state().data = data_print;
    file.write();
  }
  restore();
}

}  // namespace pollen
