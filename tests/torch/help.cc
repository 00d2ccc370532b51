#include "help.h"

#include <numeric>

#include "network/network.h"

// Leaks are looked for at the end by stopping all threads, which libtorch's own do not always survive; all else is
// found.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }

namespace pollen::testing {

const std::string& fleet_device() {
  static const std::string device = [] {
    NetworkSpec spec = mlp({});
    spec.device = "cuda";
    try {
      make_torch_network(spec);
      return "cuda";
    } catch (const std::runtime_error&) {
      return "cpu";
    }
  }();
  return device;
}

NetworkSpec mlp(std::vector<std::int64_t> hidden, std::string activation) {
  NetworkSpec spec;
  spec.channels = 5;
  spec.outputs = 3;
  spec.hidden = std::move(hidden);
  spec.activation = std::move(activation);
  return spec;
}

NetworkSpec image_network(std::string kind, std::int64_t channels, std::int64_t side) {
  NetworkSpec spec;
  spec.kind = std::move(kind);
  spec.channels = channels;
  spec.height = spec.width = side;
  spec.outputs = 10;
  return spec;
}

Case::Case(const NetworkSpec& spec, std::int64_t rows, unsigned seed) : network(make_torch_network(spec)) {
  std::minstd_rand bits(seed);
  std::normal_distribution<float> normal;
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (std::int64_t i = 0; i < rows * spec.inputs(); ++i) x.push_back(normal(bits));
  for (std::int64_t j = 0; j < rows; ++j)
    y.push_back(spec.classifies ? static_cast<float>(bits() % static_cast<unsigned>(spec.outputs)) : normal(bits));
  for (const NetworkTensor& t : network->tensors())
    for (std::int64_t i = 0; i < t.size; ++i) theta.push_back(t.center + t.spread * uniform(bits));
  held = network->hold(x.data(), y.data(), rows);
}

double Case::loss(const std::vector<float>& at, std::vector<float>* gradient) const {
  if (gradient != nullptr) gradient->assign(at.size(), 7.0f);  // must be overwritten
  return network->loss(*held, nullptr, held->rows(), at.data(), gradient == nullptr ? nullptr : gradient->data());
}

double Case::loss_of(const std::vector<std::uint32_t>& rows, std::vector<float>* gradient) const {
  if (gradient != nullptr) gradient->assign(theta.size(), 7.0f);
  return network->loss(*held, rows.data(), static_cast<std::int64_t>(rows.size()), theta.data(),
                       gradient == nullptr ? nullptr : gradient->data());
}

std::vector<float> Case::gradient() const {
  std::vector<float> g;
  loss(theta, &g);
  return g;
}

}  // namespace pollen::testing
