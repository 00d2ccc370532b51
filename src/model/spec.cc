#include <fmt/core.h>

#include "pollen/model.h"

namespace pollen {

Index ModelSpec::dimension() const {
  if (kind == ModelKind::softmax) return features * classes;
  if (kind == ModelKind::linear && !noise_sd) return features + 1;
  return features;
}

namespace {

std::string name_or(const std::vector<std::string>& names, Index i, const char* stem, Index from) {
  if (i < static_cast<Index>(names.size())) return names[static_cast<std::size_t>(i)];
  return fmt::format("{}{}", stem, i + from);
}

}  // namespace

std::vector<std::string> ModelSpec::labels() const {
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
