// Splits the time of a federated iteration of LeNet-5 over 20 clients into its parts, on one thread: lenet_round
// [qlsd|qlsd#|qlsd++]. Gradients are timed where they are called; the rest is the federated part (minibatches,
// quantising, coding, averaging, memories, noise). Prints medians in milliseconds of processor time.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "network/network.h"
#include "pollen/random.h"
#include "run/experiment.h"
#include "run/federated.h"

namespace pollen::bench {
namespace {

constexpr Index kClients = 20, kRows = 640;

double processor_milliseconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

// Wraps another potential and adds the time of its gradients to a clock that all wrappers share.
class Timed final : public Potential {
 public:
  Timed(std::unique_ptr<Potential> potential, double& inside) : potential_(std::move(potential)), inside_(inside) {}
  Index dimension() const override { return potential_->dimension(); }
  Index rows() const override { return potential_->rows(); }
  void value(const ConstPanelView& theta, std::span<double> out, Scratch& scratch) const override {
    potential_->value(theta, out, scratch);
  }
  void gradient(const ConstPanelView& theta, const PanelView& out, Scratch& scratch) const override {
    measure([&] { potential_->gradient(theta, out, scratch); });
  }
  void gradient_rows(std::span<const double> theta, std::span<const std::uint32_t> rows, std::span<double> out,
                     Scratch& scratch) const override {
    measure([&] { potential_->gradient_rows(theta, rows, out, scratch); });
  }
  void difference_rows(std::span<const double> theta, std::span<const double> anchor,
                       std::span<const std::uint32_t> rows, std::span<double> out, Scratch& scratch) const override {
    measure([&] { potential_->difference_rows(theta, anchor, rows, out, scratch); });
  }
  void curvature(std::span<const double> at, std::span<const double> v, std::span<double> out,
                 Scratch& scratch) const override {
    potential_->curvature(at, v, out, scratch);
  }
  bool curvature_is_bound() const override { return potential_->curvature_is_bound(); }
  double row_curvature(std::span<const double> at, Scratch& scratch) const override {
    return potential_->row_curvature(at, scratch);
  }

 private:
  template <class F>
  void measure(F evaluate) const {
    const double begin = processor_milliseconds();
    evaluate();
    inside_ += processor_milliseconds() - begin;
  }

  std::unique_ptr<Potential> potential_;
  double& inside_;
};

struct Problem {
  Problem() {
    NetworkSpec spec;
    spec.kind = "lenet5";
    spec.height = spec.width = 28;
    spec.outputs = 10;
    model.family = &model_family("lenet5");
    model.features = 784;
    model.classes = 10;
    model.network.network = make_lean_network(spec);
    x.resize(static_cast<std::size_t>(kRows * 784));
    normals(make_stream(2, 0, Purpose::noise), x);
    for (Index r = 0; r < kRows; ++r) y.push_back(static_cast<double>(r % 10));
    prior = Prior::normal(std::vector<double>(static_cast<std::size_t>(model.dimension()), 0.45));
    std::vector<std::shared_ptr<const Potential>> made;
    for (Index i = 0; i < kClients; ++i) {
      auto network = make_potential(model, {{x.data(), kRows, 784, 784}, y.data()});
      made.push_back(std::make_unique<Timed>(std::move(network), gradients));
    }
    potentials = Potentials(std::move(made));
  }
  ModelSpec model;
  Prior prior;
  std::vector<double> x, y;
  double gradients = 0;  // milliseconds so far
  Potentials potentials;
};

Recipe recipe_of(const std::string& name, Index dimension) {
  Config config =
      read_config_text(fmt::format("[sampler]\nname = \"{}\"\nbatch = 64\nstep = 1e-8\nrefresh = 100", name), "bench");
  std::vector<std::string> warnings;
  return complete(config, kClients, dimension, warnings);
}

class Rounds {
 public:
  Rounds(const Recipe& recipe, const Problem& problem)
      : link_(setup(recipe, problem), [](ClientView& s, Clients& c) { return make_thread_transport(s, c, 1); }),
        engine_(link_) {
    Panel start(problem.model.dimension(), 1);
    normals(make_stream(3, 0, Purpose::init), start.column(0));
    for (double& v : start.column(0)) v *= 0.05;
    engine_.start(start);
  }
  double milliseconds(int rounds) {
    const double begin = processor_milliseconds();
    for (int k = 0; k < rounds; ++k) engine_.advance(1);
    return (processor_milliseconds() - begin) / rounds;
  }

 private:
  static FederatedSetup setup(const Recipe& recipe, const Problem& problem) {
    static const std::vector<Index> sizes(kClients, kRows);
    return {&recipe, &problem.prior, &problem.potentials, 0, sizes, problem.model.dimension(), 1, 1};
  }
  ClientLink link_;
  FederatedEngine engine_;
};

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + std::ssize(values) / 2);
  return values[values.size() / 2];
}

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "qlsd++";
  Problem problem;
  const Recipe recipe = recipe_of(name, problem.model.dimension());
  Rounds rounds(recipe, problem);
  std::vector<double> whole, part;
  for (int turn = 0; turn < 11; ++turn) {
    const double before = problem.gradients;
    whole.push_back(rounds.milliseconds(10));
    part.push_back(whole.back() - (problem.gradients - before) / 10);
  }
  const double gradients = median(whole) - median(part);
  fmt::print("{}: {:.1f} ms per iteration, of which {:.2f} federated: {:.1f} % of the gradients' time\n", name,
             median(whole), median(part), 100 * median(part) / gradients);
  return 0;
}

}  // namespace
}  // namespace pollen::bench

int main(int argc, char** argv) { return pollen::bench::main(argc, argv); }
