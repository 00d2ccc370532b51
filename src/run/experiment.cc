#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "fleet_transport.h"
#include "local_step.h"
#include "own_draws.h"
#include "parts.h"
#include "pollen/errors.h"
#include "reference_engine.h"

namespace pollen {

namespace {

int all_cores() { return static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

std::string checked_init(const Config& config, Index dimension) {
  if (config.run.init == "list" && static_cast<Index>(config.run.init_values.size()) != dimension)
    return fmt::format("found {} numbers, accepted: {}, one a coefficient", config.run.init_values.size(), dimension);
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
  if (!config.output.lp || problem.data.train_begin.empty()) return;
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

Experiment::Parts::Parts(Config c, const ExperimentOptions& o)
    : config(std::move(c)),
      options(o),
      problem(o.posterior        ? make_given_problem(*o.posterior)
              : !o.sites.empty() ? make_remote_problem(config, o.sites)
                                 : make_problem(config, runs_distributed(config) ? o.ranks : nullptr)) {
  if (runs_distributed(config)) ranks = o.ranks;
  warnings = problem.data.notes;
  if (is_mixed(config)) {
    personal = make_personal_parts(config, problem.model, problem.data);
    problem.model = {};  // φ and β alone predict nothing
    write_columns(*personal, config);
    recipe = complete(config, problem.clients(), std::max<Index>(1, personal->model->shared()), warnings);
    recipe.up.whole_tail = personal->baseline ? 0 : personal->population->parameters();
    make_clock();
    return;
  }
  recipe = complete(config, problem.clients(), problem.dimension(), warnings);
  if (const std::string wrong = checked_init(config, problem.dimension()); !wrong.empty())
    throw ConfigError(config.file + ": run.init", wrong);
  make_clock();
  warn_of_lp(config, problem, warnings);
  outside = o.sites.empty() ? uncovered_queries(config, problem.data) : uncovered_queries(config, o.levels_shown);
  make_engine();
}

void Experiment::Parts::make_clock() {
  const ClientNames& held = problem.data.client_names;
  clock = make_simulated_clock(config, problem.clients(), held.empty() ? ClientNames(config.federation.expect) : held);
}

void Experiment::Parts::make_engine() {
  const Index chains = config.run.chains;
  check_sizes(config, recipe, problem.rows, warnings);
  FederatedSetup setup{&recipe, &problem.prior, &problem.potentials, problem.first, problem.rows, problem.dimension(),
                       chains,  config.seed};
  federation = std::make_unique<FederatedEngine>(setup, make_transport(pick_threads()));
  federation->counters().setup_bits = problem.data.setup_bits + options.setup_bits;
  engine = federation.get();
  tally = ParticipationTally(problem.clients(), config.run.iterations);
  if (!recipe.reference) listen();
  potential.resize(static_cast<std::size_t>(chains));
}

MakeTransport Experiment::Parts::make_transport(int threads) const {
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

MakeTransport Experiment::Parts::local_transport(int threads) const {
  const bool gpu = config.compute.device == "cuda";
  return [threads, gpu](ClientView& view, Clients& clients) {
    std::unique_ptr<Transport> together = gpu ? make_fleet_transport(view, clients, threads) : nullptr;
    return together ? std::move(together) : make_thread_transport(view, clients, threads);
  };
}

// The number of threads to start with. Large tables start on all cores; other runs start on one thread, until
// ThreadChoice finds that rounds are long enough to be shared.
int Experiment::Parts::pick_threads() {
  const bool large = problem.data.train.rows * problem.data.train.columns >= 1'000'000;
  const bool gpu = config.compute.device == "cuda";  // a fleet's transport has a state and cannot be replaced
  if (options.threads > 0 || options.transport || large || gpu || all_cores() == 1) choice.decide();
  if (ranks != nullptr) {  // the ranks share the cores; only the user can ask for more threads
    choice.decide();
    return std::max(1, options.threads);
  }
  return options.threads > 0 ? options.threads : large ? all_cores() : 1;
}

void Experiment::Parts::make_reference_engine() {
  if (!recipe.reference || reference) return;
  reference = pollen::make_reference_engine(config, recipe, problem);
  reference->counters().setup_bits = federation->counters().setup_bits;
  engine = reference.get();
  listen();
}

void Experiment::Parts::choose_threads() {
  if (recipe.reference || (personal && personal->baseline)) return;
  const ThreadChoice::Verdict verdict = choice.between_rounds();
  if (verdict == ThreadChoice::Verdict::stay) return;
  const int threads = verdict == ThreadChoice::Verdict::use_all ? all_cores() : 1;
  federation->set_transport(make_transport(threads));
}

void Experiment::Parts::keep(Sink& sink) {
  ++kept;
  if (!engine->transitions().empty()) sink.transitions(engine->transitions());
  if (!config.output.lp || personal) return sink.kept(engine->position(), {});
  const Index chains = config.run.chains;
  transport().query({Query::What::value, engine->position(), {}}, {potential.data(), 1, chains, 1});
  for (Index c = 0; c < chains; ++c)
    potential[static_cast<std::size_t>(c)] += problem.prior.value(engine->position().column(c));
  sink.kept(engine->position(), potential);
}

template <class Self>
void Experiment::Parts::archive(Self& self, Archive& archive) {
  Config stepless = self.config;  // "auto" and the step that it picked count as the same configuration
  if (!self.personal) stepless.sampler.step.reset();
  stepless.sampler.smoothness.reset();
  stepless.sampler.convexity.reset();
  std::string text = to_toml(stepless);
  const std::string mine = text;
  archive.text(text);
  if (text != mine) throw WireError("saved state: it is of another configuration");
  double step = self.recipe.step;
  archive.field(step);
  if (self.config.sampler.step.value_or(step) != step) throw WireError("saved state: it is of another sampler.step");
  self.recipe.step = step;
  const bool fixed = step > 0 && !(self.recipe.local && self.recipe.local->decaying);
  if (fixed) self.config.sampler.step = step;
  std::vector<std::string> looks;
  for (const UncoveredQuery& look : self.outside) looks.insert(looks.end(), {look.name, look.what});
  archive.texts(looks);
  self.outside.clear();
  for (std::size_t i = 0; i + 1 < looks.size(); i += 2) self.outside.push_back({looks[i], looks[i + 1]});
  archive.field(self.kept);
  archive.field(self.emitted);
  archive.field(self.smoothness);
  archive.texts(self.warnings);
  archive.texts(self.notes);
  std::uint64_t found = self.mode.size();
  archive.field(found);
  if (found != 0 && found != static_cast<std::uint64_t>(self.problem.dimension()))
    throw WireError("saved state: an array has another size");
  self.mode.resize(found);
  archive.array(std::span(self.mode));
  if (self.recipe.local && self.recipe.local->decaying) {
    double l = self.recipe.local->smoothness, m = self.recipe.local->convexity;
    archive.field(l);
    archive.field(m);
    if (self.config.sampler.smoothness.value_or(l) != l || self.config.sampler.convexity.value_or(m) != m)
      throw WireError("saved state: it is of another decaying step");
    self.config.sampler.smoothness = self.recipe.local->smoothness = l;
    self.config.sampler.convexity = self.recipe.local->convexity = m;
  }
  self.make_reference_engine();
  if (self.personal && self.engine == nullptr) self.make_personal_engine();
  if (!self.clock) self.engine->listen({});  // so that the saved state is the same with and without an observer
  self.engine->archive(archive);
  self.listen();
  if (self.clock) self.clock->archive(archive);
  self.tally.archive(archive);
}

Experiment::Experiment(Config config, ExperimentOptions options)
    : parts_(std::make_unique<Parts>(std::move(config), options)) {
  if (options.ranks == nullptr) return;
  if (options.ranks->rank() == 0)
    await_ready(*options.ranks, parts_->fingerprint());
  else if (parts_->personal)
    parts_->make_personal_engine();
}

Experiment::~Experiment() = default;

void Experiment::prepare() {
  if (parts_->personal) return parts_->prepare_personal();
  parts_->set_step();
  parts_->make_reference_engine();
  parts_->set_privacy();
  parts_->set_start();
  parts_->set_anchors();
  parts_->time_setup();
}

bool Experiment::advance(std::int64_t iterations, Sink& sink) {
  Parts& p = *parts_;
  const std::int64_t asked = iteration() + iterations;
  const std::int64_t until = p.meter.stops() ? std::min(asked, p.meter.budget().value_or(asked)) : asked;
  while (iteration() < until) {
    p.choose_threads();
    if (p.options.stop != nullptr && p.options.stop->load(std::memory_order_relaxed)) return false;
    const std::int64_t before = iteration(), rounds = p.engine->counters().rounds;
    p.engine->advance(until - before);
    if (!p.personal && p.engine == p.federation.get() && p.engine->counters().rounds > rounds)
      p.tally.add(iteration(), p.federation->server().broadcast().roster);
    p.tell_spent(before);
    if (p.engine->emits() && iteration() > burn_in() && ++p.emitted % p.config.run.thin == 0) p.keep(sink);
    sink.closed(iteration(), p.engine->counters(), p.engine->position());
  }
  return iteration() >= asked;
}

const Config& Experiment::config() const { return parts_->config; }
const Recipe& Experiment::recipe() const { return parts_->recipe; }
const ModelSpec& Experiment::model() const { return parts_->problem.model; }
const Federation& Experiment::data() const { return parts_->problem.data; }
std::vector<std::string> Experiment::labels() const {
  return parts_->personal ? parts_->personal->labels() : parts_->problem.model.labels();
}
Index Experiment::dimension() const {
  return parts_->personal ? parts_->personal->dimension() : parts_->problem.dimension();
}
Index Experiment::clients() const { return parts_->problem.clients(); }
std::int64_t Experiment::iteration() const { return parts_->engine != nullptr ? parts_->engine->iteration() : 0; }
std::int64_t Experiment::burn_in() const { return *parts_->config.run.burn_in; }
std::int64_t Experiment::kept() const { return parts_->kept; }
bool Experiment::has_transitions() const {
  return parts_->recipe.reference && find_reference(parts_->recipe.name)->transitions;
}
Counters Experiment::counters() const { return parts_->engine->counters(); }
const ParticipationTally& Experiment::participation() const { return parts_->tally; }
const SimulatedTime* Experiment::simulated() const { return parts_->clock ? &parts_->clock->time() : nullptr; }
const std::vector<std::string>& Experiment::warnings() const { return parts_->warnings; }
const std::vector<std::string>& Experiment::notes() const { return parts_->notes; }
const PrivacyMeter& Experiment::privacy() const { return parts_->meter; }
double Experiment::smoothness() const { return parts_->smoothness; }
ConstPanelView Experiment::position() const { return parts_->engine->position(); }
std::vector<double> Experiment::mode() const { return parts_->mode; }

bool Experiment::personal() const { return parts_->personal != nullptr; }
std::vector<std::string> Experiment::latent_labels() const { return parts_->personal->model->latent_labels(); }
bool Experiment::predicts_classes() const { return parts_->personal->model->classifies(); }
Index Experiment::outputs() const { return parts_->personal->model->outputs(); }
bool Experiment::learns_average() const { return parts_->personal->model->identified(); }

Panel Experiment::learnt() const {
  const bool average = learns_average() && iteration() > burn_in();
  return copy_of(average ? averaged() : position());
}

bool Experiment::is_baseline() const { return parts_->personal && parts_->personal->baseline; }
std::vector<std::size_t> Experiment::identified() const { return parts_->personal->identified(); }
// The average of the path of fedsoul and fedsouk; a baseline has no average and gives its last iterate.
ConstPanelView Experiment::averaged() const {
  return parts_->approximation != nullptr ? parts_->approximation->average() : position();
}

OwnDraws Experiment::own_draws(Index client, Index draws) const {
  const auto i = static_cast<std::size_t>(client);
  if (parts_->personal->baseline) return point_of(*parts_->personal, *parts_->baseline, client);
  const std::uint64_t seed = parts_->config.seed + 0x9e3779b97f4a7c15U * (i + 1);
  return draw_own(*parts_->personal, client, learnt(), draws, seed);
}

Experiment::Questions Experiment::questions() {
  if (parts_->personal)
    throw ConfigError(parts_->config.file + ": model.kind",
                      fmt::format("found \"{}\", for whose samplers there is no plan", parts_->config.model.kind));
  return {parts_->transport(), parts_->problem.prior, parts_->problem.rows, parts_->problem.curvature_is_bound};
}

const std::vector<double>& Experiment::ask_mode() {
  if (parts_->personal) questions();
  parts_->find_mode_once();
  return parts_->mode;
}

Bytes Experiment::save() const {
  Archive archive;
  save(archive);
  return archive.take();
}

void Experiment::save(Archive& archive) const { Parts::archive(*parts_, archive); }

void Experiment::load(ByteView state) {
  Archive archive(state);
  Parts::archive(*parts_, archive);
  archive.finish();
  if (parts_->personal) return;
  parts_->federation->recipe_changed();
  parts_->meter = PrivacyMeter(parts_->config, parts_->recipe, parts_->problem.rows, parts_->outside);
}

}  // namespace pollen
