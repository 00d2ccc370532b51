// A participant in set-up, from the welcome to the seat: the run's configuration and this client's columns, scaling and
// rows.
#include <fmt/format.h>
#include <unistd.h>

#include <cstring>

#include "base/secret.h"
#include "data/column_handshake.h"
#include "data/site_doubts.h"
#include "participant_parts.h"
#include "study.h"

namespace pollen {

namespace {

constexpr std::uint32_t kMostClients = std::uint32_t{1} << 20;

// Checks that `vectors` vectors per chain fit into memory, so that a server's numbers cannot make the client ask for
// too much.
void check_room(Index dimension, Index chains, Index vectors) {
  const double machine = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  const double numbers = static_cast<double>(dimension) * static_cast<double>(chains) * static_cast<double>(vectors);
  if (sizeof(double) * numbers > machine)
    throw ConfigError("the server's configuration",
                      fmt::format("found {} coefficients and {} chains with {} vectors each, which do not fit into "
                                  "this machine's memory",
                                  dimension, chains, vectors));
}

template <class Message>
std::string print_of(const Message& message) {
  return hex(sha256(wire::encode(message)));
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
  personal.reset();
  problem.reset();
  data.reset();
  own_columns.reset();
  own_moments.reset();
  config.reset();
  Config told = options.config ? *options.config : servers_config(message.config, options.model_file);
  // The server chooses the number of a client, so a secret split into training and test rows does not depend on it.
  SitePlace place{0, static_cast<Index>(message.clients), state().run == message.run ? state().seed : secret_number()};
  const std::uint64_t secret = place.seed;
  if (options.shared_seed) place.index = message.index, place.seed = told.seed;
  SiteStudy study = look_at_study(options, told, place, ledger ? &*ledger : nullptr);
  Contract agreed = contract_of(options, told, place.clients);
  // The pins and the ledger must both allow the run before either is changed.
  const Agreement agreement = decide(agreed, message.run, send);
  if (agreement == Agreement::refused) return;
  const bool known = agreement == Agreement::goes_on || agreement == Agreement::renamed;
  LedgerRun entry = ledger_run(study, known ? state().entered : message.run, agreed);
  const Leave allowed = leave();
  if (ledger) {
    const std::vector<Finding> findings = ledger->against(options.policy, entry, allowed);
    if (!findings.empty() && in_another_run(message.run))
      return refuse_for_now(send, findings.front().problem(options.policy).what,
                            StudyRefused(options.policy, findings).told());
    raise(options.policy, findings);
  }
  if (agreement == Agreement::needs_consent) return refuse_further_run(agreed, message.run, send);
  take_up(agreement, agreed, message.run, secret);
  enter_run(std::move(entry), allowed);
  if (study.columns && !options.shared_seed && state().seed != secret)  // the run had its seed under another name
    study.columns = column_facts(options.data, told.data, target_of(told), place.index, state().seed);
  index = message.index;
  clients = static_cast<Index>(message.clients);
  run = message.run;
  config = std::move(told);
  contract = std::move(agreed);
  options.tell({"welcome", fmt::format("welcome: client {} of {}, sampler {}, model {}", index + 1, clients,
                                       config->sampler.name, config->model.kind)});
  own_columns = std::move(study.columns);
  problem = std::move(study.problem);
  thin_points.watched = study.exact && !options.shared_seed;
  describe(send);
}

void Participant::Parts::describe(const Send& send) {
  if (options.part >= 0) {
    part = static_cast<std::size_t>(options.part);
    return send_site(send);
  }
  send(wire::encode(wire::Columns{*own_columns}));
}

// Tells this site what is odd about its own file. The server hears nothing of it.
void Participant::Parts::say_doubts(const std::vector<std::string>& doubts) const {
  for (const std::string& doubt : doubts) options.tell({"data", doubt, {}, {}, Notice::Level::warning});
}

void Participant::Parts::laid_out(const wire::Layout& message, const Send& send) {
  if (!config || !own_columns)
    throw WireError("layout: found one that this client did not ask for, accepted: one, after its columns");
  if (const auto why = column_difference(*own_columns, message.facts, "this client's file has"); !why.empty())
    throw ConfigError("the server's layout", why);
  if (const std::string rough = rough_name(message.facts); !rough.empty())
    throw ConfigError("the server's layout", fmt::format("found control characters in the name \"{}\"", rough));
  say_doubts(level_doubts(*own_columns, message.facts));
  own_columns.reset();
  if (!file.settle(state().layout, print_of(message)))
    return refuse(send, "the server sent another layout of columns; accepted: the one that this run began with");
  data =
      load_part(options.data, config->data, message.facts, target_of(*config), options.shared_seed ? index : 0, seed());
  say_doubts(label_doubts(*data));
  for (const std::string& note : data->notes) options.tell({"data", note});
  if (pools_columns(config->data, target_of(*config))) {
    enter_answer(1, 0, std::nullopt);
    return send(wire::encode(wire::Moments{*(own_moments = moments_of(*data, 0, config->data.target_moments))}));
  }
  problem = make_own_problem(*config, std::move(*data), clients);
  send_site(send);
}

void Participant::Parts::scaled(const wire::Scaling& message, const Send& send) {
  if (!data) throw WireError("scaling: found one that this client did not ask for, accepted: one, after its moments");
  const std::size_t columns = static_cast<std::size_t>(data->train.columns) - (data->intercept ? 1 : 0);
  const bool standardized = standardizes(config->data, target_of(*config));
  if (const std::string why =
          scaling_fault(message.scaling, columns, standardized, keeps_raw_moments(config->data, standardized));
      !why.empty())
    throw WireError("scaling: " + why);
  if (message.scaling.target.size() != (config->data.target_moments ? 2U : 0U))
    throw WireError(fmt::format("scaling: found {} numbers of the target, accepted: {}", message.scaling.target.size(),
                                config->data.target_moments ? 2 : 0));
  if (!data->intercept && message.scaling.dropped.size() == columns)
    throw WireError("scaling: found all columns among those to leave out, accepted: at least one that stays");
  if (!file.settle(state().scaling, print_of(message)))
    return refuse(send, "the server sent another scaling of columns; accepted: the one that this run began with");
  own_names.assign(data->feature_names.begin() + (data->intercept ? 1 : 0), data->feature_names.end());
  standardize(message.scaling, *data);
  problem = make_own_problem(*config, std::move(*data), clients);
  data.reset();
  send_site(send);
}

void Participant::Parts::send_site(const Send& send) {
  SiteFacts facts = facts_of(*problem, part);
  facts.shows_curvature = options.curvature;
  if (options.part < 0) facts.imputed = problem->data.imputed;
  send(wire::encode(wire::Site{facts}));
}

void Participant::Parts::make_recipe() {
  std::vector<std::string> warnings;
  if (is_mixed(*config)) {
    personal = std::make_unique<PersonalSite>(*config, *problem, PersonalSite::Place{part, index, clients, seed()});
    recipe = personal->recipe();
  } else {
    recipe = complete(*config, clients, problem->dimension(), warnings);
  }
  recipe.make_bytes = true;
}

void Participant::Parts::seated(const wire::Seat& message, const Send& send) {
  if (!problem) throw WireError("seat: found before this client has described its data, accepted: after that");
  if (!(message.weight > 0 && message.weight <= 1))
    throw WireError(fmt::format("seat: found the weight {}, accepted: above 0, at most 1", message.weight));
  if (!file.settle(state().weight, message.weight))
    return refuse(send, fmt::format("the server sent the weight {}, accepted: {}, as when this run began",
                                    message.weight, state().weight));
  const std::vector<std::uint64_t> place = {index, static_cast<std::uint64_t>(clients)};
  if (!file.settle(state().place, place))
    return refuse(send, fmt::format("the server calls this client number {} of {}, accepted: number {} of {}, as when "
                                    "this run began",
                                    index + 1, clients, state().place[0] + 1, state().place[1]));
  if (host) return tell_code_seed(send);
  // With weights that are not sizes a client does not know how many rows there are, and takes the others to have about
  // as many as it has.
  if (own_moments) {
    const double equal = 1 / static_cast<double>(clients), own = own_moments->count;
    const bool sized = message.weight < 1 && message.weight != equal;
    say_doubts(unit_doubts(*own_moments, own_names, problem->data.scaling, own / (sized ? message.weight : equal) - own,
                           sized));
  }
  make_recipe();
  constexpr Index kStates = 10;  // the vectors of a client's state
  check_room(dimension(), config->run.chains, kStates);
  if (personal) check_room(personal->latent(), config->run.chains, config->output.client_draws);
  // If this client's batch is all its rows, whatever its number, the view keeps no anchors.
  if (recipe.keeps_anchors() && !recipe.uses_anchor(problem->rows[part])) recipe.batch = {};
  learning = learns(recipe, dimension());
  schedule.reset();
  if (recipe.local) schedule.emplace(*recipe.local, config->seed);
  step_known = false;
  coordinates.reset();
  HostSetup setup{&recipe, &problem->prior, dimension(), config->run.chains,
                  clients, config->seed,    seed(),      code_seed()};
  if (personal) setup.work = &personal->work();
  const Member member{index, personal ? personal->whole() : problem->potentials[part], message.weight};
  host = std::make_unique<ClientHost>(setup, 1, [member](std::size_t) { return member; });
  weight = message.weight;
  restore();
  tell_code_seed(send);
}

// What a client's code draws together with the server says nothing of the client's secret seed, from which it follows.
std::uint64_t Participant::Parts::code_seed() const {
  if (options.shared_seed) return config->seed;
  Sha256 hash;
  hash.add(std::string("pollen: what a code and its server draw"));
  hash.add_number(seed());
  const Digest digest = hash.end();
  std::uint64_t number = 0;
  std::memcpy(&number, digest.data(), sizeof number);
  return number;
}

void Participant::Parts::tell_code_seed(const Send& send) {
  if (recipe.noise_share > 0) send(wire::encode(wire::CodeSeed{code_seed()}));
}

}  // namespace pollen
