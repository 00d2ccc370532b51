// An oracle of your own: a minibatch drawn with replacement, an unbiased estimate of a client's gradient. The sampler
// "custom" takes it by its name.
#include <cmath>
#include <cstdio>

#include "pollen/run.h"

class WithReplacement : public pollen::Oracle {
 public:
  WithReplacement(const pollen::Potential& potential, pollen::Index batch) : potential_(potential), rows_(batch) {}
  std::int64_t estimate(const pollen::OracleInput& in, const pollen::PanelView& out, pollen::Workspace& work) override {
    for (pollen::Index c = 0; c < out.columns; ++c) {
      // The chain's random numbers at this round and client, so that a resumed run draws the same rows.
      pollen::Stream address = in.minibatch[in.chains[static_cast<std::size_t>(c)]];
      address.round = in.round;
      address.client = in.client;
      pollen::Sequence sequence(address);
      const auto all = static_cast<std::uint64_t>(potential_.rows());
      for (std::uint32_t& row : rows_) row = static_cast<std::uint32_t>(sequence.below(all));
      potential_.gradient_rows(in.position.column(c), rows_, out.column(c), work.scratch);
      for (double& g : out.column(c)) g *= double(all) / double(rows_.size());
    }
    return out.columns * std::ssize(rows_);
  }

 private:
  const pollen::Potential& potential_;
  std::vector<std::uint32_t> rows_;
};

int main() {
  pollen::register_oracle({"with-replacement", "random rows, which may repeat", "batch", pollen::OracleKind::minibatch,
                           [](const pollen::Potential& u, pollen::Index batch, pollen::Index) {
                             return std::make_unique<WithReplacement>(u, batch);
                           }});
  auto config = pollen::read_config_text(
      "model = {kind = 'gaussian', prior = 'flat'}\nrun.iterations = 40000\n"
      "sampler = {name = 'custom', oracle = 'with-replacement', step = 0.002, batch = 2}",
      "oracle.cc");
  config.clients = {{.data = {{0}, {1}, {2}, {5}}}, {.data = {{1}, {3}}}};  // the posterior's mean is that of all: 2
  pollen::Run run(config);
  run.start();
  run.sample();
  const double mean = run.finish().parameters[0].mean;
  std::printf("mean %.3f, known 2\n", mean);
  return std::abs(mean - 2) < 0.05 ? 0 : 1;
}
