// The work before the first iteration: starting positions, anchors, memories, the privacy budget.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiment_parts.h"
#include "math/math.h"
#include "model/units.h"
#include "network_model.h"
#include "pollen/errors.h"
#include "pooled_start.h"
#include "warm_up.h"

namespace pollen {

void ExperimentParts::prepare() {
  if (personal) {
    prepare_personal();
  } else {
    set_coordinates();
    set_step();
    make_engine();
    set_privacy();
    set_start();
    set_anchors();
  }
  engine->counters().setup_bits = setup_bits();
  time_setup();
}

// Tells the clock of all exchanges in set-up: first what clients said about their data, which takes no gradients, then
// every query that was made.
void ExperimentParts::time_setup() {
  if (!clock) return;
  const Index clients = problem.clients();
  std::vector<SetupExchange> exchanges = found.exchanges;
  if (const std::int64_t bits = problem.data.setup_bits + options.setup_bits; bits > 0)
    exchanges.insert(exchanges.begin(), {.up_bits = std::max<std::int64_t>(1, bits / clients)});
  std::vector<ClientTraffic> loads(static_cast<std::size_t>(clients));
  for (const SetupExchange& exchange : exchanges) {
    for (std::size_t i = 0; i < loads.size(); ++i) {
      const Index rows = problem.rows.empty() ? problem.data.train_rows(static_cast<Index>(i)) : problem.rows[i];
      loads[i] = {static_cast<std::uint32_t>(i), exchange.down_bits, exchange.columns * exchange.rows.of(rows),
                  exchange.up_bits};
    }
    for (std::int64_t k = 0; k < exchange.times; ++k) clock->exchange(loads);
  }
  clock->set_up();
}

void ExperimentParts::set_privacy() {
  meter = PrivacyMeter(config, recipe, problem.rows, uncovered);
  meter.check(config.file);
  if (!meter.asked()) return;
  if (meter.ended(*config.run.burn_in))
    throw ConfigError(
        config.file + ": privacy.target_epsilon",
        fmt::format("found {}, which lasts for {} iterations of every chain and would be spent on burn-in alone ({}); "
                    "accepted: more, or a smaller run.burn_in",
                    *meter.target(), *meter.budget(), *config.run.burn_in));
  const PrivacySpending all = meter.after(config.run.iterations);
  if (meter.target() && !meter.stops() && !meter.held(all).epsilon)
    found.warnings.push_back(
        fmt::format("no epsilon can be held against privacy.target_epsilon: {}", fmt::join(meter.held(all).why, "; ")));
  if (meter.stops() && meter.budget())
    found.notes.push_back(fmt::format("the privacy budget lasts for {} rounds, {} of {} iterations",
                                      meter.rounds(*meter.budget()), *meter.budget(), config.run.iterations));
}

// Adds a warning in the iteration in which the privacy budget is crossed.
void ExperimentParts::tell_spent(std::int64_t before) {
  const std::int64_t now = engine->iteration();
  if (!meter.spent(now) || meter.spent(before)) return;
  const Index round = meter.rounds(*meter.budget());
  found.warnings.push_back(fmt::format("the privacy budget (epsilon {:.4g}, {}) is spent after round {}: {}",
                                       *meter.target(),
                                       meter.accountant() == "renyi" ? "Renyi accounting" : "Theorem G.3", round,
                                       meter.stops() ? "the run stopped there" : "the run went on"));
}

void ExperimentParts::prepare_personal() {
  make_engine();
  if (personal->apart && approximation != nullptr && !approximation->needs_information(0) &&
      !config.sampler.shared_step)
    throw ConfigError(config.file + ": sampler.shared_step",
                      "found none, and the step cannot be chosen from the clients' curvature here; accepted: a number");
  if (approximation != nullptr)
    found.notes.emplace_back(
        "phi and beta are estimates; the rows of their draws are the algorithm's path. Clients' draws have the "
        "uncertainty of their latents and, where standard errors are found, of the estimates");
  if (!personal->baseline && personal->identified().size() < static_cast<std::size_t>(personal->dimension()))
    found.notes.emplace_back(
        personal->may_rotate()
            ? "phi and the latents are known only up to a rotation and a scale, in which chains differ"
        : personal->model->identified() ? "many beta give the same population, and chains differ in them"
                                        : "a network's units can change places, so that chains differ in phi and beta");
  if (!config.sampler.step && approximation != nullptr)
    found.notes.emplace_back("step = \"auto\": every client's own, from its curvature in each round");
  Panel theta = personal->network ? network_start(*personal, config) : Panel();
  if (config.warm_up.epochs > 0 && personal->apart)
    warm_up(link->transport(), warm_up_prior(*personal), personal->sizes, theta);
  else if (config.warm_up.epochs > 0)
    warm_up_together(
        *personal, config, problem.data, local_transport(pick_threads()),
        [&](Transport& by, const Prior& prior, std::span<const Index> rows) { warm_up(by, prior, rows, theta); });
  Panel start = personal_start(*personal, config, theta);
  const bool pooled =
      approximation != nullptr ? approximation->needs_information(0) : joint != nullptr && personal->pools();
  if (pooled && config.run.init == "auto") {
    const Coordinates around = start_pooled(link->transport(), *personal, config, found, start);
    if (joint != nullptr) joint->set_metric(around);
  }
  if (joint != nullptr) draw_spreads(*personal, config, start);
  engine->start(start);
}

void ExperimentParts::set_start() {
  const Index d = problem.dimension();
  Panel start(d, config.run.chains);
  const bool network = problem.model.is_network(), at_mode = config.run.init == "mode" && !network;
  if (at_mode) questions->mode();
  const bool random = config.run.init == "random" || (network && config.run.init == "mode");
  const std::vector<double> stored = stored_start(config, problem.model);
  for (Index c = 0; c < start.columns(); ++c) {
    const auto column = start.column(c);
    if (at_mode) std::ranges::copy(found.mode, column.begin());
    if (config.run.init == "list") std::ranges::copy(config.run.init_values, column.begin());
    if (random) draw_start(*problem.model.network.network, config.seed, static_cast<std::uint32_t>(c), column);
    std::ranges::copy(stored, column.begin());
    if (config.run.init == "prior") {
      normals(make_stream(config.seed, static_cast<std::uint32_t>(c), Purpose::init), column);
      (coordinates ? theta_prior : problem.prior).draw(column);
    }
    if (problem.model.units != nullptr && (config.run.init == "list" || !stored.empty()))
      problem.model.units->to_internal(column);
    if (coordinates && config.run.init != "mode" && config.run.init != "auto")
      coordinates->to_psi(copy_of({column.data(), d, 1, d}).column(0), column);
  }
  if (config.run.init == "auto" && around_mode) start_around_mode(start);
  if (config.warm_up.epochs > 0) warm_up(link->transport(), problem.prior, problem.rows, start);
  if (network) search_near(start);
  engine->start(start);
}

// Starts each chain at the mode plus twice a draw of the normal approximation there. A start whose potential is far
// above what such a draw has on a Gaussian is moved half of the way to the mode, until it is not: one exchange each
// time.
void ExperimentParts::start_around_mode(PanelView start) {
  const Index d = start.rows, chains = start.columns;
  Panel drawn(d, chains);
  for (Index c = 0; c < chains; ++c) {
    normals(make_stream(config.seed, static_cast<std::uint32_t>(c), Purpose::init), drawn.column(c));
    math::scale(2, drawn.column(c));
  }
  const auto place = [&](ConstPanelView psi, PanelView at) {
    coordinates ? copy_into(psi, at) : around_mode->to_theta(psi, at);
  };
  Panel mode(d, 1);
  std::vector<double> lowest(1), height(static_cast<std::size_t>(chains));
  place(mode, mode);
  const auto ask = [&](ConstPanelView at, std::vector<double>& out) {
    link->transport().query({Query::What::value, at, {}}, {out.data(), 1, at.columns, 1});
    found.exchanges.push_back({.down_bits = 64 * d * at.columns, .up_bits = 64 * at.columns, .columns = at.columns});
    for (Index c = 0; c < at.columns; ++c) out[static_cast<std::size_t>(c)] += problem.prior.value(at.column(c));
  };
  ask(mode, lowest);
  const double most = 2 * static_cast<double>(d) + 12 * std::sqrt(static_cast<double>(d));
  constexpr int kHalvings = 60;
  for (int halving = 0; halving < kHalvings; ++halving) {
    place(drawn, start);
    ask(start, height);
    bool far = false;
    for (Index c = 0; c < chains; ++c) {
      if (height[static_cast<std::size_t>(c)] - lowest[0] <= most) continue;
      math::scale(0.5, drawn.column(c));
      far = true;
    }
    if (!far) return;
  }
  place(drawn, start);
}

// Lets the search for a network's mode begin where the warm-up has led the first chain, or at random weights if that is
// zero. All units are alike at zero, and their gradients vanish there. With run.init = "mode" chains start at the mode.
void ExperimentParts::search_near(PanelView start) {
  const std::span<double> first = start.column(0);
  std::vector<double> from(first.begin(), first.end());
  if (std::ranges::all_of(from, [](double x) { return x == 0; }))
    draw_start(*problem.model.network.network, config.seed, 0, from);
  questions->search_from(from);
  if (config.run.init != "mode") return;
  for (Index c = 0; c < start.columns; ++c) std::ranges::copy(questions->mode(), start.column(c).begin());
}

void ExperimentParts::warm_up(Transport& by, const Prior& prior, std::span<const Index> rows, PanelView start) {
  // A stop during the warm-up ends the run, because half a warm-up would be another start.
  const auto watch = [this](std::int64_t done, std::int64_t steps) {
    if (done < steps && options.stop != nullptr && options.stop->load(std::memory_order_relaxed)) throw Interrupted();
    if (options.warming) options.warming(done, steps);
  };
  const std::int64_t steps = pollen::warm_up(config.warm_up, {by, prior, rows, watch}, start);
  const std::int64_t words = 64 * start.rows * start.columns;
  found.exchanges.push_back({words, words, steps, start.columns, {config.warm_up.batch, {}}});
  found.notes.push_back(fmt::format("warmed up by {} steps of gradient descent", steps));
}

void ExperimentParts::set_anchors() {
  const Index d = problem.dimension();
  const std::int64_t words = 64 * d * config.run.chains;
  if (recipe.oracle == OracleKind::fixed_point) {
    const std::vector<double>& mode = questions->mode();
    std::vector<double> sum(mode.size());
    link->transport().query({Query::What::anchor, {mode.data(), d, 1, d}, {}}, {sum.data(), d, 1, d});
    federation->server().set_anchor_gradient(sum);  // counted already as the mode finder's last exchange
  }
  if (recipe.oracle == OracleKind::control) {
    federation->start_control();
    found.exchanges.push_back({.down_bits = 2 * words, .up_bits = words, .columns = config.run.chains});
  }
  if (recipe.up.start_at_gradient) {
    Panel sum(d, config.run.chains);
    link->transport().query({Query::What::start_memory, engine->position(), {}}, sum);
    federation->server().start_memory(sum);
    found.exchanges.push_back({.down_bits = words, .up_bits = words, .columns = config.run.chains});
  }
}

}  // namespace pollen
