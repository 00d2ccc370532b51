#include <fmt/format.h>

#include <map>

#include "commands.h"
#include "personal/baselines.h"
#include "pollen/data.h"
#include "pollen/errors.h"
#include "pollen/recipe.h"
#include "reference/reference.h"
#include "sink/text.h"
#include "terminal.h"

namespace pollen::app {

namespace {

sink::TextTable samplers() {
  sink::TextTable table({"sampler", "family", "what it is"});
  table.left(1), table.left(2);
  for (const NamedSampler& sampler : recipe_table()) table.row({sampler.name, sampler.paper, sampler.summary});
  for (const PersonalBaseline& sampler : baseline_table())
    if (find_reference(sampler.name) == nullptr) table.row({sampler.name, sampler.paper, sampler.summary});
  for (const ReferenceSampler& sampler : reference_table()) table.row({sampler.name, sampler.paper, sampler.summary});
  return table;
}

sink::TextTable models() {
  sink::TextTable table({"model", "parameters", "what it is"});
  table.left(1), table.left(2);
  table.row({"gaussian", "d", "U_i(θ) = ½(θ-μ_i)ᵀΛ_i(θ-μ_i), or rows of numbers; [[client]] in the config"});
  table.row({"linear", "p or p+1", "y ~ N(xᵀβ, σ²); σ given as model.noise_sd, or sampled as log σ"});
  table.row({"logistic", "p", "two classes, P(1) = 1/(1+exp(-xᵀθ))"});
  table.row({"softmax", "p·C", "C classes, P(c) ∝ exp(xᵀθ_c)"});
  table.row({"poisson", "p", "counts, y ~ Poisson(exp(xᵀθ))"});
  table.row({"mixed-gaussian", "p, d", "y ~ N(aᵀφ + bᵀz_i, σ²); z_i of client i's own: docs/personal.md"});
  table.row({"mixed-logistic", "p, d", "two classes, P(1) = 1/(1+exp(-aᵀφ - bᵀz_i))"});
  table.row({"mixed-linear", "k·d, d", "y ~ N(xᵀΦz_i, σ²)"});
  table.row({"mlp", "its layers'", "a neural network with layers of model.sizes units: docs/networks.md"});
  table.row({"lenet5", "61,706", "LeNet-5 on images of 28 x 28 (with ten classes)"});
  table.row({"cnn5", "307,842", "two convolutions and three layers, on 3 x 32 x 32 (libtorch)"});
  table.row({"resnet20", "274,042", "ResNet-20 with model.norm frn, group or batch (libtorch)"});
  table.row({"torchscript", "the file's", "your own network, model.file (libtorch)"});
  table.row(
      {"", "", "model.personal = \"last-layer\": a last layer of every client's own (not torchscript), for fedsoul"});
  return table;
}

sink::TextTable datasets() {
  static const std::map<std::string, std::string> kWhat = {
      {"titanic", "2201 people of the Titanic: class, sex, age; who survived"},
      {"synthetic-gaussian", "N(μ_i, I) rows a client, means spread by data.heterogeneity (the toy of the QLSD paper)"},
      {"synthetic-logistic", "SYNTHETIC(α, β) of Li et al. 2020, two classes"},
      {"synthetic-mixed", "y ~ N(xᵀΦz_i, σ²), a z_i a client, most clients small (Collins et al. 2021; FedPop)"},
      {"iris", "150 irises: four measures; three species"},
  };
  sink::TextTable table({"data set", "what it is"});
  table.left(1);
  for (const std::string& name : builtin_datasets()) {
    const auto at = kWhat.find(name);
    table.row({name, at == kWhat.end() ? "" : at->second});
  }
  table.row(
      {"a path", "format = \"csv\" | \"libsvm\" | \"idx\" | \"cifar\" | \"pollen\" (a store, from pollen convert)"});
  return table;
}

sink::TextTable compressors() {
  sink::TextTable table({"compressor", "keys", "what it is"});
  table.left(1), table.left(2);
  table.row({"identity", "bits", "every coordinate as a float64 (or float32) word"});
  table.row(
      {"qsgd", "levels", "random rounding to s levels of the norm, Elias-coded; unbiased (Alistarh et al. 2017)"});
  table.row({"top-k", "k", "the k largest coordinates; biased, for error feedback"});
  table.row({"rand-k", "k", "k random coordinates scaled by d/k; unbiased"});
  table.row({"natural", "", "random rounding to powers of two; unbiased (Horváth et al. 2022)"});
  return table;
}

}  // namespace

int list_command(const std::string& what) {
  static const std::map<std::string, sink::TextTable (*)()> kTables = {
      {"samplers", samplers}, {"models", models}, {"datasets", datasets}, {"compressors", compressors}};
  const auto at = kTables.find(what);
  if (at == kTables.end()) {
    const auto near = nearest(what, {"samplers", "models", "datasets", "compressors"});
    throw ConfigError("list", fmt::format("found \"{}\", accepted: samplers, models, datasets, compressors{}", what,
                                          near ? "; did you mean " + *near + "?" : ""));
  }
  print(at->second().text(""));
  return kDone;
}

}  // namespace pollen::app
