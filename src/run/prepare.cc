// The work before the first iteration: the mode, the step, starting positions, anchors, memories, the privacy budget.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "local_step.h"
#include "mode.h"
#include "network_model.h"
#include "parts.h"
#include "pollen/errors.h"
#include "reference_engine.h"
#include "smoothness.h"
#include "warm_up.h"

namespace pollen {

namespace {

std::int64_t bits_of(const auto& exchange) { return exchange.times * (exchange.down_bits + exchange.up_bits); }

}  // namespace

void Experiment::Parts::count_exchange(const SetupExchange& exchange) {
  federation->counters().setup_bits += bits_of(exchange) * problem.clients();
  setup_exchanges.push_back(exchange);
}

void Experiment::Parts::uncount_exchanges(std::size_t since) {
  for (; setup_exchanges.size() > since; setup_exchanges.pop_back())
    federation->counters().setup_bits -= bits_of(setup_exchanges.back()) * problem.clients();
}

void Experiment::Parts::listen() {
  if (!clock && !options.watch) return;
  engine->listen([this](std::span<const ClientTraffic> loads) {
    if (clock) clock->exchange(loads);
    if (options.watch) options.watch(loads);
  });
}

// Tells the clock of all exchanges in set-up: first what clients said about their data, which takes no gradients, then
// every query that was made.
void Experiment::Parts::time_setup() {
  if (!clock) return;
  const Index clients = problem.clients();
  if (const std::int64_t bits = problem.data.setup_bits + options.setup_bits; bits > 0)
    setup_exchanges.insert(setup_exchanges.begin(), {.up_bits = std::max<std::int64_t>(1, bits / clients)});
  std::vector<ClientTraffic> loads(static_cast<std::size_t>(clients));
  for (const SetupExchange& exchange : setup_exchanges) {
    for (std::size_t i = 0; i < loads.size(); ++i) {
      const Index rows = problem.rows.empty() ? problem.data.train_rows(static_cast<Index>(i)) : problem.rows[i];
      loads[i] = {static_cast<std::uint32_t>(i), exchange.down_bits, exchange.columns * exchange.rows.of(rows),
                  exchange.up_bits};
    }
    for (std::int64_t k = 0; k < exchange.times; ++k) clock->exchange(loads);
  }
  clock->set_up();
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
  count_exchange({.down_bits = words, .up_bits = words + 64, .times = result.exchanges, .columns = 1});
  notes.push_back(
      fmt::format("mode found in {} exchanges, gradient norm {:.2g}", result.exchanges, result.gradient_norm));
  if (!result.reached)
    warnings.push_back(fmt::format("the mode finder stopped at gradient norm {:.2g}, above mode_tolerance {:.2g}{}",
                                   result.gradient_norm, config.sampler.mode_tolerance,
                                   recipe.oracle == OracleKind::fixed_point ? ": this costs variance, not bias" : ""));
}

// The position at which curvature is evaluated. It is the mode, unless the curvature has a bound that holds everywhere.
std::vector<double> Experiment::Parts::curvature_point() {
  if (problem.curvature_is_bound) return std::vector<double>(static_cast<std::size_t>(problem.dimension()));
  find_mode_once();
  return mode;
}

// Whether set-up may ask for the curvature. Under privacy accounting it may not if the answer would only be used for a
// warning, because even that reveals something about the data.
bool Experiment::Parts::looks() const {
  const bool covered = recipe.local && recipe.local->by_size && asks_for_privacy(config);
  const auto found = [](const UncoveredQuery& look) { return look.name == "step" || look.name == "schedule"; };
  return !covered || std::ranges::any_of(outside, found);
}

void Experiment::Parts::set_privacy() {
  meter = PrivacyMeter(config, recipe, problem.rows, outside);
  meter.check(config.file);
  if (!meter.asked()) return;
  if (meter.ended(*config.run.burn_in))
    throw ConfigError(
        config.file + ": privacy.target_epsilon",
        fmt::format("found {}, which lasts for {} iterations of every chain and would be spent on burn-in alone ({}); "
                    "accepted: more, or a smaller run.burn_in",
                    *meter.target(), *meter.budget(), *config.run.burn_in));
  const PrivacySpending all = meter.after(config.run.iterations);
  if (meter.target() && !meter.stops() && !(meter.accountant() == "renyi" ? all.renyi_epsilon : all.epsilon))
    warnings.push_back(fmt::format("no epsilon can be held against privacy.target_epsilon: {}",
                                   fmt::join(meter.accountant() == "renyi" ? all.renyi_why : all.why, "; ")));
  if (meter.stops() && meter.budget())
    notes.push_back(fmt::format("the privacy budget lasts for {} rounds, {} of {} iterations",
                                meter.rounds(*meter.budget()), *meter.budget(), config.run.iterations));
}

// Adds a warning in the iteration in which the privacy budget is crossed.
void Experiment::Parts::tell_spent(std::int64_t before) {
  const std::int64_t now = engine->iteration();
  if (!meter.spent(now) || meter.spent(before)) return;
  const Index round = meter.rounds(*meter.budget());
  warnings.push_back(fmt::format("the privacy budget (epsilon {:.4g}, {}) is spent after round {}: {}", *meter.target(),
                                 meter.accountant() == "renyi" ? "Renyi accounting" : "Theorem G.3", round,
                                 meter.stops() ? "the run stopped there" : "the run went on"));
}

// Sets the step of a network. The curvature of a network at one position says nothing about other positions, so the
// user must give the step or its constants.
void Experiment::Parts::set_network_step() {
  if (!recipe.local || !recipe.local->decaying) return;
  LocalSteps& local = *recipe.local;
  if (local.smoothness == 0 || local.convexity == 0)
    throw ConfigError(config.file + ": sampler.schedule",
                      "found \"decaying\" for a network; accepted with sampler.smoothness and sampler.convexity given");
  recipe.step = local.step_at(0, problem.clients(), 0) / local.unit(problem.clients());
  federation->recipe_changed();
}

void Experiment::Parts::set_step() {
  if (problem.model.is_network()) return set_network_step();
  if (!looks()) {
    if (recipe.local->decaying) config.sampler.step = recipe.step = recipe.local->step_at(0, problem.clients(), 0);
    federation->recipe_changed();
    return notes.push_back("the step was not held against the data's curvature, which would show something of it");
  }
  const bool adapts = recipe.reference && !find_reference(recipe.name)->needs_step;
  const bool picked = !config.sampler.step && !adapts;
  const std::size_t before = setup_exchanges.size();
  const std::vector<double> at = curvature_point();
  const Smoothness found = find_smoothness(federation->transport(), problem.prior, at, config.seed);
  smoothness = found.value;
  if (!(smoothness > 0) || !std::isfinite(smoothness)) {
    if (picked)
      throw ConfigError(config.file + ": sampler.step",
                        "\"auto\" finds no curvature to go by; accepted here: a number");
    return;
  }
  const bool bound = problem.curvature_is_bound;
  if (recipe.local) return set_local_step(at, picked);
  if (picked) {
    const std::int64_t words = 64 * problem.dimension();
    count_exchange({.down_bits = words, .up_bits = words, .times = found.exchanges, .columns = 1});
    recipe.step = auto_step(recipe, smoothness, problem.clients(), problem.dimension(), problem.rows);
    config.sampler.step = recipe.step;
    federation->recipe_changed();
    notes.push_back(fmt::format("step = \"auto\" picked {:.4g} (smoothness L = {:.4g}, {})", recipe.step, smoothness,
                                bound ? "a bound" : "estimated at the mode"));
    return;
  }
  // The curvature was only checked for a warning, so its bits are not counted, unless the mode is needed anyway.
  if (recipe.oracle != OracleKind::fixed_point && config.run.init != "mode") uncount_exchanges(before);
  if (recipe.step > 2 / smoothness)
    warnings.push_back(fmt::format(
        "sampler.step {:.4g} is above the stability bound 2/L = {:.4g} (L = {:.4g}{}): the chain may diverge",
        recipe.step, 2 / smoothness, smoothness, bound ? "" : ", estimated at the mode"));
}

// Sets the step of the averaging family, which depends on each client's own curvature.
void Experiment::Parts::set_local_step(std::span<const double> at, bool picked) {
  LocalSteps& local = *recipe.local;
  const bool wanted = picked || (local.decaying && (local.smoothness == 0 || local.convexity == 0));
  const std::size_t before = setup_exchanges.size();
  const bool convexity = local.decaying && local.convexity == 0;
  LocalBounds bounds = find_local_bounds(transport(), local, at, problem.rows, convexity && problem.model.quadratic());
  if (!problem.model.quadratic()) {  // a convex likelihood may add nothing to the prior's precision
    const auto& precision = problem.prior.precision;
    bounds.convexity = precision.empty() ? 0 : *std::ranges::min_element(precision);
  }
  if (wanted) count_exchange({.down_bits = 64 * problem.dimension(), .up_bits = 128, .columns = 1});
  if (!wanted && config.run.init != "mode") uncount_exchanges(before);
  if (local.decaying) {
    if (local.smoothness == 0) local.smoothness = bounds.smoothness;
    if (local.convexity == 0) local.convexity = bounds.convexity;
    config.sampler.smoothness = local.smoothness;
    config.sampler.convexity = local.convexity;
    recipe.step = local.step_at(0, problem.clients(), 0) / local.unit(problem.clients());
    notes.push_back(
        fmt::format("decaying step from {:.4g} (L = {:.4g}, m = {:.4g} of the clients' potentials over their "
                    "weights)",
                    recipe.step, local.smoothness, local.convexity));
  } else if (picked) {
    recipe.step = auto_local_step(recipe, bounds,
                                  auto_step(recipe, smoothness, problem.clients(), problem.dimension(), problem.rows));
    notes.push_back(fmt::format("step = \"auto\" picked {:.4g} (largest local curvature {:.4g})", recipe.step,
                                bounds.smoothness * local.unit(problem.clients())));
  }
  if (!local.decaying) config.sampler.step = recipe.step;
  federation->recipe_changed();
  const double most = 2 / bounds.smoothness / local.unit(problem.clients());
  if (recipe.step > most)
    warnings.push_back(
        fmt::format("sampler.step {:.4g} is above the stability bound {:.4g} of the local steps: the chain may "
                    "diverge",
                    recipe.step, most));
}

void Experiment::Parts::prepare_personal() {
  make_personal_engine();
  if (!personal->baseline)
    notes.emplace_back(
        "phi and beta are estimates: their spread is the algorithm's own; clients' draws have the latents' "
        "uncertainty");
  if (!personal->baseline && personal->identified().size() < static_cast<std::size_t>(personal->dimension()))
    notes.emplace_back(
        personal->turns() ? "phi and the latents are known only up to a rotation and a scale, in which chains differ"
        : personal->model->identified() ? "many beta give the same population, and chains differ in them"
                                        : "a network's units can change places, so that chains differ in phi and beta");
  if (!config.sampler.step && !personal->baseline)
    notes.emplace_back("step = \"auto\": every client's own, from its curvature in each round");
  Panel theta = personal->network ? network_start(*personal, config) : Panel();
  if (config.warm_up.epochs > 0)
    warm_up_together(
        *personal, config, problem.data, local_transport(pick_threads()),
        [&](Transport& by, const Prior& prior, std::span<const Index> rows) { warm_up(by, prior, rows, theta); });
  engine->start(personal_start(*personal, config, theta));
  time_setup();
}

void Experiment::Parts::make_personal_engine() {
  if (personal->baseline) {
    baseline = make_baseline_engine(config, recipe, *personal);
    engine = baseline.get();
  } else {
    auto step = make_personal_round(config, recipe, *personal);
    approximation = step.get();
    const ClientRange own = own_clients();
    const FederatedSetup setup{.recipe = &recipe,
                               .prior = &problem.prior,
                               .first = own.first,
                               .sizes = personal->sizes,
                               .dimension = dimension(),
                               .chains = config.run.chains,
                               .seed = config.seed,
                               .work = &personal->work,
                               .with_work = own.size()};
    federation = std::make_unique<FederatedEngine>(setup, make_transport(pick_threads()), std::move(step));
    engine = federation.get();
  }
  engine->counters().setup_bits = problem.data.setup_bits;
  listen();
}

void Experiment::Parts::set_start() {
  const Index d = problem.dimension();
  Panel start(d, config.run.chains);
  if (config.run.init == "mode") find_mode_once();
  const bool random = config.run.init == "random";
  const std::vector<double> stored = stored_start(config, problem.model);
  for (Index c = 0; c < start.columns(); ++c) {
    const auto column = start.column(c);
    if (config.run.init == "mode") std::ranges::copy(mode, column.begin());
    if (config.run.init == "list") std::ranges::copy(config.run.init_values, column.begin());
    if (random) draw_start(*problem.model.network.network, config.seed, static_cast<std::uint32_t>(c), column);
    std::ranges::copy(stored, column.begin());
    if (config.run.init == "prior") {
      normals(make_stream(config.seed, static_cast<std::uint32_t>(c), Purpose::init), column);
      for (std::size_t j = 0; j < column.size(); ++j) column[j] /= std::sqrt(problem.prior.precision[j]);
    }
  }
  if (config.warm_up.epochs > 0) warm_up(transport(), problem.prior, problem.rows, start);
  engine->start(start);
}

void Experiment::Parts::warm_up(Transport& by, const Prior& prior, std::span<const Index> rows, PanelView start) {
  // A stop during the warm-up ends the run, because half a warm-up would be another start.
  const auto watch = [this](std::int64_t done, std::int64_t steps) {
    if (done < steps && options.stop != nullptr && options.stop->load(std::memory_order_relaxed)) throw Interrupted();
    if (options.warming) options.warming(done, steps);
  };
  const std::int64_t steps = pollen::warm_up(config.warm_up, {by, prior, rows, watch}, start);
  Counters& counted = federation ? federation->counters() : engine->counters();
  const std::int64_t words = 64 * start.rows * start.columns;
  setup_exchanges.push_back({words, words, steps, start.columns, {config.warm_up.batch, {}}});
  counted.setup_bits += bits_of(setup_exchanges.back()) * std::ssize(rows);
  engine->counters().setup_bits = counted.setup_bits;
  notes.push_back(fmt::format("warmed up by {} steps of gradient descent", steps));
}

void Experiment::Parts::set_anchors() {
  const Index d = problem.dimension();
  const std::int64_t words = 64 * d * config.run.chains;
  if (recipe.oracle == OracleKind::fixed_point) {
    find_mode_once();
    std::vector<double> sum(mode.size());
    transport().query({Query::What::anchor, {mode.data(), d, 1, d}, {}}, {sum.data(), d, 1, d});
    federation->server().set_anchor_gradient(sum);  // counted already as the mode finder's last exchange
  }
  if (recipe.oracle == OracleKind::control) {
    federation->start_control();
    count_exchange({.down_bits = 2 * words, .up_bits = words, .columns = config.run.chains});
  }
  if (recipe.up.start_at_gradient) {
    Panel sum(d, config.run.chains);
    transport().query({Query::What::start_memory, engine->position(), {}}, sum);
    federation->server().start_memory(sum);
    count_exchange({.down_bits = words, .up_bits = words, .columns = config.run.chains});
  }
}

}  // namespace pollen
