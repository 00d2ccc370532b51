// A sink of your own: hears of every kept draw while the run goes on, here to keep a running mean of each coordinate.
#include <cmath>
#include <cstdio>

#include "pollen/run.h"

class RunningMean : public pollen::Sink {
 public:
  void kept(pollen::ConstPanelView position, std::span<const double>) override {
    mean.resize(static_cast<std::size_t>(position.rows));
    for (pollen::Index c = 0; c < position.columns; ++c) {
      ++count;
      for (std::size_t j = 0; j < mean.size(); ++j) mean[j] += (position.column(c)[j] - mean[j]) / count;
    }
  }
  std::vector<double> mean;
  double count = 0;
};

int main() {
  // Two clients, N(1, 1) and N(3, 1/3): the posterior's mean is (1·1 + 3·3)/(1 + 3) = 2.5.
  const auto config = pollen::read_config_text(R"(
model.kind = "gaussian"
model.prior = "flat"
sampler.name = "qlsd"
sampler.step = 0.01
run.iterations = 40000
client = [{mean = [1.0], precision = [[1.0]]}, {mean = [3.0], precision = [[3.0]]}]
)",
                                               "sink.cc");
  RunningMean sink;
  pollen::Run run(config, {.sinks = {&sink}});
  run.start();
  run.sample();
  const pollen::Summary& summary = run.finish();
  std::printf("mean of %.0f draws: %.3f, by the summary %.3f, known 2.5\n", sink.count, sink.mean[0],
              summary.parameters[0].mean);
  return std::abs(sink.mean[0] - 2.5) < 0.05 && std::abs(sink.mean[0] - summary.parameters[0].mean) < 1e-6 ? 0 : 1;
}
