#include "run/warm_up.h"

#include <cmath>
#include <numbers>
#include <numeric>

#include "pollen/errors.h"

namespace pollen {

namespace {

constexpr std::uint64_t kOwnSeed = 0x7761726d2d757021;  // another one than the sampler's, from the same number

Recipe descent(const WarmUpConfig& config, Index rows) {
  Recipe recipe;
  recipe.name = "warm-up";
  recipe.oracle = OracleKind::minibatch;
  recipe.batch = {config.batch, std::nullopt};
  recipe.step = 1 / static_cast<double>(rows);
  recipe.temperature = 0;
  return recipe;
}

double rate_at(const WarmUpConfig& config, double done) {
  constexpr double kRise = 0.3, kFirst = 1.0 / 25, kLast = 1e-4;
  if (config.schedule == "constant") return config.rate;
  const auto between = [](double from, double to, double t) {
    return to + (from - to) * 0.5 * (1 + std::cos(std::numbers::pi * t));
  };
  return config.rate *
         (done < kRise ? between(kFirst, 1, done / kRise) : between(1, kLast, (done - kRise) / (1 - kRise)));
}

// x, x - g and v to x - rate·v and μ v + g.
void move(std::span<double> x, std::span<const double> stepped, std::span<double> v, double momentum, double rate) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    v[i] = momentum * v[i] + (x[i] - stepped[i]);
    x[i] -= rate * v[i];
  }
}

}  // namespace

WarmUpResult warm_up(const WarmUpConfig& config, const FederatedSetup& setup,
                     const FederatedEngine::MakeTransport& make, ConstPanelView start, const std::atomic<bool>* stop) {
  const Index rows = std::accumulate(setup.sizes.begin(), setup.sizes.end(), Index{0});
  const Recipe recipe = descent(config, rows);
  FederatedSetup own = setup;
  own.recipe = &recipe;
  own.seed = setup.seed ^ kOwnSeed;
  FederatedEngine engine(own, make);
  const Index together = config.batch * std::ssize(setup.sizes);
  const Index steps = std::max<Index>(1, config.epochs * ((rows + together - 1) / together));
  WarmUpResult result{Panel(start.rows, start.columns), 0, 0};
  for (Index c = 0; c < start.columns; ++c) std::ranges::copy(start.column(c), result.position.column(c).begin());
  Panel velocity(start.rows, start.columns);
  for (; result.steps < steps; ++result.steps) {
    if (stop != nullptr && stop->load(std::memory_order_relaxed)) throw Interrupted();
    engine.start(result.position);
    engine.advance(1);
    const double rate = rate_at(config, static_cast<double>(result.steps) / static_cast<double>(steps));
    for (Index c = 0; c < start.columns; ++c)
      move(result.position.column(c), engine.position().column(c), velocity.column(c), config.momentum, rate);
  }
  result.bits = engine.counters().uplink_bits + engine.counters().downlink_bits;
  return result;
}

}  // namespace pollen
