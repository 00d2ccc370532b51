#include "network_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <sstream>
#include <stdexcept>

#include "base/file.h"
#include "network/network.h"
#include "pollen/errors.h"
#include "pollen/random.h"

namespace pollen {

namespace {

// The shape of the input images. If the user does not give it, it follows from the number of columns.
std::vector<Index> shape_of(const Config& config, Index columns) {
  const std::string key = config.file + ": model.input";
  if (!config.model.input.empty()) {
    const auto& s = config.model.input;
    if (s.size() != 3 || s[0] * s[1] * s[2] != columns)
      throw ConfigError(key,
                        fmt::format("found [{}], accepted: three numbers whose product is {}, the columns of the data",
                                    fmt::join(s, ", "), columns));
    return s;
  }
  if (columns == 784) return {1, 28, 28};
  if (columns == 3072) return {3, 32, 32};
  if (config.model.kind == "mlp" || config.model.kind == "torchscript") return {1, 1, columns};
  throw ConfigError(key, fmt::format("needed: [channels, height, width] of images of {} numbers", columns));
}

void check_scaling(const Config& config, const char* name, const std::vector<double>& values, Index channels) {
  if (values.size() != 1 && std::ssize(values) != channels)
    throw ConfigError(fmt::format("{}: model.{}", config.file, name),
                      fmt::format("found {} numbers, accepted: one, or one per channel ({})", values.size(), channels));
}

NetworkSpec spec_of(const Config& config, const ModelSpec& model) {
  const ModelConfig& m = config.model;
  const std::vector<Index> shape = shape_of(config, model.features);
  NetworkSpec spec;
  spec.kind = m.kind;
  spec.channels = shape[0];
  spec.height = shape[1];
  spec.width = shape[2];
  spec.classifies = m.task == "classification";
  spec.outputs = spec.classifies ? model.classes : 1;
  spec.noise_sd = m.noise_sd.value_or(1.0);
  spec.hidden.assign(m.sizes.begin(), m.sizes.end());
  spec.activation = m.activation;
  spec.norm = m.norm;
  spec.file = m.file;
  spec.device = config.compute.device;
  spec.tf32 = config.compute.tf32;
  return spec;
}

Augmentation augmentation_of(const Config& config, const NetworkSpec& spec) {
  const auto& names = config.warm_up.augment;
  if (!names.empty() && (spec.height == 1 || spec.width == 1))
    throw ConfigError(config.file + ": warm_up.augment",
                      fmt::format("found [{}] with rows of {} numbers, accepted with images: model.input says how they "
                                  "lie (channels, height, width)",
                                  fmt::join(names, ", "), spec.inputs()));
  return {std::ranges::count(names, "flip") > 0, std::ranges::count(names, "crop") > 0};
}

// Makes the network. "auto" prefers the lean engine for the kinds that it has, because it is faster and in every build.
std::unique_ptr<Network> make_network(const Config& config, const NetworkSpec& spec) {
  const bool can = spec.device == "cpu" && (spec.kind == "mlp" || spec.kind == "lenet5");
  const bool lean = config.compute.engine == "lean" || (config.compute.engine == "auto" && can);
  try {
    return lean ? make_lean_network(spec) : make_torch_network(spec);
  } catch (const std::runtime_error& error) {
    const char* key = spec.kind == "torchscript"        ? "model.file"
                      : spec.device != "cpu"            ? "compute.device"
                      : config.compute.engine != "auto" ? "compute.engine"
                                                        : "model.kind";
    throw ConfigError(fmt::format("{}: {}", config.file, key), fmt::format("{}: {}", spec.kind, error.what()));
  }
}

template <class Word>
std::vector<double> words_of(const std::string& bytes) {
  static_assert(std::endian::native == std::endian::little);
  std::vector<Word> words(bytes.size() / sizeof(Word));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(Word));
  return {words.begin(), words.end()};
}

std::vector<double> numbers_of(std::string text, const std::string& path) {
  for (char& c : text)
    if (c == ',' || c == ';') c = ' ';
  std::istringstream in(text);
  std::vector<double> numbers;
  for (double x = 0; in >> x;) numbers.push_back(x);
  if (!in.eof())
    throw ConfigError(path, fmt::format("found something else than a number in place {}, accepted: numbers alone",
                                        numbers.size() + 1));
  return numbers;
}

std::vector<double> read_start(const std::string& path, Index count) {
  std::string text;
  try {
    text = read_text(path);
  } catch (const IoError& error) {
    throw ConfigError("run.init", error.what());
  }
  const std::vector<double> numbers = path.ends_with(".f32")   ? words_of<float>(text)
                                      : path.ends_with(".f64") ? words_of<double>(text)
                                                               : numbers_of(std::move(text), path);
  if (std::ssize(numbers) != count)
    throw ConfigError(path, fmt::format("found {} numbers, accepted: {}, one per coefficient", numbers.size(), count));
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (!std::isfinite(numbers[i]))
      throw ConfigError(path, fmt::format("found {} in place {}, accepted: finite numbers", numbers[i], i + 1));
  return numbers;
}

}  // namespace

void add_network(const Config& config, ModelSpec& model) {
  const NetworkSpec spec = spec_of(config, model);
  check_scaling(config, "input_mean", config.model.input_mean, spec.channels);
  check_scaling(config, "input_sd", config.model.input_sd, spec.channels);
  model.network.network = make_network(config, spec);
  model.network.augment = augmentation_of(config, spec);
  model.network.mean = config.model.input_mean;
  model.network.sd = config.model.input_sd;
}

Prior network_prior(const Config& config, std::span<const NetworkTensor> tensors) {
  std::vector<double> given = config.model.prior_sd, sd;
  if (config.model.weight_decay) given = {1 / std::sqrt(*config.model.weight_decay)};
  if (given.size() != 1 && given.size() != tensors.size()) {
    std::vector<std::string> names;
    for (const NetworkTensor& tensor : tensors) names.push_back(tensor.name);
    throw ConfigError(config.file + ": model.prior_sd",
                      fmt::format("found {} numbers, accepted: one, or one per tensor ({}: {})", given.size(),
                                  tensors.size(), fmt::join(names, ", ")));
  }
  for (std::size_t i = 0; i < tensors.size(); ++i)
    sd.insert(sd.end(), static_cast<std::size_t>(tensors[i].size), given[given.size() == 1 ? 0 : i]);
  return Prior::normal(sd);
}

void draw_start(const Network& network, std::uint64_t seed, std::uint32_t chain, std::span<double> out) {
  std::vector<double> uniform(out.size());
  uniforms(make_stream(seed, chain, Purpose::init), uniform);
  for (const NetworkTensor& tensor : network.tensors())
    for (auto i = static_cast<std::size_t>(tensor.offset); i < static_cast<std::size_t>(tensor.offset + tensor.size);
         ++i)
      out[i] = static_cast<double>(tensor.center) + static_cast<double>(tensor.spread) * (2 * uniform[i] - 1);
}

std::vector<double> stored_start(const Config& config, const ModelSpec& model) {
  const std::string prefix = "file:";
  if (config.run.init.starts_with(prefix)) return read_start(config.run.init.substr(prefix.size()), model.dimension());
  if (config.run.init != "model") return {};
  const std::vector<float> stored = model.network.network->stored();
  return {stored.begin(), stored.end()};
}

}  // namespace pollen
