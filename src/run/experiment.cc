#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "pollen/archive.h"
#include "pollen/errors.h"
#include "pollen/privacy_meter.h"
#include "pollen/run.h"
#include "run/federated.h"
#include "run/local_step.h"
#include "run/mode.h"
#include "run/problem.h"
#include "run/reference_engine.h"
#include "run/smoothness.h"
#include "run/thread_choice.h"

namespace pollen {

struct Experiment::Parts {
  Parts(Config c, const ExperimentOptions& o);

  Config config;
  ExperimentOptions options;
  std::vector<std::string> warnings, notes;
  StatisticalProblem problem;
  Recipe recipe;
  std::vector<Index> sizes;
  std::unique_ptr<FederatedEngine> federation;  // answers questions whatever the sampler
  std::unique_ptr<Engine> reference;            // a centralised sampler or a competitor, where one is asked for
  Engine* engine = nullptr;                     // of the two, the one that samples
  double smoothness = 0;
  std::vector<double> mode;
  std::int64_t kept = 0, emitted = 0;  // after burn-in, a chain
  std::vector<double> potential;
  ThreadChoice choice;
  std::vector<OutsideLook> outside;  // as the user gave the configuration
  PrivacyMeter meter;

  void make_engine();
  FederatedEngine::MakeTransport make_transport(int threads) const;
  Transport& transport() { return federation->transport(); }
  int pick_threads();
  void choose_threads();
  void make_reference_engine();  // once its step is known
  void find_mode_once();
  void set_step();
  void set_local_step(std::span<const double> at, bool picked);
  std::vector<double> curvature_point();
  void set_start();
  void set_anchors();
  void count_exchange(std::int64_t down_bits, std::int64_t up_bits, std::int64_t times);
  void keep(Sink& sink);
  bool looks() const;
  void set_privacy();
  void tell_spent(std::int64_t before);
  template <class Self>
  static void archive(Self& self, Archive& archive);
};

namespace {

int all_cores() { return static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

void texts(Archive& archive, std::vector<std::string>& list) {
  std::uint64_t count = list.size();
  archive.field(count);
  if (count > 1000) throw WireError("saved state: too many lines");
  list.resize(count);
  for (std::string& line : list) archive.text(line);
}

std::string checked_init(const Config& config, Index dimension) {
  if (config.run.init == "list" && static_cast<Index>(config.run.init_values.size()) != dimension)
    return fmt::format("found {} numbers, accepted: {}, one a coefficient", config.run.init_values.size(), dimension);
  if (config.run.init == "prior" && config.model.prior == "flat")
    return "found \"prior\" with prior = \"flat\", from which nothing can be drawn; accepted: \"zero\", \"mode\" or a "
           "list";
  return {};
}

}  // namespace

Experiment::Parts::Parts(Config c, const ExperimentOptions& o)
    : config(std::move(c)), options(o), problem(make_problem(config)) {
  warnings = problem.data.notes;
  recipe = complete(config, problem.clients(), problem.dimension(), warnings);
  if (const std::string wrong = checked_init(config, problem.dimension()); !wrong.empty())
    throw ConfigError(config.file + ": run.init", wrong);
  outside = outside_the_theorem(config, problem.data);
  make_engine();
}

void Experiment::Parts::make_engine() {
  const Index chains = config.run.chains;
  std::vector<const Potential*> potentials;
  for (const auto& p : problem.potentials) {
    potentials.push_back(p.get());
    sizes.push_back(p->rows());
  }
  check_sizes(config, recipe, sizes, warnings);
  const FederatedSetup setup{&recipe, &problem.prior, potentials, problem.dimension(), chains, config.seed};
  federation = std::make_unique<FederatedEngine>(setup, make_transport(pick_threads()));
  federation->counters().setup_bits = problem.data.setup_bits;
  engine = federation.get();
  potential.resize(static_cast<std::size_t>(chains));
}

FederatedEngine::MakeTransport Experiment::Parts::make_transport(int threads) const {
  if (options.transport) return options.transport;
  return [threads](Station& station, std::vector<Client>& clients) {
    return make_thread_transport(station, clients, threads);
  };
}

// Large tables start on all cores; else one thread, until the clock says that rounds are worth sharing.
int Experiment::Parts::pick_threads() {
  const bool large = problem.data.train.rows * problem.data.train.columns >= 1'000'000;
  if (options.threads > 0 || options.transport || large || all_cores() == 1) choice.settle();
  return options.threads > 0 ? options.threads : large ? all_cores() : 1;
}

void Experiment::Parts::make_reference_engine() {
  if (!recipe.reference || reference) return;
  reference = pollen::make_reference_engine(config, recipe, problem);
  reference->counters().setup_bits = federation->counters().setup_bits;
  engine = reference.get();
}

void Experiment::Parts::choose_threads() {
  if (recipe.reference) return;
  const ThreadChoice::Verdict verdict = choice.between_rounds();
  if (verdict == ThreadChoice::Verdict::stay) return;
  const int threads = verdict == ThreadChoice::Verdict::use_all ? all_cores() : 1;
  federation->set_transport(make_transport(threads));
}

void Experiment::Parts::count_exchange(std::int64_t down_bits, std::int64_t up_bits, std::int64_t times) {
  federation->counters().setup_bits += times * (down_bits + up_bits) * problem.clients();
}

void Experiment::Parts::find_mode_once() {
  if (!mode.empty()) return;
  const ModeProblem mode_problem{federation->transport(), problem.prior, recipe.prior_on_server, problem.dimension(),
                                 config.sampler.mode_tolerance};
  const ModeResult result = find_mode(mode_problem, std::vector<double>(static_cast<std::size_t>(problem.dimension())));
  for (const double x : result.position)
    if (!std::isfinite(x))
      throw NumericError("the mode finder left the finite numbers; is the posterior proper?", 0, -1);
  mode = result.position;
  const std::int64_t words = 64 * problem.dimension();
  count_exchange(words, words + 64, result.exchanges);
  notes.push_back(
      fmt::format("mode found in {} exchanges, gradient norm {:.2g}", result.exchanges, result.gradient_norm));
  if (!result.reached)
    warnings.push_back(fmt::format("the mode finder stopped at gradient norm {:.2g}, above mode_tolerance {:.2g}{}",
                                   result.gradient_norm, config.sampler.mode_tolerance,
                                   recipe.oracle == OracleKind::fixed_point ? ": this costs variance, not bias" : ""));
}

// Where models without a global curvature bound are looked at: the mode.
std::vector<double> Experiment::Parts::curvature_point() {
  if (problem.potentials.front()->curvature_is_bound())
    return std::vector<double>(static_cast<std::size_t>(problem.dimension()));
  find_mode_once();
  return mode;
}

// A look at the curvature that only warns would itself show something of the data.
bool Experiment::Parts::looks() const {
  const bool covered = recipe.local && recipe.local->by_size && asks_for_privacy(config);
  const auto found = [](const OutsideLook& look) { return look.name == "step" || look.name == "schedule"; };
  return !covered || std::ranges::any_of(outside, found);
}

void Experiment::Parts::set_privacy() {
  meter = PrivacyMeter(config, recipe, sizes, outside);
  meter.check(config.file);
  if (!meter.asked()) return;
  if (meter.ended(*config.run.burn_in))
    throw ConfigError(config.file + ": privacy.target_epsilon",
                      fmt::format("found {}, which lasts for {} iterations of every chain and would be spent on burn-in alone ({}); "
                                  "accepted: more, or a smaller run.burn_in",
                                  *meter.target(), *meter.budget(), *config.run.burn_in));
  const PrivacySpending all = meter.after(config.run.iterations);
  if (meter.target() && !meter.stops() && !(meter.accountant() == "renyi" ? all.renyi_epsilon : all.epsilon))
    warnings.push_back(fmt::format("no epsilon can be held against privacy.target_epsilon: {}",
                                   fmt::join(meter.accountant() == "renyi" ? all.renyi_why : all.why, "; ")));
  if (meter.stops() && meter.budget())
    notes.push_back(fmt::format("the privacy budget lasts for {} rounds, {} of {} iterations", meter.rounds(*meter.budget()),
                                *meter.budget(), config.run.iterations));
}

// Once, when the budget is crossed.
void Experiment::Parts::tell_spent(std::int64_t before) {
  const std::int64_t now = engine->iteration();
  if (!meter.spent(now) || meter.spent(before)) return;
  const Index round = meter.rounds(*meter.budget());
  warnings.push_back(fmt::format("the privacy budget (epsilon {:.4g}, {}) is spent after round {}: {}", *meter.target(),
                                 meter.accountant() == "renyi" ? "Renyi accounting" : "Theorem G.3", round,
                                 meter.stops() ? "the run stopped there" : "the run went on"));
}

void Experiment::Parts::set_step() {
  if (!looks()) {
    if (recipe.local->decaying) config.sampler.step = recipe.step = recipe.local->step_at(0, problem.clients(), 0);
    federation->recipe_changed();
    return notes.push_back("the step was not held against the data's curvature, which would show something of it");
  }
  const bool adapts = recipe.reference && !find_reference(recipe.name)->needs_step;
  const bool picked = !config.sampler.step && !adapts;
  const std::int64_t setup = federation->counters().setup_bits;
  const std::vector<double> at = curvature_point();
  const Smoothness found = find_smoothness(federation->transport(), problem.prior, at, config.seed);
  smoothness = found.value;
  if (!(smoothness > 0) || !std::isfinite(smoothness)) {
    if (picked)
      throw ConfigError(config.file + ": sampler.step",
                        "\"auto\" finds no curvature to go by; accepted here: a number");
    return;
  }
  const bool bound = problem.potentials.front()->curvature_is_bound();
  if (recipe.local) return set_local_step(at, picked);
  if (picked) {
    count_exchange(64 * problem.dimension(), 64 * problem.dimension(), found.exchanges);
    recipe.step = auto_step(recipe, smoothness, problem.clients(), problem.dimension(), sizes);
    config.sampler.step = recipe.step;
    federation->recipe_changed();
    notes.push_back(fmt::format("step = \"auto\" picked {:.4g} (smoothness L = {:.4g}, {})", recipe.step, smoothness,
                                bound ? "a bound" : "estimated at the mode"));
    return;
  }
  // A look before the run that no client is charged for, unless the mode is wanted anyway.
  if (recipe.oracle != OracleKind::fixed_point && config.run.init != "mode") federation->counters().setup_bits = setup;
  if (recipe.step > 2 / smoothness)
    warnings.push_back(fmt::format(
        "sampler.step {:.4g} is above the stability bound 2/L = {:.4g} (L = {:.4g}{}): the chain may diverge",
        recipe.step, 2 / smoothness, smoothness, bound ? "" : ", estimated at the mode"));
}

// Local steps go by each client's own curvature.
void Experiment::Parts::set_local_step(std::span<const double> at, bool picked) {
  LocalSteps& local = *recipe.local;
  const bool wanted = picked || (local.decaying && (local.smoothness == 0 || local.convexity == 0));
  const std::int64_t setup = federation->counters().setup_bits;
  LocalBounds bounds = find_local_bounds(transport(), local, at, sizes);
  if (!problem.model.quadratic()) {  // of a likelihood that is only convex nothing sure is known below the prior
    const auto& precision = problem.prior.precision;
    bounds.convexity = precision.empty() ? 0 : *std::ranges::min_element(precision);
  }
  if (wanted) count_exchange(64 * problem.dimension(), 128, 1);
  if (!wanted && config.run.init != "mode") federation->counters().setup_bits = setup;
  if (local.decaying) {
    if (local.smoothness == 0) local.smoothness = bounds.smoothness;
    if (local.convexity == 0) local.convexity = bounds.convexity;
    config.sampler.smoothness = local.smoothness;
    config.sampler.convexity = local.convexity;
    recipe.step = local.step_at(0, problem.clients(), 0) / local.unit(problem.clients());
    notes.push_back(fmt::format("decaying step from {:.4g} (L = {:.4g}, m = {:.4g} of the clients' potentials over their "
                                "weights)",
                                recipe.step, local.smoothness, local.convexity));
  } else if (picked) {
    recipe.step = auto_local_step(recipe, bounds, smoothness, problem.clients());
    notes.push_back(fmt::format("step = \"auto\" picked {:.4g} (largest local curvature {:.4g})", recipe.step,
                                bounds.smoothness * local.unit(problem.clients())));
  }
  if (!local.decaying) config.sampler.step = recipe.step;
  federation->recipe_changed();
  const double most = 2 / bounds.smoothness / local.unit(problem.clients());
  if (recipe.step > most)
    warnings.push_back(fmt::format("sampler.step {:.4g} is above the stability bound {:.4g} of the local steps: the chain may "
                                   "diverge",
                                   recipe.step, most));
}

void Experiment::Parts::set_start() {
  const Index d = problem.dimension();
  Panel start(d, config.run.chains);
  if (config.run.init == "mode") find_mode_once();
  for (Index c = 0; c < start.columns(); ++c) {
    const auto column = start.column(c);
    if (config.run.init == "mode") std::ranges::copy(mode, column.begin());
    if (config.run.init == "list") std::ranges::copy(config.run.init_values, column.begin());
    if (config.run.init == "prior") {
      normals(make_stream(config.seed, static_cast<std::uint32_t>(c), Purpose::init), column);
      for (std::size_t j = 0; j < column.size(); ++j) column[j] /= std::sqrt(problem.prior.precision[j]);
    }
  }
  engine->start(start);
}

void Experiment::Parts::set_anchors() {
  const Index d = problem.dimension();
  if (recipe.oracle == OracleKind::fixed_point) {
    find_mode_once();
    std::vector<double> sum(mode.size());
    transport().query({Query::What::anchor, {mode.data(), d, 1, d}, {}}, {sum.data(), d, 1, d});
    federation->server().set_anchor_gradient(sum);  // its bits are those of the mode finder's last exchange
  }
  if (recipe.oracle == OracleKind::control) {
    federation->start_control();
    count_exchange(2 * 64 * d * config.run.chains, 64 * d * config.run.chains, 1);
  }
  if (recipe.up.start_at_gradient) {
    Panel sum(d, config.run.chains);
    transport().query({Query::What::start_memory, engine->position(), {}}, sum);
    federation->server().start_memory(sum);
    count_exchange(64 * d * config.run.chains, 64 * d * config.run.chains, 1);
  }
}

void Experiment::Parts::keep(Sink& sink) {
  ++kept;
  if (!engine->transitions().empty()) sink.transitions(engine->transitions());
  if (!config.output.lp) return sink.kept(engine->position(), {});
  const Index chains = config.run.chains;
  transport().query({Query::What::value, engine->position(), {}}, {potential.data(), 1, chains, 1});
  for (Index c = 0; c < chains; ++c)
    potential[static_cast<std::size_t>(c)] += problem.prior.value(engine->position().column(c));
  sink.kept(engine->position(), potential);
}

template <class Self>
void Experiment::Parts::archive(Self& self, Archive& archive) {
  Config stepless = self.config;  // "auto" and the step it picked are the same configuration
  stepless.sampler.step.reset();
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
  for (const OutsideLook& look : self.outside) looks.insert(looks.end(), {look.name, look.what});
  texts(archive, looks);
  self.outside.clear();
  for (std::size_t i = 0; i + 1 < looks.size(); i += 2) self.outside.push_back({looks[i], looks[i + 1]});
  archive.field(self.kept);
  archive.field(self.emitted);
  archive.field(self.smoothness);
  texts(archive, self.warnings);
  texts(archive, self.notes);
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
  self.engine->archive(archive);
}

Experiment::Experiment(Config config, ExperimentOptions options)
    : parts_(std::make_unique<Parts>(std::move(config), options)) {}

Experiment::~Experiment() = default;

void Experiment::prepare() {
  parts_->set_step();
  parts_->make_reference_engine();
  parts_->set_privacy();
  parts_->set_start();
  parts_->set_anchors();
}

bool Experiment::advance(std::int64_t iterations, Sink& sink) {
  Parts& p = *parts_;
  const std::int64_t asked = iteration() + iterations;
  const std::int64_t until = p.meter.stops() ? std::min(asked, p.meter.budget().value_or(asked)) : asked;
  while (iteration() < until) {
    p.choose_threads();
    if (p.options.stop != nullptr && p.options.stop->load(std::memory_order_relaxed)) return false;
    const std::int64_t before = iteration();
    p.engine->advance(until - before);
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
std::vector<std::string> Experiment::labels() const { return parts_->problem.model.labels(); }
Index Experiment::dimension() const { return parts_->problem.dimension(); }
Index Experiment::clients() const { return parts_->problem.clients(); }
std::int64_t Experiment::iteration() const { return parts_->engine->iteration(); }
std::int64_t Experiment::burn_in() const { return *parts_->config.run.burn_in; }
std::int64_t Experiment::kept() const { return parts_->kept; }
bool Experiment::has_transitions() const {
  return parts_->recipe.reference && reports_transitions(parts_->recipe.name);
}
Counters Experiment::counters() const { return parts_->engine->counters(); }
const std::vector<std::string>& Experiment::warnings() const { return parts_->warnings; }
const std::vector<std::string>& Experiment::notes() const { return parts_->notes; }
const PrivacyMeter& Experiment::privacy() const { return parts_->meter; }
double Experiment::smoothness() const { return parts_->smoothness; }
ConstPanelView Experiment::position() const { return parts_->engine->position(); }
std::vector<double> Experiment::mode() const { return parts_->mode; }

Experiment::Questions Experiment::questions() {
  return {parts_->transport(), parts_->problem.prior, parts_->sizes, parts_->problem.potentials.front()->curvature_is_bound()};
}

const std::vector<double>& Experiment::ask_mode() {
  parts_->find_mode_once();
  return parts_->mode;
}

Bytes Experiment::save() const {
  Archive archive;
  Parts::archive(*parts_, archive);
  return archive.take();
}

void Experiment::load(ByteView state) {
  Archive archive(state);
  Parts::archive(*parts_, archive);
  archive.finish();
  parts_->federation->recipe_changed();
  parts_->meter = PrivacyMeter(parts_->config, parts_->recipe, parts_->sizes, parts_->outside);
}

}  // namespace pollen
