#include "recipe/models.h"

#include <fmt/format.h>

#include "parts.h"

namespace pollen {

const Registry<ModelRow>& models() {
  using K = ModelKind;
  using T = TargetKind;
  constexpr auto mixed = ModelRow::Group::mixed, network = ModelRow::Group::network;
  static const Registry<ModelRow> rows(
      "model.kind", {
                        {"gaussian", "U_i(θ) = ½(θ-μ_i)ᵀΛ_i(θ-μ_i), or rows of numbers; [[client]] in the config", "d",
                         "", K::gaussian, T::none},
                        {"linear", "y ~ N(xᵀβ, σ²); σ given as model.noise_sd, or sampled as log σ", "p or p+1",
                         "noise_sd log_sigma_sd", K::linear, T::real},
                        {"logistic", "two classes, P(1) = 1/(1+exp(-xᵀθ))", "p", "", K::logistic, T::binary},
                        {"softmax", "C classes, P(c) ∝ exp(xᵀθ_c)", "p·C", "", K::softmax, T::classes},
                        {"poisson", "counts, y ~ Poisson(exp(xᵀθ))", "p", "", K::poisson, T::count},
                        {"mixed-linear", "y ~ N(xᵀΦz_i, σ²); client i has z_i for itself (docs/personal.md)", "k·d, d",
                         "latent noise_sd log_sigma_sd", K::logistic, T::real, mixed},
                        {"mixed-gaussian", "y ~ N(aᵀφ + bᵀz_i, σ²); client i has z_i for itself", "p, d",
                         "fixed random noise_sd log_sigma_sd", K::logistic, T::real, mixed},
                        {"mixed-logistic", "two classes, P(1) = 1/(1+exp(-aᵀφ - bᵀz_i))", "p, d", "fixed random",
                         K::logistic, T::binary, mixed},
                        {"mlp", "a neural network with layers of model.sizes units (docs/networks.md)", "its layers'",
                         "task sizes activation", K::network, T::classes, network, true},
                        {"lenet5", "LeNet-5 on images of 28 x 28 (with ten classes)", "61,706", "input", K::network,
                         T::classes, network, true},
                        {"resnet20", "ResNet-20 with model.norm frn, group or batch (libtorch)", "274,042",
                         "norm input", K::network, T::classes, network, true},
                        {"cnn5", "two convolutions and three layers, on 3 x 32 x 32 (libtorch)", "307,842", "input",
                         K::network, T::classes, network, true},
                        {"torchscript", "your own network, model.file (libtorch)", "the file's", "task file input",
                         K::network, T::classes, network},
                    });
  return rows;
}

namespace {

bool in_group(const Config& config, ModelRow::Group group) {
  const ModelRow* row = models().find(config.model.kind);
  return row != nullptr && row->group == group;
}

bool has_last_layer(const Config& config) {
  const ModelRow* row = models().find(config.model.kind);
  return row != nullptr && row->last_layer;
}

}  // namespace

std::vector<std::string> model_kinds() { return models().names(); }

std::string last_layer_kinds() {
  std::string names;
  for (const ModelRow& row : models())
    if (row.last_layer) names += (names.empty() ? "" : ", ") + row.name;
  return names;
}

bool is_network(const Config& config) { return in_group(config, ModelRow::Group::network); }

bool is_mixed(const Config& config) {
  return in_group(config, ModelRow::Group::mixed) || (config.model.personal == "last-layer" && has_last_layer(config));
}

void check_last_layer(const Config& config, Problems& problems) {
  if (config.model.personal == "none" || has_last_layer(config)) return;
  problems.add(
      config.file + ": model.personal",
      fmt::format("found \"{}\" with the model {}, accepted with: {}{}", config.model.personal, config.model.kind,
                  last_layer_kinds(), is_mixed(config) ? "; each client has latents of its own already" : ""));
}

}  // namespace pollen
