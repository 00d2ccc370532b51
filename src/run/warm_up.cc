#include "warm_up.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "math/math.h"
#include "pollen/errors.h"

namespace pollen {

namespace {

double rate_at(const WarmUpConfig& config, double done) {
  constexpr double kRise = 0.3, kFirst = 1.0 / 25, kLast = 1e-4;
  if (config.schedule == "constant") return config.rate;
  const auto between = [](double from, double to, double t) {
    return to + (from - to) * 0.5 * (1 + std::cos(std::numbers::pi * t));
  };
  return config.rate *
         (done < kRise ? between(kFirst, 1, done / kRise) : between(1, kLast, (done - kRise) / (1 - kRise)));
}

// Computes v ← μ v + scale · g and then x ← x - rate · v, where μ is `momentum`.
void move(std::span<double> x, std::span<const double> g, std::span<double> v, double momentum, double scale,
          double rate) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    v[i] = momentum * v[i] + scale * g[i];
    x[i] -= rate * v[i];
  }
}

}  // namespace

std::int64_t warm_up(const WarmUpConfig& config, const WarmUpProblem& problem, PanelView position) {
  const Index rows = std::accumulate(problem.sizes.begin(), problem.sizes.end(), Index{0});
  const Index together = config.batch * std::ssize(problem.sizes);
  const Index steps = std::max<Index>(1, config.epochs * ((rows + together - 1) / together));
  Panel velocity(position.rows, position.columns), gradient(position.rows, position.columns);
  for (Index k = 0; k < steps; ++k) {
    problem.watch(k, steps);
    problem.transport.query({Query::What::descent, position, {}, static_cast<std::uint64_t>(k), config.batch},
                            gradient);
    const double rate = rate_at(config, static_cast<double>(k) / static_cast<double>(steps));
    for (Index c = 0; c < position.columns; ++c) {
      problem.prior.add_gradient(position.column(c), 1, gradient.column(c));
      move(position.column(c), gradient.column(c), velocity.column(c), config.momentum, 1 / static_cast<double>(rows),
           rate);
      if (!math::all_finite(position.column(c)))
        throw NumericError(
            fmt::format("the warm-up left the finite numbers in step {} of chain {}; try a smaller "
                        "warm_up.rate",
                        k + 1, c + 1));
    }
  }
  problem.watch(steps, steps);
  return steps;
}

}  // namespace pollen
