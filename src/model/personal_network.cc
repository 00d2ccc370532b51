// A network whose last linear layer belongs to the client. At a fixed φ everything before that layer is a table of
// features, and the layer is a network without hidden units on this table. Evaluations at many z for one φ use this
// shortcut.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "model/personal_model.h"
#include "network.h"
#include "network/network.h"

namespace pollen {

namespace {

// Joins and splits θ = (φ, weight, bias).
struct TwoParts {
  std::shared_ptr<const Network> network;

  const NetworkTensor& weight() const { return *(network->tensors().end() - 2); }
  Index outputs() const { return static_cast<Index>(network->spec().outputs); }
  Index features() const { return static_cast<Index>(weight().shape.back()); }
  Index shared() const { return static_cast<Index>(weight().offset); }
  Index latent() const { return static_cast<Index>(network->dimension()) - shared(); }

  // Makes θ from φ and z. It uses only as much of `shared` as this network has.
  std::span<float> join(std::span<const double> shared, std::span<const double> z, Scratch& scratch) const {
    const auto k = static_cast<std::size_t>(this->shared());
    const std::span<float> theta = scratch.take<float>(static_cast<Index>(network->dimension()));
    for (std::size_t i = 0; i < k; ++i) theta[i] = static_cast<float>(shared[i]);
    for (std::size_t i = 0; i < z.size(); ++i) theta[k + i] = static_cast<float>(z[i]);
    return theta;
  }
};

// Computes the input of the last layer for every row, rows × features. It uses last layers that select as many features
// at a time as there are outputs.
std::span<float> features_at(const TwoParts& parts, const NetworkRows& held, std::span<const double> shared,
                             Scratch& scratch) {
  const auto rows = static_cast<std::size_t>(held.rows()), width = static_cast<std::size_t>(parts.features());
  const auto outputs = static_cast<std::size_t>(parts.outputs());
  const std::span<float> features = scratch.take<float>(static_cast<Index>(rows * width));
  Scratch::Frame frame(scratch);
  const std::vector<double> none(static_cast<std::size_t>(parts.latent()), 0.0);
  const std::span<float> theta = parts.join(shared, none, scratch);
  const std::span<float> weight = theta.subspan(static_cast<std::size_t>(parts.shared()), outputs * width);
  const std::span<float> seen = scratch.take<float>(static_cast<Index>(rows * outputs));
  for (std::size_t first = 0; rows > 0 && first < width; first += outputs) {
    const std::size_t some = std::min(outputs, width - first);
    for (std::size_t c = 0; c < some; ++c) weight[c * width + first + c] = 1;
    parts.network->outputs(held, 0, held.rows(), theta.data(), seen.data());
    for (std::size_t c = 0; c < some; ++c) weight[c * width + first + c] = 0;
    for (std::size_t r = 0; r < rows; ++r)
      std::copy_n(seen.data() + r * outputs, some, features.data() + r * width + first);
  }
  return features;
}

class LastLayer final : public PersonalPotential {
 public:
  LastLayer(const TwoParts& parts, std::shared_ptr<const NetworkRows> held) : parts_(parts), held_(std::move(held)) {}

  Index latent() const override { return parts_.latent(); }
  Index shared() const override { return parts_.shared(); }
  Index rows() const override { return static_cast<Index>(held_->rows()); }

  double gradient(std::span<const double> shared, std::span<const double> z, std::span<double> by_latent,
                  std::span<double> by_shared, Scratch& scratch) const override {
    if (rows() == 0) {
      std::ranges::fill(by_latent, 0.0);
      std::ranges::fill(by_shared, 0.0);
      return 0;
    }
    Scratch::Frame frame(scratch);
    const std::span<float> theta = parts_.join(shared, z, scratch), g = scratch.take<float>(std::ssize(theta));
    const double value = parts_.network->loss(*held_, nullptr, held_->rows(), theta.data(), g.data());
    std::ranges::copy(g.last(by_latent.size()), by_latent.begin());
    std::ranges::copy(g.first(by_shared.size()), by_shared.begin());
    return value;
  }

  // The bound is Σ ‖(h, 1)‖² times the largest curvature of a row's loss by its outputs: ½ for cross-entropy, 1/σ² for
  // squares.
  double latent_curvature(std::span<const double> shared, Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    double squares = static_cast<double>(rows());
    for (const float h : features_at(parts_, *held_, shared, scratch))
      squares += static_cast<double>(h) * static_cast<double>(h);
    const NetworkSpec& spec = parts_.network->spec();
    return squares * (spec.classifies ? 0.5 : 1 / (spec.noise_sd * spec.noise_sd));
  }
  // No bound holds everywhere. Networks are always given a step, so nothing asks for it.
  double shared_curvature(std::span<const double>, std::span<const double>) const override {
    return std::numeric_limits<double>::quiet_NaN();
  }

 private:
  TwoParts parts_;
  std::shared_ptr<const NetworkRows> held_;
};

class RowsOfNetwork final : public PersonalRows {
 public:
  RowsOfNetwork(TwoParts parts, std::shared_ptr<const NetworkRows> held, const double* y)
      : parts_(std::move(parts)), held_(std::move(held)), y_(y) {}

  Index rows() const override { return static_cast<Index>(held_->rows()); }

  void predict(std::span<const double> shared, std::span<const double> z, std::span<double> out,
               Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    const std::span<float> outputs = outputs_at(shared, z, scratch);
    if (parts_.network->spec().classifies)
      model::to_probabilities(outputs, parts_.outputs(), out);
    else
      std::ranges::copy(outputs, out.begin());
  }
  void log_likelihood(std::span<const double> shared, std::span<const double> z, std::span<double> out,
                      Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    model::log_densities(parts_.network->spec(), outputs_at(shared, z, scratch), y_, out, scratch);
  }
  std::unique_ptr<PersonalPotential> potential() const override { return std::make_unique<LastLayer>(parts_, held_); }

  std::unique_ptr<PersonalRows> at(std::span<const double> shared) const override {
    if (parts_.shared() == 0) return nullptr;
    const NetworkSpec& whole = parts_.network->spec();
    NetworkSpec spec;
    spec.width = parts_.features();
    spec.outputs = whole.outputs;
    spec.classifies = whole.classifies;
    spec.noise_sd = whole.noise_sd;
    const TwoParts layer{make_lean_network(spec)};
    Scratch scratch;
    const std::span<float> features = features_at(parts_, *held_, shared, scratch);
    std::vector<float> y;
    if (y_ != nullptr) y.assign(y_, y_ + rows());
    std::shared_ptr<const NetworkRows> held =
        layer.network->hold(features.data(), y_ != nullptr ? y.data() : nullptr, held_->rows());
    return std::make_unique<RowsOfNetwork>(layer, std::move(held), y_);
  }

 private:
  std::span<float> outputs_at(std::span<const double> shared, std::span<const double> z, Scratch& scratch) const {
    const std::span<float> out = scratch.take<float>(rows() * parts_.outputs());
    const std::span<float> theta = parts_.join(shared, z, scratch);
    if (rows() > 0) parts_.network->outputs(*held_, 0, held_->rows(), theta.data(), out.data());
    return out;
  }

  TwoParts parts_;
  std::shared_ptr<const NetworkRows> held_;
  const double* y_;
};

class PersonalNetwork final : public PersonalModel {
 public:
  explicit PersonalNetwork(const NetworkModel& model) : model_(model), parts_{model.network} {
    const auto& tensors = model.network->tensors();
    const bool layer = tensors.size() >= 2 && parts_.weight().shape.size() == 2 &&
                       parts_.weight().shape.front() == parts_.outputs() &&
                       tensors.back().shape == std::vector<std::int64_t>{parts_.outputs()};
    if (!layer) throw std::invalid_argument("the last two tensors are not a linear layer's weight and bias");
  }

  Index shared() const override { return parts_.shared(); }
  Index latent() const override { return parts_.latent(); }
  std::vector<std::string> shared_labels() const override {
    std::vector<std::string> all = model::tensor_labels(*model_.network);
    all.resize(static_cast<std::size_t>(shared()));
    return all;
  }
  std::vector<std::string> latent_labels() const override {
    std::vector<std::string> all = model::tensor_labels(*model_.network);
    return {all.begin() + shared(), all.end()};
  }
  Index outputs() const override { return parts_.outputs(); }
  bool classifies() const override { return parts_.network->spec().classifies; }
  double noise_sd(std::span<const double>) const override { return classifies() ? 0 : parts_.network->spec().noise_sd; }
  bool identified() const override { return shared() == 0; }
  std::unique_ptr<PersonalRows> rows(const RowsView& x, const double* y) const override {
    return std::make_unique<RowsOfNetwork>(parts_, model_.hold(x, y), y);
  }

 private:
  NetworkModel model_;
  TwoParts parts_;
};

}  // namespace

std::unique_ptr<PersonalModel> make_personal_network(const NetworkModel& network) {
  return std::make_unique<PersonalNetwork>(network);
}

}  // namespace pollen
