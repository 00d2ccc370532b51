#include <fmt/core.h>

#include "network/network.h"
#include "pollen/model.h"

namespace pollen {

Index ModelSpec::dimension() const {
  if (kind == ModelKind::softmax) return features * classes;
  if (kind == ModelKind::network) return static_cast<Index>(network.network->dimension());
  if (kind == ModelKind::linear && !noise_sd) return features + 1;
  return features;
}

bool ModelSpec::classifies() const {
  return kind == ModelKind::logistic || kind == ModelKind::softmax ||
         (kind == ModelKind::network && network.network->spec().classifies);
}

bool ModelSpec::interchangeable() const {
  if (kind != ModelKind::network) return false;
  const NetworkSpec& spec = network.network->spec();
  return spec.kind != "mlp" || !spec.hidden.empty();
}

namespace {

std::string name_or(const std::vector<std::string>& names, Index i, const char* stem, Index from) {
  if (i < static_cast<Index>(names.size())) return names[static_cast<std::size_t>(i)];
  return fmt::format("{}{}", stem, i + from);
}

// Returns labels such as "fc1.weight[3,17]", counted from 0 as in PyTorch.
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

}  // namespace

std::vector<std::string> ModelSpec::labels() const {
  if (kind == ModelKind::network) return tensor_labels(*network.network);
  std::vector<std::string> result;
  result.reserve(static_cast<std::size_t>(dimension()));
  const char* stem = kind == ModelKind::gaussian ? "theta." : "x.";
  const Index blocks = kind == ModelKind::softmax ? classes : 1;
  for (Index c = 0; c < blocks; ++c) {
    const std::string prefix = kind == ModelKind::softmax ? name_or(class_names, c, "class ", 0) + ": " : "";
    for (Index j = 0; j < features; ++j) result.push_back(prefix + name_or(feature_names, j, stem, 1));
  }
  if (kind == ModelKind::linear && !noise_sd) result.emplace_back("log_sigma");
  return result;
}

}  // namespace pollen
