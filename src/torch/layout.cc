#include "layout.h"

#include <cmath>

namespace pollen::torch_room {
namespace {

// Split "layer1.conv1.weight" at its last dot: owner_of gives "layer1.conv1.", kind_of gives "weight".
std::string owner_of(const std::string& name) { return name.substr(0, name.rfind('.') + 1); }
std::string kind_of(const std::string& name) { return name.substr(name.rfind('.') + 1); }

float spread_of(const std::vector<std::int64_t>& shape) {
  std::int64_t fan_in = 1;
  for (std::size_t i = 1; i < shape.size(); ++i) fan_in *= shape[i];
  return fan_in > 0 ? static_cast<float>(1 / std::sqrt(static_cast<double>(fan_in))) : 0.0f;
}

}  // namespace

void Layout::add(std::string name, std::vector<std::int64_t> shape) {
  NetworkTensor tensor;
  tensor.offset = tensors_.empty() ? 0 : tensors_.back().offset + tensors_.back().size;
  tensor.size = 1;
  for (const std::int64_t n : shape) tensor.size *= n;
  const std::string kind = kind_of(name);
  if (shape.size() >= 2) {
    tensor.spread = spread_of(shape);
  } else if (kind == "weight") {
    tensor.center = 1;
  } else if (kind == "eps") {
    tensor.center = 1e-4f;  // the starting value of filter response normalisation
  } else if (kind == "bias" && !tensors_.empty() && tensors_.back().shape.size() >= 2 &&
             owner_of(tensors_.back().name) == owner_of(name)) {
    tensor.spread = tensors_.back().spread;
  }
  tensor.name = std::move(name);
  tensor.shape = std::move(shape);
  tensors_.push_back(std::move(tensor));
}

void Layout::add_map(const std::string& name, std::vector<std::int64_t> weight_shape) {
  const std::int64_t outputs = weight_shape.front();
  add(name + ".weight", std::move(weight_shape));
  add(name + ".bias", {outputs});
}

}  // namespace pollen::torch_room
