// lenet_round [qlsd|qlsd++]: what a federated iteration of LeNet-5 over 20 clients is made of, on one thread.
// The same rounds are run twice in turns: with the network, and with potentials that hand out numbers at once, which
// leaves the federated part (quantising, coding, averaging, noise). Prints milliseconds of processor time, medians.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <numeric>

#include "pollen/random.h"
#include "pollen/run.h"
#include "run/federated.h"

namespace pollen::bench {
namespace {

constexpr Index kClients = 20, kRows = 640;

// As long as a LeNet-5 gradient, and free.
class Free final : public Potential {
 public:
  explicit Free(Index dimension) : numbers_(static_cast<std::size_t>(dimension)) {
    normals(make_stream(1, 0, Purpose::noise), numbers_);
  }
  Index dimension() const override { return std::ssize(numbers_); }
  Index rows() const override { return kRows; }
  void value(const ConstPanelView&, std::span<double> out, Scratch&) const override { std::ranges::fill(out, 0.0); }
  void gradient(const ConstPanelView& theta, const PanelView& out, Scratch&) const override {
    for (Index c = 0; c < theta.columns; ++c) std::ranges::copy(numbers_, out.column(c).begin());
  }
  void gradient_rows(std::span<const double>, std::span<const std::uint32_t>, std::span<double> out,
                     Scratch&) const override {
    std::ranges::copy(numbers_, out.begin());
  }
  void curvature(std::span<const double>, std::span<const double> v, std::span<double> out, Scratch&) const override {
    std::ranges::copy(v, out.begin());
  }
  bool curvature_is_bound() const override { return true; }
  double row_curvature(std::span<const double>, Scratch&) const override { return 1; }

 private:
  std::vector<double> numbers_;
};

struct Problem {
  Problem() {
    NetworkSpec spec;
    spec.kind = "lenet5";
    spec.height = spec.width = 28;
    spec.outputs = 10;
    model.kind = ModelKind::network;
    model.features = 784;
    model.classes = 10;
    model.network.network = make_lean_network(spec);
    x.resize(static_cast<std::size_t>(kRows * 784));
    normals(make_stream(2, 0, Purpose::noise), x);
    for (Index r = 0; r < kRows; ++r) y.push_back(static_cast<double>(r % 10));
    prior = Prior::normal(std::vector<double>(static_cast<std::size_t>(model.dimension()), 0.45));
    for (Index i = 0; i < kClients; ++i) {
      network.push_back(make_potential(model, {{x.data(), kRows, 784, 784}, y.data()}));
      free.push_back(std::make_unique<Free>(model.dimension()));
    }
  }
  ModelSpec model;
  Prior prior;
  std::vector<double> x, y;
  std::vector<std::unique_ptr<Potential>> network, free;
};

Recipe recipe_of(const std::string& name, Index dimension) {
  Config config =
      read_config_text(fmt::format("[sampler]\nname = \"{}\"\nbatch = 64\nstep = 1e-8\nrefresh = 100", name), "bench");
  std::vector<std::string> warnings;
  return complete(config, kClients, dimension, warnings);
}

class Rounds {
 public:
  Rounds(const Recipe& recipe, const Problem& problem, const std::vector<std::unique_ptr<Potential>>& potentials)
      : engine_(setup(recipe, problem, potentials),
                [](Station& s, std::vector<Client>& c) { return make_thread_transport(s, c, 1); }) {
    Panel start(problem.model.dimension(), 1);
    normals(make_stream(3, 0, Purpose::init), start.column(0));
    for (double& v : start.column(0)) v *= 0.05;
    engine_.start(start);
  }
  double milliseconds(int rounds) {
    const std::clock_t begin = std::clock();
    for (int k = 0; k < rounds; ++k) engine_.advance(1);
    return 1000.0 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / rounds;
  }

 private:
  static FederatedSetup setup(const Recipe& recipe, const Problem& problem,
                              const std::vector<std::unique_ptr<Potential>>& potentials) {
    FederatedSetup s{&recipe, &problem.prior, {}, std::vector<Index>(kClients, kRows), problem.model.dimension(), 1, 1};
    for (const auto& p : potentials) s.potentials.push_back(p.get());
    return s;
  }
  FederatedEngine engine_;
};

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + std::ssize(values) / 2);
  return values[values.size() / 2];
}

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "qlsd++";
  const Problem problem;
  const Recipe recipe = recipe_of(name, problem.model.dimension());
  Rounds network(recipe, problem, problem.network), federated(recipe, problem, problem.free);
  std::vector<double> whole, part;
  for (int turn = 0; turn < 11; ++turn) {
    whole.push_back(network.milliseconds(10));
    part.push_back(federated.milliseconds(10));
  }
  const double gradients = median(whole) - median(part);
  fmt::print("{}: {:.1f} ms an iteration, of which {:.2f} federated: {:.1f} % of the gradients' time\n", name,
             median(whole), median(part), 100 * median(part) / gradients);
  return 0;
}

}  // namespace
}  // namespace pollen::bench

int main(int argc, char** argv) { return pollen::bench::main(argc, argv); }
