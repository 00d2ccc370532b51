// A likelihood of your own, by name: rows y ~ N(θ, 2² I), where the built-in gaussian has N(θ, I). Data, prior and
// clients come from the configuration. With a flat prior and N rows the posterior has the standard deviation 2/√N.
#include <cmath>
#include <cstdio>

#include "pollen/run.h"

class Blurred : public pollen::ModelFamily {
 public:
  pollen::TargetKind target(const pollen::ModelSpec&) const override { return pollen::TargetKind::none; }
  // Any Potential will do (model.cc has one of its own). Here it is the built-in one, with a quarter of its weight.
  std::unique_ptr<pollen::Potential> make(const pollen::ModelSpec&, const pollen::Observations& rows,
                                          double scale) const override {
    return pollen::make_gaussian_data(rows.x, scale / 4);
  }
  bool quadratic(const pollen::ModelSpec&) const override { return true; }
  std::string not_convex(const pollen::ModelSpec&) const override { return {}; }  // it is convex
};

int main() {
  pollen::register_model({"blurred", "rows y ~ N(θ, 2² I)", "d", "", std::make_shared<Blurred>()});
  const auto config = pollen::read_config_text(R"(
model = {kind = "blurred", prior = "flat"}
data = {source = "synthetic-gaussian", clients = 3, min_size = 20, max_size = 20, dimension = 1}
sampler = {name = "lsd", step = 0.004}
run.iterations = 100000
)",
                                               "likelihood.cc");
  pollen::Run run(config);
  run.start();
  run.sample();
  const double sd = run.finish().parameters[0].sd, known = 2 / std::sqrt(60.0);
  std::printf("sd %.3f, known %.3f\n", sd, known);
  return std::abs(sd - known) < 0.02 ? 0 : 1;
}
