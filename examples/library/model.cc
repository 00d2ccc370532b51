// A model of your own: waiting times of three sites that share one rate λ = exp(θ). A site knows how many events it saw
// and how long it watched. With a flat prior on θ the posterior of λ is Gamma(all events, all time), so its mean is
// known.
#include <cmath>
#include <cstdio>

#include "pollen/run.h"

class Waiting : public pollen::Potential {
 public:
  Waiting(double events, double time) : events_(events), time_(time) {}
  pollen::Index dimension() const override { return 1; }
  // U(θ) = time · exp(θ) - events · θ, for every column.
  void value(const pollen::ConstPanelView& theta, std::span<double> out, pollen::Scratch&) const override {
    for (std::size_t c = 0; c < out.size(); ++c) {
      const double t = theta.column(static_cast<pollen::Index>(c))[0];
      out[c] = time_ * std::exp(t) - events_ * t;
    }
  }
  void gradient(const pollen::ConstPanelView& theta, const pollen::PanelView& out, pollen::Scratch&) const override {
    for (pollen::Index c = 0; c < theta.columns; ++c) out.column(c)[0] = time_ * std::exp(theta.column(c)[0]) - events_;
  }

 private:
  double events_, time_;
};

int main() {
  const auto site = [](double events, double time) { return std::make_shared<const Waiting>(events, time); };
  const pollen::Posterior posterior{.clients = {site(30, 12), site(50, 28), site(40, 20)}, .labels = {"log_rate"}};
  const auto config = pollen::read_config_text(
      "seed = 1\nsampler.name = 'lsd'\nsampler.step = 0.001\nrun.iterations = 40000\nrun.burn_in = 1000\n", "model.cc");
  pollen::Run run(config, {.posterior = posterior});
  run.start();
  run.sample();
  const pollen::Panel draws = run.draws();
  double mean = 0;
  for (pollen::Index i = 0; i < draws.columns(); ++i) mean += std::exp(draws.column(i)[0]) / double(draws.columns());
  std::printf("mean rate %.3f, known %.3f\n", mean, 120.0 / 60.0);
  return std::abs(mean - 2.0) < 0.05 ? 0 : 1;
}
