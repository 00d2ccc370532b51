#include "network/reference.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "network/network.h"

namespace pollen::test {
namespace {

using Numbers = std::vector<double>;

double activation(const std::string& name, double z) {
  if (name == "relu") return std::max(z, 0.0);
  return name == "tanh" ? std::tanh(z) : z / (1 + std::exp(-z));
}

// Convolves x of in × size × size. The result is out × (side/2)², where side = size + 2 padding - 4.
Numbers convolved(const Numbers& x, std::size_t in, std::size_t size, std::size_t padding, std::size_t out,
                  const double* w, const double* bias) {
  const std::size_t side = size + 2 * padding - 4;
  Numbers y(out * side * side), pooled(out * side * side / 4);
  for (std::size_t o = 0; o < out; ++o)
    for (std::size_t r = 0; r < side; ++r)
      for (std::size_t c = 0; c < side; ++c) {
        double sum = bias[o];
        for (std::size_t i = 0; i < in; ++i)
          for (std::size_t k = 0; k < 25; ++k) {
            const std::size_t row = r + k / 5 - padding, column = c + k % 5 - padding;  // wraps around below 0
            if (row < size && column < size) sum += w[(o * in + i) * 25 + k] * x[(i * size + row) * size + column];
          }
        y[(o * side + r) * side + c] = std::max(sum, 0.0);
      }
  for (std::size_t p = 0; p < pooled.size(); ++p) {
    const std::size_t half = side / 2, o = p / (half * half), r = p / half % half, c = p % half;
    const double* at = &y[(o * side + 2 * r) * side + 2 * c];
    pooled[p] = std::max({at[0], at[1], at[side], at[side + 1]});
  }
  return pooled;
}

}  // namespace

Numbers reference_outputs(const NetworkSpec& spec, const Numbers& theta, const float* x) {
  Numbers a(x, x + spec.inputs());
  const double* at = theta.data();
  std::vector<std::int64_t> sizes = spec.hidden;
  std::string name = spec.activation;
  if (spec.kind == "lenet5") {
    a = convolved(a, 1, 28, 2, 6, at, at + 150);
    a = convolved(a, 6, 14, 0, 16, at + 156, at + 2556);
    at += 2572;
    sizes = {120, 84};
    name = "relu";
  }
  sizes.push_back(spec.outputs);
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    const auto out = static_cast<std::size_t>(sizes[k]);
    Numbers z(at + out * a.size(), at + out * a.size() + out);
    for (std::size_t o = 0; o < out; ++o) {
      for (std::size_t i = 0; i < a.size(); ++i) z[o] += at[o * a.size() + i] * a[i];
      if (k + 1 < sizes.size()) z[o] = activation(name, z[o]);
    }
    at += out * a.size() + out;
    a = std::move(z);
  }
  return a;
}

double reference_loss(const NetworkSpec& spec, const Numbers& theta, const float* x, float y) {
  const Numbers f = reference_outputs(spec, theta, x);
  if (!spec.classifies) {
    const double error = (static_cast<double>(y) - f[0]) / spec.noise_sd;
    return 0.5 * error * error + std::log(spec.noise_sd) + 0.5 * std::log(2 * std::numbers::pi);
  }
  const double top = *std::max_element(f.begin(), f.end());
  double sum = 0;
  for (const double z : f) sum += std::exp(z - top);
  return top + std::log(sum) - f[static_cast<std::size_t>(y)];
}

NetworkSpec lenet5() {
  NetworkSpec spec;
  spec.kind = "lenet5";
  spec.height = spec.width = 28;
  spec.outputs = 10;
  return spec;
}

NetworkSpec mlp(std::int64_t inputs, std::vector<std::int64_t> hidden, std::int64_t classes, const std::string& name) {
  NetworkSpec spec;
  spec.width = inputs;
  spec.hidden = std::move(hidden);
  spec.outputs = classes;
  spec.activation = name;
  return spec;
}

NetworkSpec response(std::int64_t inputs, std::vector<std::int64_t> hidden, const std::string& name, double sd) {
  NetworkSpec spec = mlp(inputs, std::move(hidden), 1, name);
  spec.classifies = false;
  spec.noise_sd = sd;
  return spec;
}

Case::Case(const NetworkSpec& wanted, std::int64_t rows)
    : spec(wanted), network(make_lean_network(spec)), x(static_cast<std::size_t>(rows * spec.inputs())) {
  std::mt19937 generator(5);
  const auto uniform = [&] { return static_cast<float>(generator() >> 8) * 0x1p-23f - 1.0f; };
  for (float& v : x) v = uniform();
  for (std::int64_t r = 0; r < rows; ++r)
    y.push_back(spec.classifies ? static_cast<float>(generator() % static_cast<unsigned>(spec.outputs)) : uniform());
  for (const NetworkTensor& t : network->tensors())  // wider than a start, so that classes differ
    for (std::int64_t i = 0; i < t.size; ++i) theta.push_back(t.center + 1.7f * t.spread * uniform());
  held = network->hold(x.data(), y.data(), rows);
}

double Case::reference(const std::vector<std::uint32_t>& chosen, const Numbers& at) const {
  double sum = 0;
  for (const std::uint32_t r : chosen)
    sum += reference_loss(spec, at, x.data() + static_cast<std::int64_t>(r) * spec.inputs(), y[r]);
  return sum;
}

double Case::loss(const std::vector<std::uint32_t>& chosen, std::vector<float>* gradient) const {
  if (gradient != nullptr) gradient->assign(theta.size(), 7.0f);  // must be overwritten
  return network->loss(*held, chosen.data(), static_cast<std::int64_t>(chosen.size()), theta.data(),
                       gradient == nullptr ? nullptr : gradient->data());
}

std::vector<float> Case::clipped(const std::vector<std::uint32_t>& chosen, double clip) const {
  std::vector<float> out(theta.size(), 7.0f);
  network->clipped(*held, chosen.data(), static_cast<std::int64_t>(chosen.size()), theta.data(), clip, out.data());
  return out;
}

std::vector<std::uint32_t> some_rows(std::int64_t count, std::uint32_t rows, std::uint32_t seed) {
  std::mt19937 generator(seed);
  std::vector<std::uint32_t> out(static_cast<std::size_t>(count));
  for (auto& r : out) r = static_cast<std::uint32_t>(generator() % rows);
  if (count > 2) out.back() = out.front();
  return out;
}

double distance(const std::vector<float>& a, const std::vector<float>& b) {
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    difference += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
    norm += std::pow(static_cast<double>(b[i]), 2);
  }
  return std::sqrt(difference / norm);
}

}  // namespace pollen::test
