#include "rehearsal.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "math/linear_algebra.h"
#include "pollen/stats.h"

namespace pollen {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index kBurnIns[] = {150, 300, 1000};  // transitions; 150 is the shortest with all of Stan's windows
constexpr Index kKept = 1000;                   // transitions after the burn-in
constexpr int kTimes = 3;  // chains learn different steps in a short burn-in, so one rehearsal says little

// The potential ½xᵀHx. Numbers beside the diagonal that are rounding errors of it are left out, so that coordinates in
// which the law is that of independent numbers cost d operations and not d².
class Quadratic final : public exact::Posterior {
 public:
  Quadratic(const MatrixXd& hessian, double temperature)
      : hessian_(hessian), diagonal_(hessian.diagonal()), temperature_(temperature) {
    const VectorXd root = diagonal_.cwiseSqrt().cwiseInverse();
    const MatrixXd scaled = root.asDiagonal() * hessian * root.asDiagonal();
    constexpr double kNothing = 1e-6;
    independent_ = (scaled - MatrixXd::Identity(hessian.rows(), hessian.rows())).cwiseAbs().maxCoeff() < kNothing;
  }

  Index dimension() const override { return diagonal_.size(); }
  double temperature() const override { return temperature_; }
  void ask(ConstPanelView at, PanelView out, Counters& counters) override {
    ++counters.rounds;
    counters.messages += at.columns;
    for (Index c = 0; c < at.columns; ++c) {
      const auto x = VectorXd::Map(at.column(c).data(), at.rows);
      auto gradient = VectorXd::Map(out.column(c).data(), at.rows);
      if (independent_)
        gradient = diagonal_.cwiseProduct(x) / temperature_;
      else
        gradient.noalias() = hessian_ * x / temperature_;
      exact::potential_of(out, c) = 0.5 * x.dot(gradient);
    }
  }

 private:
  MatrixXd hessian_;
  VectorXd diagonal_;
  double temperature_;
  bool independent_ = false;
};

// Starts as run.init = "auto" makes them: at twice the distance of the law's own draws.
Panel starts(const math::Eigenpairs& eigen, double temperature, const exact::Setup& setup) {
  Panel result(setup.dimension, setup.chains);
  std::vector<double> z(static_cast<std::size_t>(setup.dimension));
  for (Index c = 0; c < setup.chains; ++c) {
    normals(make_stream(setup.seed, static_cast<std::uint32_t>(c), Purpose::init), z);
    const VectorXd scaled = VectorXd::Map(z.data(), setup.dimension).cwiseQuotient(eigen.values.cwiseSqrt());
    VectorXd::Map(result.column(c).data(), setup.dimension) = 2 * std::sqrt(temperature) * (eigen.vectors * scaled);
  }
  return result;
}

struct Rehearsal {
  double burn_in_rounds = 0, rounds = 0, columns = 0;
  double draws = 0;  // effective ones of the slowest parameter in kKept transitions of all chains
};

double fewest_effective(const std::vector<MatrixXd>& kept, const MatrixXd& to_parameters) {
  const auto chains = std::ssize(kept);
  double least = std::numeric_limits<double>::infinity();
  std::vector<double> values(static_cast<std::size_t>(kKept * chains));
  for (Index j = 0; j < to_parameters.rows(); ++j) {
    for (Index c = 0; c < chains; ++c)
      VectorXd::Map(values.data() + c * kKept, kKept) =
          (to_parameters.row(j) * kept[static_cast<std::size_t>(c)]).transpose();
    least = std::min(least, stats::ess_bulk({values, chains}));
  }
  return least;
}

Rehearsal rehearse_once(const NormalApproximation& law, const math::Eigenpairs& eigen, const exact::Setup& setup) {
  const auto engine = exact::make_engine(setup, std::make_unique<Quadratic>(law.hessian, law.temperature));
  engine->start(starts(eigen, law.temperature, setup));
  Rehearsal result;
  std::vector<MatrixXd> kept(static_cast<std::size_t>(setup.chains), MatrixXd(setup.dimension, kKept));
  while (engine->iteration() < setup.last) {
    engine->advance(1);
    const Index done = engine->iteration() - setup.settings.warm_up;
    if (done == 0) result.burn_in_rounds = static_cast<double>(engine->counters().rounds);
    if (done < 1) continue;
    for (Index c = 0; c < setup.chains; ++c)
      kept[static_cast<std::size_t>(c)].col(done - 1) =
          VectorXd::Map(engine->position().column(c).data(), setup.dimension);
  }
  result.rounds = static_cast<double>(engine->counters().rounds) - result.burn_in_rounds;
  result.columns = static_cast<double>(engine->counters().messages) / static_cast<double>(engine->counters().rounds);
  result.draws = fewest_effective(kept, law.to_parameters);
  return result;
}

Rehearsal mean_rehearsal(const NormalApproximation& law, const math::Eigenpairs& eigen, exact::Setup setup) {
  Rehearsal mean;
  for (int n = 0; n < kTimes; ++n, ++setup.seed) {
    const Rehearsal one = rehearse_once(law, eigen, setup);
    mean.burn_in_rounds += one.burn_in_rounds / kTimes;
    mean.rounds += one.rounds / kTimes;
    mean.columns += one.columns / kTimes;
    mean.draws += one.draws / kTimes;
  }
  return mean;
}

}  // namespace

ExactForecast rehearse(const NormalApproximation& law, exact::Setup setup, double draws) {
  const math::Eigenpairs eigen = math::symmetric_eigen(law.hessian);
  if (!(eigen.values.minCoeff() > 1e-12 * eigen.values.maxCoeff()))
    throw std::domain_error("the posterior is flat in some direction at its mode");
  ExactForecast best;
  best.rounds = std::numeric_limits<double>::infinity();
  for (const Index burn_in : kBurnIns) {
    setup.settings.warm_up = burn_in;
    setup.last = burn_in + kKept;
    const Rehearsal seen = mean_rehearsal(law, eigen, setup);
    const double transitions = std::ceil(draws / seen.draws * static_cast<double>(kKept));
    const double rounds = seen.burn_in_rounds + transitions * seen.rounds / static_cast<double>(kKept);
    if (rounds < best.rounds) best = {burn_in, static_cast<double>(burn_in) + transitions, rounds, seen.columns};
  }
  return best;
}

}  // namespace pollen
