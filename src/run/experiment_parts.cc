// Makes the parts of an experiment: the problem, the link to its clients, and the one engine that samples.
#include "experiment_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "exact_posterior.h"
#include "fleet_transport.h"
#include "local_step.h"
#include "pollen/errors.h"
#include "priors.h"

namespace pollen {

namespace {

int all_cores() { return static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

std::string checked_init(const Config& config, Index dimension) {
  if (config.run.init == "list" && static_cast<Index>(config.run.init_values.size()) != dimension)
    return fmt::format("found {} numbers, accepted: {}, one per coefficient", config.run.init_values.size(), dimension);
  if (config.run.init == "prior" && config.model.prior == "flat")
    return "found \"prior\" with prior = \"flat\", from which nothing can be drawn; accepted: \"zero\", \"mode\" or a "
           "list";
  return {};
}

// The expected share of clients that take part in a round; 1 if it is not a single number.
double active_share(const ParticipationConfig& p, Index clients) {
  if (p.policy == "fixed-size") return static_cast<double>(p.size.value_or(clients)) / static_cast<double>(clients);
  return p.policy == "bernoulli" && !p.probability_is_list && !p.probability.empty() ? p.probability[0] : 1;
}

// Warns if lp__ is expensive: it evaluates every row of every client, even if few clients take part in a round.
void warn_of_lp(const Config& config, const StatisticalProblem& problem, std::vector<std::string>& warnings) {
  constexpr double kTimesSampling = 10, kRows = 1e9;  // no warning below either of these
  if (!config.output.lp || problem.data.train_begin.empty() || is_exact(config)) return;
  const RunConfig& run = config.run;
  const auto rows = static_cast<double>(problem.data.train_begin.back());
  const double draws = static_cast<double>((run.iterations - run.burn_in.value_or(0)) / run.thin);
  const double sampling = active_share(config.participation, problem.clients()) * static_cast<double>(run.thin);
  if (kTimesSampling * sampling > 1 || draws * static_cast<double>(run.chains) * rows < kRows) return;
  warnings.push_back(
      fmt::format("lp__ takes a pass over all {} rows at every kept draw, {} times the work of sampling or more; "
                  "output.lp = false leaves it out, run.thin makes it rarer",
                  rows, std::floor(1 / sampling)));
}

}  // namespace

ExperimentParts::ExperimentParts(Config c, const ExperimentOptions& o)
    : config(std::move(c)),
      options(o),
      problem(o.posterior        ? make_given_problem(*o.posterior)
              : !o.sites.empty() ? make_remote_problem(config, o.sites)
                                 : make_problem(config, runs_distributed(config) ? o.ranks : nullptr)) {
  if (runs_distributed(config)) ranks = o.ranks;
  found.warnings = problem.data.notes;
  found.warnings.insert(found.warnings.end(), options.notes.begin(), options.notes.end());
  if (is_mixed(config))
    make_personal();
  else
    make_questions();
  tally = ParticipationTally(problem.clients(), config.run.iterations);
  const ClientNames& held = problem.data.client_names;
  clock = make_simulated_clock(config, problem.clients(), held.empty() ? ClientNames(config.federation.expect) : held);
}

void ExperimentParts::make_personal() {
  personal = make_personal_parts(config, problem.model, problem.data);
  problem.model = {};  // φ and β alone predict nothing
  write_columns(*personal, config);
  personal->apart = !options.sites.empty();
  personal->shows_curvature = problem.shows_curvature;
  recipe = personal_recipe(config, problem.clients(), *personal, found.warnings);
  check_curvature_is_shown();
  results.emplace(*this);
}

// The automatic steps of φ and β are made of sums of Hessians.
void ExperimentParts::check_curvature_is_shown() const {
  const SamplerConfig& s = config.sampler;
  if (problem.shows_curvature || personal->baseline || personal->prior || s.population_step || s.shared_step) return;
  throw ConfigError(config.file + ": sampler.shared_step",
                    "found none, but a client does not show its curvature (join --no-hessian), by which steps are "
                    "chosen; accepted: numbers for sampler.shared_step and sampler.population_step");
}

void ExperimentParts::make_questions() {
  const bool automatic = config.sampler.precondition == "auto";
  recipe = complete(config, problem.clients(), problem.dimension(), found.warnings);
  if (const std::string wrong = checked_init(config, problem.dimension()); !wrong.empty())
    throw ConfigError(config.file + ": run.init", wrong);
  warn_of_lp(config, problem, found.warnings);
  uncovered =
      options.sites.empty() ? uncovered_queries(config, problem.data) : uncovered_queries(config, options.levels_shown);
  if (config.sampler.precondition == "full" && !problem.shows_curvature) {
    config.sampler.precondition = "diagonal";
    found.notes.emplace_back("a client does not show its whole curvature, so sampler.precondition = \"diagonal\"");
  }
  choose_sample(automatic);
  write_automatic_prior();  // after what looks at the data was listed
  check_sizes(config, recipe, problem.rows, found.warnings);
  if (std::string few = few_rows(problem); !few.empty()) found.warnings.push_back(std::move(few));
  check_coordinates();
  const SamplerConfig& s = config.sampler;
  const char* number = s.step         ? "sampler.step"
                       : s.clip       ? "sampler.clip"
                       : s.smoothness ? "sampler.smoothness"
                       : s.convexity  ? "sampler.convexity"
                                      : nullptr;
  if (automatic && number != nullptr && !recipe.reference && !is_network(config) && config.model.kind != "gaussian" &&
      !asks_for_privacy(config))
    found.notes.push_back(fmt::format(
        "{} is a number, which is in the model's own coordinates, so sampler.precondition = \"none\"", number));
  make_link();
  potential.resize(static_cast<std::size_t>(config.run.chains));
}

// Writes the numbers of the automatic prior into the configuration, so that DIR/config.toml needs no moments.
void ExperimentParts::write_automatic_prior() {
  if (!problem.automatic_prior) return;
  ModelConfig& model = config.model;
  model.prior = "normal";
  model.prior_scale = "data";
  model.prior_sd = problem.automatic_prior->sd;
  model.prior_mean = problem.automatic_prior->mean;
  model.prior_centre = problem.automatic_prior->centre;
}

void ExperimentParts::make_link() {
  FederatedSetup setup{&recipe,      &problem.prior,      &problem.potentials, problem.first,
                       problem.rows, problem.dimension(), config.run.chains,   config.seed};
  link = std::make_unique<ClientLink>(setup, make_transport(pick_threads()));
  questions.emplace(*link, problem, config, found);
  if (approximates()) questions->scale_search(approximates_whole());
  questions->ask_only(config.sampler.curvature_clients);
}

void ExperimentParts::make_engine() {
  if (recipe.exact && !personal)
    make_exact_engine();
  else if (recipe.reference)
    engine = make_reference_engine();
  else
    make_federation();
  listen();
}

exact::Setup ExperimentParts::exact_setup() const {
  // Chains that are ahead keep their draws in memory and in the checkpoint.
  constexpr Index kAhead = 64, kNumbers = Index{1} << 20;
  exact::Setup setup{.kernel = recipe.name,
                     .dimension = problem.dimension(),
                     .chains = config.run.chains,
                     .seed = config.seed,
                     .ahead = std::clamp<Index>(kNumbers / problem.dimension(), 1, kAhead),
                     .last = config.run.iterations,
                     .settings = config.reference,
                     .any_fall = !options.believed.empty()};
  if (recipe.step.size > 0) setup.settings.step = recipe.step.size;
  setup.settings.warm_up = *config.run.burn_in;
  return setup;
}

void ExperimentParts::make_exact_engine() {
  engine = exact::make_engine(exact_setup(), std::make_unique<FederatedPosterior>(*link));
}

void ExperimentParts::make_federation() {
  std::unique_ptr<ServerStep> step;
  if (personal) {
    step = make_personal_round(config, recipe, *personal);
    approximation = dynamic_cast<Approximation*>(step.get());
    joint = dynamic_cast<exact::JointStep*>(step.get());
    const ClientRange own = own_clients();
    const FederatedSetup setup{.recipe = &recipe,
                               .prior = &problem.prior,
                               .first = own.first,
                               .sizes = personal->sizes,
                               .dimension = personal->work.dimension,
                               .chains = config.run.chains,
                               .seed = config.seed,
                               .work = &personal->work,
                               .with_work = personal->apart ? 0 : own.size(),
                               .apart = personal->apart};
    link = std::make_unique<ClientLink>(setup, make_transport(pick_threads()));
  }
  // Trajectories that diverge have absurd gradients, and are rejected.
  const Judgement judgement = joint != nullptr ? Judgement() : Judgement{*config.run.burn_in, options.believed};
  auto made = std::make_unique<FederatedEngine>(*link, std::move(step), judgement);
  federation = made.get();
  engine = std::move(made);
}

void ExperimentParts::listen() {
  if (!clock && !options.watch) return;
  engine->listen([this](std::span<const ClientTraffic> loads) {
    if (clock) clock->exchange(loads);
    if (options.watch) options.watch(loads);
  });
}

std::int64_t ExperimentParts::setup_bits() const {
  std::int64_t bits = problem.data.setup_bits + options.setup_bits;
  for (const SetupExchange& e : found.exchanges) bits += e.times * (e.down_bits + e.up_bits) * problem.clients();
  return bits;
}

MakeTransport ExperimentParts::make_transport(int threads) const {
  if (options.transport) return options.transport;
  if (ranks != nullptr)
    return [this](ClientView& view, Clients& clients) {
      if (ranks->rank() != 0) return std::unique_ptr<Transport>();
      return make_rank_transport(*ranks, view, clients, rank_share());
    };
  if (personal)
    return [threads](ClientView& view, Clients& clients) { return make_thread_transport(view, clients, threads); };
  return local_transport(threads);
}

MakeTransport ExperimentParts::local_transport(int threads) const {
  const bool gpu = config.compute.device == "cuda";
  return [threads, gpu](ClientView& view, Clients& clients) {
    std::unique_ptr<Transport> together = gpu ? make_fleet_transport(view, clients, threads) : nullptr;
    return together ? std::move(together) : make_thread_transport(view, clients, threads);
  };
}

// The number of threads to start with. Large tables start on all cores; other runs start on one thread, until
// ThreadChoice finds that rounds are long enough to be shared.
int ExperimentParts::pick_threads() {
  const bool large = problem.data.train.rows * problem.data.train.columns >= 1'000'000;
  const bool gpu = config.compute.device == "cuda";  // a fleet's transport has a state and cannot be replaced
  if (options.threads > 0 || options.transport || large || gpu || all_cores() == 1) choice.decide();
  if (ranks != nullptr) {  // the ranks share the cores; only the user can ask for more threads
    choice.decide();
    return std::max(1, options.threads);
  }
  return options.threads > 0 ? options.threads : large ? all_cores() : 1;
}

void ExperimentParts::choose_threads() {
  if (federation == nullptr && !recipe.exact) return;
  const ThreadChoice::Verdict verdict = choice.between_rounds();
  if (verdict == ThreadChoice::Verdict::stay) return;
  const int threads = verdict == ThreadChoice::Verdict::use_all ? all_cores() : 1;
  if (federation != nullptr)
    federation->set_transport(make_transport(threads));
  else
    link->set_transport(make_transport(threads));
}

}  // namespace pollen
