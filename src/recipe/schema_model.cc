// The keys of [model], [compute] and [population].
#include <fmt/format.h>

#include <algorithm>

#include "key_kinds.h"
#include "parts.h"
#include "schema_sections.h"

namespace pollen {

namespace {

std::vector<std::string> model_kinds() {
  std::vector<std::string> kinds = {"gaussian", "linear",       "logistic",       "softmax",
                                    "poisson",  "mixed-linear", "mixed-gaussian", "mixed-logistic"};
  kinds.insert(kinds.end(), network_kinds().begin(), network_kinds().end());
  return kinds;
}

bool read_indices(const toml::node& n, Index least, std::vector<Index>& out) {
  const toml::array* list = n.as_array();
  if (list == nullptr) return false;
  out.clear();
  for (const toml::node& each : *list)
    if (!read_integer(each, least, kMost, out.emplace_back())) return false;
  return true;
}

// Not written beside a weight decay, which says the same.
Key prior_sd_key() {
  Key key = numbers("model.prior_sd", "a number above 0, or a list of them, one a coefficient", kPositive,
                    AT(std::vector<double>, model.prior_sd));
  key.write = [write = key.write](const Config& c) { return c.model.weight_decay ? std::string() : write(c); };
  return key;
}

}  // namespace

std::vector<Key> model_keys() {
  return {
      choice("model.kind", model_kinds(), AT(std::string, model.kind)),
      choice("model.prior", {"normal", "flat"}, AT(std::string, model.prior)),
      prior_sd_key(),
      choice("model.likelihood", {"sum", "mean"}, AT(std::string, model.likelihood)),
      number("model.temperature", "a number above 0", kPositive, AT(double, model.temperature)),
      maybe_number("model.noise_sd", "a number above 0 (absent: sampled as log sigma)", kPositive,
                   MAYBE(double, model.noise_sd)),
      number("model.log_sigma_sd", "a number above 0", kPositive, AT(double, model.log_sigma_sd)),
      {"model.fixed", "a list of columns' names",
       [](const toml::node& n, Config& c) { return read_strings(n, c.model.fixed); },
       [](const Config& c) {  // none is not the default
         return c.given.contains("model.fixed") ? write_strings(c.model.fixed) : std::string();
       }},
      strings("model.random", "a list of columns' names", AT(std::vector<std::string>, model.random)),
  };
}

// Written out only for networks.
std::vector<Key> network_keys() {
  const auto list = [](const char* path, const char* accepted, Member<std::vector<Index>> m) {
    return Key{path, accepted, [m](const toml::node& n, Config& c) { return read_indices(n, 1, m(c)); },
               [m](const Config& c) { return fmt::format("[{}]", fmt::join(get(m, c), ", ")); }};
  };
  std::vector<Key> keys = {
      choice("model.task", {"classification", "regression"}, AT(std::string, model.task)),
      list("model.sizes", "a list of layers' sizes, integers from 1 (none: no layer between)",
           AT(std::vector<Index>, model.sizes)),
      choice("model.activation", {"relu", "tanh", "swish"}, AT(std::string, model.activation)),
      choice("model.norm", {"frn", "group", "batch"}, AT(std::string, model.norm)),
      text("model.file", "a path", AT(std::string, model.file)),
      list("model.input", "[channels, height, width], integers from 1", AT(std::vector<Index>, model.input)),
      numbers("model.input_mean", "a number, or a list of them, one a channel", {},
              AT(std::vector<double>, model.input_mean)),
      numbers("model.input_sd", "a number above 0, or a list of them, one a channel", kPositive,
              AT(std::vector<double>, model.input_sd)),
      maybe_number("model.weight_decay", "a number above 0", kPositive, MAYBE(double, model.weight_decay)),
      choice("model.personal", {"none", "last-layer"}, AT(std::string, model.personal)),
      choice("compute.device", {"cpu", "cuda"}, AT(std::string, compute.device)),
      choice("compute.engine", {"auto", "lean", "torch"}, AT(std::string, compute.engine)),
      boolean("compute.tf32", AT(bool, compute.tf32)),
  };
  for (Key& key : keys)
    key.write = [write = key.write](const Config& c) { return is_network(c) ? write(c) : std::string(); };
  return keys;
}

std::vector<Key> latent_keys() {
  return only_mixed({integer<Index>("model.latent", "an integer from 1", 1, AT(Index, model.latent), 1 << 20)});
}

std::vector<Key> population_keys() {
  const std::vector<std::string> shapes = {"vector", "scalar", "fixed"};
  const auto start = [](const char* path, const char* accepted, Range range, Member<std::vector<double>> m) {
    Key key = numbers(path, accepted, range, m);
    key.write = [m, write = key.write](const Config& c) { return get(m, c).empty() ? std::string() : write(c); };
    return key;
  };
  return only_mixed({
      choice("population.prior", {"normal", "energy"}, AT(std::string, population.prior)),
      integer<Index>("population.units", "an integer from 1", 1, AT(Index, population.units), 1 << 16),
      integer<Index>("population.particles", "an integer from 1", 1, AT(Index, population.particles), 1 << 16),
      maybe_choice("population.mean", shapes, MAYBE(std::string, population.mean)),
      maybe_choice("population.spread", shapes, MAYBE(std::string, population.spread)),
      start("population.mean_start", "a number, or a list of them, one a latent", {},
            AT(std::vector<double>, population.mean_start)),
      start("population.sd_start", "a number above 0, or a list of them, one a latent", kPositive,
            AT(std::vector<double>, population.sd_start)),
      maybe_number("population.least_sd", "a number above 0", kPositive, MAYBE(double, population.least_sd)),
      number("population.most_sd", "a number above 0", kPositive, AT(double, population.most_sd)),
      maybe_number("population.mean_radius", "a number above 0", kPositive, MAYBE(double, population.mean_radius)),
      maybe_number("population.mean_prior_sd", "a number above 0", kPositive, MAYBE(double, population.mean_prior_sd)),
      maybe_number("population.log_sd_prior_sd", "a number above 0", kPositive,
                   MAYBE(double, population.log_sd_prior_sd)),
  });
}

}  // namespace pollen
