// Networks: defaults that differ from those of other models, and checks such as the need for an explicit step.
#include <fmt/format.h>

#include <algorithm>

#include "parts.h"

namespace pollen {

namespace {

bool of_images(const Config& config) {
  const DataSpec& data = config.data;
  if (config.model.kind != "mlp" && config.model.kind != "torchscript") return true;
  if (!data.format.empty()) return data.format == "idx" || data.format == "cifar";
  return std::ranges::any_of(data.sources, [](const std::string& source) {
    return source.find("idx3") != std::string::npos || source.find(".bin") != std::string::npos;
  });
}

}  // namespace

// Sets the defaults of networks. There is no intercept, because networks have their own biases. Images are not
// standardized, because pixels share a scale. Constant columns stay, because an input has its place. The start is
// random, because at zero all units are alike. The potential is not recorded, because computing it over all data for
// every draw would cost more than the draw.
void set_network_defaults(Config& config) {
  if (!is_network(config)) return;
  if (!config.data.intercept) config.data.intercept = false;
  if (!config.data.standardize) config.data.standardize = !of_images(config);
  if (!config.data.constant) config.data.constant = "keep";
  if (config.run.init == "auto") config.run.init = "random";
  if (!config.given.contains("output.lp")) config.output.lp = false;
}

void check_network(const Config& config, bool step_needed, Problems& problems) {
  const std::string& init = config.run.init;
  if (!is_network(config)) {
    if (init == "random" || init == "model")
      problems.add(config.file + ": run.init",
                   fmt::format("found \"{}\", accepted with a network; here: \"zero\", \"prior\"", init));
    if (!config.warm_up.augment.empty())
      problems.add(config.file + ": warm_up.augment",
                   fmt::format("found with the model {}, accepted with a network of images", config.model.kind));
    return;
  }
  if (init == "model" && config.model.kind != "torchscript")
    problems.add(config.file + ": run.init",
                 fmt::format("found \"model\" with {}, which comes without values; accepted with torchscript; here: "
                             "\"random\", \"file:PATH\"",
                             config.model.kind));
  if (step_needed && !config.sampler.step)
    problems.add(config.file + ": sampler.step",
                 fmt::format("\"auto\" goes by a curvature that holds everywhere, which {} has not; accepted: a number",
                             config.model.kind));
  if (config.model.weight_decay && config.given.contains("model.prior_sd"))
    problems.add(config.file + ": model.weight_decay",
                 "is given together with model.prior_sd; accepted: one of the two");
  if (config.model.weight_decay && config.model.prior == "flat")
    problems.add(config.file + ": model.weight_decay", "is given with prior = \"flat\"; accepted: one of the two");
}

}  // namespace pollen
