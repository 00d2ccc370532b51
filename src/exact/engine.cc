// Implements Engine around a fleet of chains: counts what exchanges cost and checks that the chains stay bounded.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "exact/fleet.h"
#include "math/math.h"
#include "pollen/errors.h"
#include "trajectory.h"

namespace pollen::exact {

namespace {

class ExactEngine final : public Engine {
 public:
  ExactEngine(const Setup& setup, std::unique_ptr<Posterior> posterior)
      : posterior_(std::move(posterior)), warm_up_(setup.settings.warm_up), fleet_(setup, posterior_->temperature()) {}

  void start(ConstPanelView position) override {
    double largest = 1;
    for (Index c = 0; c < position.columns; ++c) largest = std::max(largest, math::max_abs(position.column(c)));
    explosion_ = kExplosion * largest;
    fleet_.start(position);
  }

  std::int64_t advance(std::int64_t) override {
    if (fleet_.iteration() >= warm_up_) posterior_->settle();
    try {
      move();
    } catch (const AbsurdFall& error) {
      posterior_->blame(error, true);
      throw;
    } catch (const NumericError& error) {
      posterior_->blame(error, false);
      throw;
    }
    potentials_.assign(fleet_.potentials().begin(), fleet_.potentials().end());
    for (double& u : potentials_) u *= posterior_->temperature();
    return 1;
  }

  ConstPanelView position() const override { return fleet_.position(); }
  std::int64_t iteration() const override { return fleet_.iteration(); }
  Counters& counters() override { return counters_; }
  void listen(TrafficListener listener) override { posterior_->listen(std::move(listener)); }
  std::span<const Transition> transitions() const override { return fleet_.transitions(); }
  std::span<const double> potentials() const override { return potentials_; }

  void archive(Archive& archive) override {
    archive.field(explosion_);
    counters_.archive(archive);
    fleet_.archive(archive);
    posterior_->archive(archive);
  }

 private:
  void move() {
    fleet_.advance(*posterior_, counters_);
    for (Index c = 0; c < fleet_.chains(); ++c)
      if (!(math::max_abs(fleet_.position().column(c)) <= explosion_))
        throw NumericError(fmt::format("chain {}: the state explodes; is the posterior proper?", c + 1),
                           fleet_.iteration() - 1, -1);
  }

  std::unique_ptr<Posterior> posterior_;
  std::int64_t warm_up_;
  Fleet fleet_;
  Counters counters_;
  std::vector<double> potentials_;
  double explosion_ = kExplosion;
};

constexpr const char* kMetropolis = "warm_up target_accept";
constexpr const char* kHmc = "warm_up target_accept leapfrogs trajectory jitter most_leapfrogs";
constexpr const char* kNuts = "warm_up target_accept max_depth";

void check(const Setup& setup) {
  Problems problems;
  const double step = setup.settings.step.value_or(1);
  if (!(step > 0) || !std::isfinite(step))
    problems.add("sampler.step", fmt::format("found {}, accepted: a number above 0", step));
  check_settings(setup.settings, setup.kernel == "nuts" ? kNuts : setup.kernel == "hmc" ? kHmc : kMetropolis, problems);
  if (setup.kernel != "nuts" && setup.kernel != "hmc" && setup.kernel != "mala")
    problems.add("sampler.name", fmt::format("found \"{}\", accepted: \"nuts\", \"hmc\" or \"mala\"", setup.kernel));
  if (setup.chains < 1 || setup.dimension < 1)
    problems.add("run.chains", fmt::format("found {} chains of {} coefficients, accepted: at least one of each",
                                           setup.chains, setup.dimension));
  problems.raise();
}

}  // namespace

std::unique_ptr<Engine> make_engine(const Setup& setup, std::unique_ptr<Posterior> posterior) {
  check(setup);
  return std::make_unique<ExactEngine>(setup, std::move(posterior));
}

}  // namespace pollen::exact
