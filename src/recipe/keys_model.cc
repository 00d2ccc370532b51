// The keys of [model], [compute] and [population].
#include "key_kinds.h"
#include "model/models.h"
#include "parts.h"

namespace pollen {

namespace {

bool has_noise(const Config& c) { return is_network(c) ? c.model.task == "regression" : model_reads(c, "noise_sd"); }

bool has_normal_prior(const Config& c, const Recipe&) { return c.model.prior == "normal"; }
bool has_plain_normal_prior(const Config& c, const Recipe& r) {
  return has_normal_prior(c, r) && !is_network(c) && !is_mixed(c);
}

// Marks a key as used, and written, only with the models whose rows name it.
Key of_models(Key key) {
  const std::string name = key.name();
  return std::move(key).only("for " + rows_with(models(), name),
                             [name](const Config& c) { return model_reads(c, name); });
}

// A key that accepts a list of integers, each at least 1.
Key sizes(std::string path, std::string accepted, Place<std::vector<Index>> at) {
  return {std::move(path), "list", std::move(accepted),
          [=](const Value& v, Config& c) {
            at(c).clear();
            return v.is(Value::Type::list) && std::ranges::all_of(v.items, [&](const Value& item) {
                     return read_integer(item, 1, kMost, at(c).emplace_back());
                   });
          },
          [=](const Config& c) { return fmt::format("[{}]", fmt::join(get(at, c), ", ")); }};
}

}  // namespace

std::vector<Key> model_keys() {
  Key fixed = texts("model.fixed", "a list of columns' names", AT(model.fixed));
  // An empty list is a choice of its own, different from an absent key.
  fixed.value = [](const Config& c) {
    return c.given.contains("model.fixed") ? write_texts(c.model.fixed) : std::string();
  };
  Key prior_sd = numbers("model.prior_sd", kPositive, "coefficient", AT(model.prior_sd))
                     .help("The standard deviation of the normal prior; networks may have one number per tensor.")
                     .used("with model.prior = \"normal\"", has_normal_prior);
  // weight_decay, if given, already states the prior's scale.
  prior_sd.written = [](const Config& c) { return !c.model.weight_decay; };
  return {
      name("model.kind", model_kinds, AT(model.kind))
          .help("The likelihood of a client's rows; `pollen list models` explains each."),
      choice("model.prior", {"auto", "normal", "flat"}, AT(model.prior))
          .help("The prior of every coefficient: normal with scales that follow from the data (\"auto\"), normal as "
                "given, or flat.")
          .absent("\"auto\"; \"normal\" with model.prior_sd, for gaussian, networks and under [privacy]; \"flat\" for "
                  "mixed-effects models"),
      std::move(prior_sd),
      numbers("model.prior_mean", kAny, "coefficient", AT(model.prior_mean))
          .help("The mean of the normal prior.")
          .used("with model.prior = \"normal\", except for networks and mixed-effects models", has_plain_normal_prior),
      numbers("model.prior_centre", kAny, "column besides the intercept", AT(model.prior_centre))
          .help("Where the columns are when the intercept is what its normal prior says.")
          .absent("0 in all columns")
          .used("with model.prior = \"normal\", except for networks and mixed-effects models", has_plain_normal_prior),
      choice("model.prior_scale", {"data", "standardized"}, AT(model.prior_scale))
          .help("The units of model.prior_sd and model.prior_mean: those of the data, or of standardized columns.")
          .used("with model.prior = \"normal\", except for networks and mixed-effects models", has_plain_normal_prior),
      choice("model.likelihood", {"sum", "mean"}, AT(model.likelihood))
          .help("Whether the rows' log-likelihoods are summed (the posterior) or averaged (ELF's tempered target)."),
      number("model.temperature", kPositive, AT(model.temperature))
          .help("The temperature T of the target exp(-U/T); 1 is the posterior."),
      number("model.noise_sd", kPositive, AT(model.noise_sd))
          .help("The standard deviation of the response around its mean.")
          .absent("sampled: log sigma is the last coefficient; 1 for networks")
          .used(fmt::format("for {} and networks with task = \"regression\"", rows_with(models(), "noise_sd")),
                [](const Config& c, const Recipe&) { return has_noise(c); }),
      number("model.log_sigma_sd", kPositive, AT(model.log_sigma_sd))
          .help("The standard deviation of the normal prior of log sigma.")
          .used("where sigma is sampled: without model.noise_sd",
                [](const Config& c, const Recipe&) { return model_reads(c, "log_sigma_sd") && !c.model.noise_sd; }),
      of_models(std::move(fixed)
                    .help("The columns with one coefficient that all clients share.")
                    .absent("all columns that are not in model.random")),
      of_models(texts("model.random", "a list of columns' names", AT(model.random))
                    .help("The columns with one coefficient per client, drawn from the population.")
                    .absent("[\"intercept\"]")),
      of_models(integer("model.latent", 1, 1 << 20, AT(model.latent))
                    .help("How many coordinates a client's latent vector has.")),
  };
}

std::vector<Key> network_model_keys() {
  const std::string networks = "for networks";
  return {
      choice("model.task", {"classification", "regression"}, AT(model.task))
          .help("Whether the network predicts classes or one number.")
          .only(networks, is_network),
      of_models(sizes("model.sizes", "a list of layers' sizes, integers from 1 (an empty list: no layer between)",
                      AT(model.sizes))
                    .help("The number of units of each layer between inputs and outputs.")),
      of_models(choice("model.activation", {"relu", "tanh", "swish"}, AT(model.activation))
                    .help("The function that each unit applies to its sum.")),
      of_models(choice("model.norm", {"frn", "group", "batch"}, AT(model.norm))
                    .help("The normalisation between layers; with batch the rows' losses depend on each other.")),
      of_models(text("model.file", "a path", AT(model.file)).help("The TorchScript file that holds the network.")),
      sizes("model.input", "[channels, height, width], integers from 1", AT(model.input))
          .help("The shape of an image.")
          .absent("by the number of columns: 784 is [1, 28, 28], 3072 is [3, 32, 32]")
          .only(networks, is_network),
      numbers("model.input_mean", kAny, "channel", AT(model.input_mean))
          .help("What is subtracted from the inputs: a network sees (x - mean)/sd.")
          .only(networks, is_network),
      numbers("model.input_sd", kPositive, "channel", AT(model.input_sd))
          .help("What the inputs are divided by: a network sees (x - mean)/sd.")
          .only(networks, is_network),
      number("model.weight_decay", kPositive, AT(model.weight_decay))
          .help("The precision of the prior, 1/sd², in place of model.prior_sd.")
          .only(networks, is_network),
      choice("model.personal", {"none", "last-layer"}, AT(model.personal))
          .help("Which part of the network each client has for itself, for the samplers of personal models.")
          .only("for networks other than torchscript", is_network),
      choice("compute.device", {"cpu", "cuda"}, AT(compute.device))
          .help("Where libtorch computes; cuda is a GPU.")
          .only(networks, is_network),
      choice("compute.engine", {"auto", "lean", "torch"}, AT(compute.engine))
          .help("What computes: our own kernels (lean: mlp and lenet5 on a CPU), libtorch, or lean where it can.")
          .only(networks, is_network),
      boolean("compute.tf32", AT(compute.tf32))
          .help("Whether a GPU may multiply with 10 bits of precision.")
          .only(networks, is_network),
  };
}

std::vector<Key> population_keys() {
  const std::vector<std::string> shapes = {"vector", "scalar", "fixed"};
  std::vector<Key> rows = {
      choice("population.prior", {"normal", "energy"}, AT(population.prior))
          .help("The family of the population: normal, or the exponential of a small network (energy)."),
      integer("population.units", 1, 1 << 16, AT(population.units)).help("The hidden units of the energy network."),
      integer("population.particles", 1, 1 << 16, AT(population.particles))
          .help("How many chains the server keeps on the energy network's distribution."),
      choice("population.mean", shapes, AT(population.mean))
          .help("How the mean is learnt: one number per latent coordinate, one for all, or not at all.")
          .absent("\"vector\""),
      choice("population.spread", shapes, AT(population.spread))
          .help("How the standard deviation is learnt: one number per latent coordinate, one for all, or not at all.")
          .absent("\"vector\"; \"scalar\" for mixed-linear and networks"),
      choice("population.centred", {"auto", "always", "never"}, AT(population.centred))
          .help("Whether hmc moves latents themselves or their places in the population, (z - mean)/sd; with auto the "
                "first of these where in most clients the rows hold a latent more firmly than the population does."),
      numbers("population.mean_start", kAny, "latent coordinate", AT(population.mean_start))
          .help("Where the mean starts.")
          .absent("0.0; for networks as the layer's tensors start"),
      numbers("population.sd_start", kPositive, "latent coordinate", AT(population.sd_start))
          .help("Where the standard deviation starts; with energy it is that of the bowl around the network.")
          .absent("1.0; for networks 1/sqrt(inputs of the layer)"),
      number("population.least_sd", kPositive, AT(population.least_sd))
          .help("A bound that the standard deviation stays above."),
      number("population.most_sd", kPositive, AT(population.most_sd))
          .help("A bound that the standard deviation stays below."),
      number("population.mean_radius", kPositive, AT(population.mean_radius))
          .help("The radius of the ball that the mean is kept in."),
      number("population.mean_prior_sd", kPositive, AT(population.mean_prior_sd))
          .help("The standard deviation of the mean's normal prior around its start, in the units of the data; with "
                "energy, of all parameters.")
          .absent("none: a flat prior"),
      number("population.log_sd_prior_sd", kPositive, AT(population.log_sd_prior_sd))
          .help("The standard deviation of the normal prior of log sd around its start.")
          .absent("none: a flat prior"),
  };
  for (Key& key : rows) {
    const std::string name = key.name();
    const bool both = name == "prior" || name == "sd_start" || name == "mean_prior_sd";
    const std::string prior = both ? "" : name == "units" || name == "particles" ? "energy" : "normal";
    const bool joint = name == "centred",
               estimates = prior == "energy" || name == "least_sd" || name == "most_sd" || name == "mean_radius";
    const std::string by = joint ? "hmc" : estimates ? "fedsoul and fedsouk" : "fedsoul, fedsouk and hmc";
    key.when = {prior.empty() || joint ? "for " + by : fmt::format("for {} with population.prior = \"{}\"", by, prior),
                [=](const Config& c, const Recipe& recipe) {
                  return recipe.personal && has_recipe(c) && (prior.empty() || c.population.prior == prior) &&
                         (!joint || recipe.exact) && (!estimates || !recipe.exact);
                }};
    key.written = is_mixed;
  }
  return rows;
}

}  // namespace pollen
