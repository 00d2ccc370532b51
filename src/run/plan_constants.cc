#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/eigenvalues.h"
#include "math/math.h"
#include "model/coordinates.h"
#include "model/units.h"
#include "pollen/compress.h"
#include "round/client_host.h"
#include "run/planning.h"
#include "smoothness.h"

namespace pollen {

namespace {

constexpr Index kExact = 256;  // the largest dimension for which eigenvalues are computed exactly

struct Spectrum {
  double smallest = 0, largest = 0;
};

// The extreme eigenvalues of the clients' summed curvature plus the prior's. The matrix is built column by column.
Spectrum exact_spectrum(Questions& ask, std::span<const double> at) {
  const auto d = static_cast<Index>(at.size());
  Panel matrix(d, d);
  std::vector<double> unit(at.size());
  for (std::size_t j = 0; j < unit.size(); ++j) {
    const std::span<double> column = matrix.column(static_cast<Index>(j));
    unit[j] = 1;
    ask.transport().query({Query::What::curvature, {at.data(), d, 1, d}, {unit.data(), d, 1, d}},
                          {column.data(), d, 1, d});
    ask.prior().add_curvature(unit, 1.0, column);
    unit[j] = 0;
  }
  const std::vector<double> values = math::symmetric_eigenvalues(matrix);
  return {std::max(0.0, values.front()), values.back()};
}

// The trace of a prior's covariance. A sum's own coordinate is its first one.
double total_variance(const Prior& prior) {
  double sum = 0;
  for (const double precision : prior.precision) sum += precision > 0 ? 1 / precision : 0;
  for (const Prior::SumTerm& term : prior.sums) {
    double variance = 1 / term.precision;
    for (std::size_t j = 1; j < term.weight.size(); ++j)
      variance += term.weight[j] * term.weight[j] / prior.precision[static_cast<std::size_t>(term.first) + j];
    sum += variance / (term.weight.front() * term.weight.front());
  }
  return sum;
}

// Returns E‖θ_0 - θ*‖², the expected squared distance of the start from the mode. Starts around the mode are twice the
// normal approximation there.
double start_distance(const Experiment& experiment, Questions& ask, const std::vector<double>& mode) {
  const RunConfig& run = experiment.config().run;
  const auto d = static_cast<Index>(mode.size());
  if (run.init == "mode") return 0;
  if (run.init == "auto") {
    const Panel hessian = ask.hessian(mode, d <= Coordinates::kMostFull);
    if (!bends_up(hessian)) return 0;
    return 4 * math::squared_norm(Coordinates(mode, hessian, d <= Coordinates::kMostFull).sent().column(0));
  }
  std::vector<double> from(mode.size());
  if (run.init == "prior") from = ask.prior().centre(d);
  if (run.init == "list") {
    from = run.init_values;
    if (const auto& units = experiment.model().units) units->to_internal(from);
  }
  double sum = run.init == "prior" ? total_variance(ask.prior()) : 0;
  for (std::size_t j = 0; j < mode.size(); ++j) sum += (mode[j] - from[j]) * (mode[j] - from[j]);
  return sum;
}

// Estimates L and m of U. If the likelihood is only known to be convex, m is the prior's smallest precision.
void estimate_sum(Experiment& experiment, std::span<const double> mode, plan::Constants& c,
                  std::vector<std::string>& notes) {
  Questions& ask = experiment.questions();
  const bool exact = experiment.dimension() <= kExact;
  const bool quadratic = experiment.model().quadratic() && exact;
  Spectrum sum;
  if (exact)
    sum = exact_spectrum(ask, mode);
  else
    sum.largest = find_smoothness(ask.transport(), ask.prior(), mode, experiment.config().seed).value;
  c.smoothness = sum.largest;
  const std::string not_convex = experiment.model().not_convex();
  c.convexity = !not_convex.empty() ? 0 : quadratic ? sum.smallest : ask.prior().least_curvature();
  notes.push_back(
      fmt::format("L: {}{}", exact ? "largest eigenvalue of the summed curvature" : "power iteration, from below",
                  ask.curvature_is_bound() ? "" : ", at the mode only: this model has no bound for all theta"));
  if (!not_convex.empty())
    notes.push_back("m: none, " + not_convex);
  else
    notes.emplace_back(
        quadratic ? "m: smallest eigenvalue, exact for a quadratic potential"
                  : "m: the prior's smallest precision, which is safe; the data may bend U more near the mode");
}

double weight_of(const Recipe& recipe, std::span<const Index> sizes, std::size_t i) {
  return weight_in(local_weights(recipe.local.value_or(LocalSteps()), sizes), i);
}

// The constants of a client that do not depend on its potential.
plan::ClientConstants plain_constants(const Experiment& experiment, Index rows, std::size_t i) {
  const Recipe& recipe = experiment.recipe();
  const Uplink& up = recipe.up;
  plan::ClientConstants k;
  k.rows = static_cast<double>(rows);
  k.batch = static_cast<double>(recipe.batch.of(rows));
  const auto compressor =
      make_compressor(up.per_client.empty() ? up.compressor : up.per_client[i], experiment.dimension());
  if (up.memory == Memory::feedback)
    k.alpha = compressor->alpha(experiment.dimension());
  else
    k.omega = compressor->omega(experiment.dimension());
  return k;
}

plan::ClientConstants client_constants(const Experiment& experiment, const Questions& ask, std::size_t i,
                                       std::span<const double> bounds, std::span<const double> rows) {
  const Recipe& recipe = experiment.recipe();
  plan::ClientConstants k = plain_constants(experiment, ask.sizes()[i], i);
  k.smoothness = bounds[0];
  const double share = recipe.prior_on_server ? 0 : weight_of(recipe, ask.sizes(), i);
  if (experiment.model().quadratic() && experiment.dimension() <= kExact)
    k.convexity = bounds[1];
  else if (experiment.model().not_convex().empty())
    k.convexity = share * ask.prior().least_curvature();
  k.gradient = rows[0];
  k.variance = plan::minibatch_variance(k.rows, k.batch, rows[1], rows[2]);
  k.row_smoothness = rows[3];
  return k;
}

// Takes the L and m of every U_c/w_c that the decaying schedule uses, if the user gives them.
void take_given(const Experiment& experiment, std::span<const Index> sizes, plan::Constants& c,
                std::vector<std::string>& notes) {
  const SamplerConfig& s = experiment.config().sampler;
  if (!experiment.recipe().local || !(s.smoothness || s.convexity)) return;
  for (std::size_t i = 0; i < c.clients.size(); ++i) {
    const double weight = weight_of(experiment.recipe(), sizes, i);
    if (s.smoothness) c.clients[i].smoothness = *s.smoothness * weight;
    if (s.convexity) c.clients[i].convexity = *s.convexity * weight;
  }
  if (s.smoothness) c.smoothness = *s.smoothness;
  if (s.convexity) c.convexity = *s.convexity;
  notes.emplace_back("sampler.smoothness and sampler.convexity are taken as given");
}

}  // namespace

plan::Constants counting_constants(Experiment& experiment) {
  plan::Constants c;
  c.dimension = static_cast<double>(experiment.dimension());
  c.temperature = experiment.recipe().temperature;
  const std::span<const Index> sizes = experiment.questions().sizes();
  for (std::size_t i = 0; i < sizes.size(); ++i) c.clients.push_back(plain_constants(experiment, sizes[i], i));
  return c;
}

plan::Constants estimate_constants(Experiment& experiment, std::vector<std::string>& notes) {
  Questions& ask = experiment.questions();
  const Index d = experiment.dimension(), b = experiment.clients();
  plan::Constants c = counting_constants(experiment);
  if (experiment.model().is_network()) {
    c.unbounded = "a network";
    return c;
  }
  const std::vector<double> mode = ask.mode();
  Panel bounds(2, b), rows(4, b);
  ask.transport().query({Query::What::bounds, {mode.data(), d, 1, d}, {}}, bounds);
  ask.transport().query({Query::What::rows, {mode.data(), d, 1, d}, {}}, rows);
  c.start = start_distance(experiment, ask, mode);
  estimate_sum(experiment, mode, c, notes);
  for (Index i = 0; i < b; ++i)
    c.clients[static_cast<std::size_t>(i)] =
        client_constants(experiment, ask, static_cast<std::size_t>(i), bounds.column(i), rows.column(i));
  if (experiment.model().quadratic()) c.hessian_lipschitz = 0;
  take_given(experiment, ask.sizes(), c, notes);
  notes.emplace_back("gradients and minibatch variances: at the mode, over all rows of each client");
  return c;
}

}  // namespace pollen
