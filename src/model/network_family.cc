// Networks as a family of models, whatever their architecture.
#include <fmt/core.h>

#include <algorithm>

#include "families.h"
#include "network.h"

namespace pollen::model {

std::vector<std::string> tensor_labels(const Network& network) {
  std::vector<std::string> result;
  result.reserve(static_cast<std::size_t>(network.dimension()));
  for (const NetworkTensor& tensor : network.tensors())
    for (std::int64_t i = 0; i < tensor.size; ++i) {
      std::string place;
      std::int64_t rest = i;
      for (auto size = tensor.shape.rbegin(); size != tensor.shape.rend(); ++size) {
        place = fmt::format("{}{}{}", rest % *size, place.empty() ? "" : ",", place);
        rest /= *size;
      }
      result.push_back(fmt::format("{}[{}]", tensor.name, place));
    }
  return result;
}

namespace {

class NetworkFamily final : public ModelFamily {
 public:
  // Before the network is made, it is taken for a classifier.
  TargetKind target(const ModelSpec& spec) const override {
    return spec.is_network() && !spec.network.network->spec().classifies ? TargetKind::real : TargetKind::classes;
  }
  std::unique_ptr<Potential> make(const ModelSpec& spec, const Observations& observations,
                                  double scale) const override {
    return make_network_potential(spec.network, observations, scale);
  }
  Index dimension(const ModelSpec& spec) const override {
    return static_cast<Index>(spec.network.network->dimension());
  }
  std::vector<std::string> labels(const ModelSpec& spec) const override { return tensor_labels(*spec.network.network); }
  std::string not_convex(const ModelSpec&) const override { return "a network is not convex"; }

  bool predicts() const override { return true; }
  void class_probabilities(const ModelSpec& spec, std::span<const double> theta, const RowsView& x,
                           std::span<double> out, Scratch& scratch) const override {
    network_probabilities(spec.network, theta, {*spec.network.hold(x, nullptr), 0, x.rows}, out, scratch);
  }
  void response(const ModelSpec& spec, std::span<const double> theta, const RowsView& x, std::span<double> mean,
                std::span<double> sd, Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    std::ranges::copy(network_outputs(spec.network, theta, x, scratch), mean.begin());
    std::ranges::fill(sd, spec.network.network->spec().noise_sd);
  }
  void log_likelihood(const ModelSpec& spec, std::span<const double> theta, const Observations& observations,
                      std::span<double> out, Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    const std::span<const float> outputs = network_outputs(spec.network, theta, observations.x, scratch);
    log_densities(spec.network.network->spec(), outputs, observations.y, out, scratch);
  }
};

}  // namespace

std::vector<ModelRow> network_rows() {
  constexpr auto network = ModelRow::Group::network;
  const auto family = std::make_shared<NetworkFamily>();
  return {{"mlp", "a neural network with layers of model.sizes units (docs/networks.md)", "its layers'",
           "task sizes activation", family, network, true},
          {"lenet5", "LeNet-5 on images of 28 x 28 (with ten classes)", "61,706", "input", family, network, true},
          {"resnet20", "ResNet-20 with model.norm frn, group or batch (libtorch)", "274,042", "norm input", family,
           network, true},
          {"cnn5", "two convolutions and three layers, on 3 x 32 x 32 (libtorch)", "307,842", "input", family, network,
           true},
          {"torchscript", "your own network, model.file (libtorch)", "the file's", "task file input", family, network}};
}

}  // namespace pollen::model
