// Longer than most files on purpose: one line a key, all keys in one place.
#include "recipe/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "pollen/baselines.h"
#include "pollen/reference.h"
#include "recipe/key_kinds.h"
#include "recipe/parts.h"

namespace pollen {

std::string toml_string(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + '"';
}

std::string toml_number(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

namespace {

bool read_batch(const toml::node& n, Config& c) {
  Batch batch;
  if (n.is_integer()) {
    if (!read_integer(n, 1, kMost, batch.count.emplace())) return false;
  } else if (!number_of(n, batch.fraction.emplace()) || !kShare.holds(*batch.fraction)) {
    return false;
  }
  c.sampler.batch = batch;
  return true;
}

std::string write_batch(const Config& c) {
  if (!c.sampler.batch) return {};
  const Batch& b = *c.sampler.batch;
  return b.count ? fmt::format("{}", *b.count) : toml_number(b.fraction.value_or(1.0));
}

bool read_init(const toml::node& n, Config& c) {
  if (n.is_array()) {
    c.run.init = "list";
    return read_numbers(n, {}, c.run.init_values);
  }
  std::string word;
  if (read_string(n, word) && word.starts_with("file:") && word.size() > 5) {
    c.run.init = word;
    return true;
  }
  return read_choice(n, {"zero", "prior", "mode", "random"}, c.run.init);
}

bool read_indices(const toml::node& n, Index least, std::vector<Index>& out) {
  const toml::array* list = n.as_array();
  if (list == nullptr) return false;
  out.clear();
  for (const toml::node& each : *list)
    if (!read_integer(each, least, kMost, out.emplace_back())) return false;
  return true;
}

bool read_levels_table(const toml::node& n, Config& c) {
  const toml::table* table = n.as_table();
  if (table == nullptr) return false;
  for (const auto& [column, values] : *table)
    if (!values.is_array() || !read_strings(values, c.data.levels[std::string(column.str())])) return false;
  return true;
}

std::string write_levels_table(const Config& c) {
  std::string out;
  for (const auto& [column, values] : c.data.levels)
    out += fmt::format("{}{} = {}", out.empty() ? "{" : ", ", toml_string(column), write_strings(values));
  return out.empty() ? out : out + "}";
}

bool read_probability(const toml::node& n, Config& c) {
  c.participation.probability_is_list = n.is_array();
  return read_numbers(n, kShare, c.participation.probability);
}

std::string write_probability(const Config& c) {
  const auto& p = c.participation;
  if (p.probability.empty()) return {};
  return p.probability_is_list ? write_numbers(p.probability) : toml_number(p.probability[0]);
}

bool read_draws(const toml::node& n, Config& c) {
  if (!read_strings(n, c.output.draws)) return false;
  for (const std::string& kind : c.output.draws)
    if (kind != "csv" && kind != "none") return false;
  return true;
}

const std::vector<std::string> kCompressors = {"identity", "qsgd", "top-k", "rand-k", "natural"};

std::vector<std::string> sampler_names() {
  std::vector<std::string> names;
  for (const NamedSampler& s : recipe_table()) names.emplace_back(s.name);
  for (const ReferenceSampler& s : reference_table()) names.emplace_back(s.name);
  for (const PersonalBaseline& s : baseline_table())
    if (std::ranges::count(names, s.name) == 0) names.emplace_back(s.name);
  return names;
}

// What can touch the data outside the accountants, by the key that does it (data.missing, data.levels, ...).
const std::vector<std::string> kOutside = {"init", "step", "schedule", "standardize", "missing", "levels", "lp"};

bool read_accept(const toml::node& n, Config& c) {
  if (!read_strings(n, c.privacy.accept)) return false;
  return std::ranges::all_of(c.privacy.accept, [](const std::string& name) { return std::ranges::count(kOutside, name) > 0; });
}

bool read_expect(const toml::node& n, Config& c) {
  if (n.is_integer()) return read_integer(n, 1, kMost, c.federation.expect_count.emplace());
  if (!n.is_array() || !read_strings(n, c.federation.expect) || c.federation.expect.empty()) return false;
  const std::set<std::string> once(c.federation.expect.begin(), c.federation.expect.end());
  return once.size() == c.federation.expect.size() && !once.contains("");
}

std::string write_expect(const Config& c) {
  if (c.federation.expect_count) return fmt::format("{}", *c.federation.expect_count);
  return c.federation.expect.empty() ? std::string() : write_strings(c.federation.expect);
}

#define AT(T, place) Member<T>([](Config& c) -> T& { return c.place; })
#define MAYBE(T, place) Member<std::optional<T>>([](Config& c) -> std::optional<T>& { return c.place; })

std::vector<Key> model_keys() {
  return {
      choice("model.kind", {"gaussian", "linear", "logistic", "softmax", "poisson", "mixed-linear", "mixed-gaussian", "mixed-logistic",
                            "mlp", "lenet5", "resnet20", "cnn5", "torchscript"},
             AT(std::string, model.kind)),
      choice("model.prior", {"normal", "flat"}, AT(std::string, model.prior)),
      numbers("model.prior_sd", "a number above 0, or a list of them, one a coefficient", kPositive,
              AT(std::vector<double>, model.prior_sd)),
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
      numbers("model.input_mean", "a number, or a list of them, one a channel", {}, AT(std::vector<double>, model.input_mean)),
      numbers("model.input_sd", "a number above 0, or a list of them, one a channel", kPositive,
              AT(std::vector<double>, model.input_sd)),
      maybe_number("model.weight_decay", "a number above 0", kPositive, MAYBE(double, model.weight_decay)),
      choice("compute.device", {"cpu", "cuda"}, AT(std::string, compute.device)),
      choice("compute.engine", {"auto", "lean", "torch"}, AT(std::string, compute.engine)),
      boolean("compute.tf32", AT(bool, compute.tf32)),
  };
  for (Key& key : keys)
    key.write = [write = key.write](const Config& c) { return is_network(c) ? write(c) : std::string(); };
  return keys;
}

// The default follows from the source or the partition: what holds is written out, given or not.
Key by_source(Key key) {
  key.write = [write = key.write](const Config& c) {
    Config settled;
    settled.data = with_defaults(c.data);
    return write(settled);
  };
  return key;
}

std::vector<Key> data_keys() {
  return {
      {"data.source", "a built-in name (see pollen list datasets), a path, or a list of paths with partition = \"given\"",
       [](const toml::node& n, Config& c) { return read_strings(n, c.data.sources) && !c.data.sources.empty(); },
       [](const Config& c) {
         if (c.data.sources.empty()) return std::string();
         return c.data.sources.size() == 1 ? toml_string(c.data.sources[0]) : write_strings(c.data.sources);
       }},
      choice("data.format", {"", "csv", "libsvm", "idx", "cifar"}, AT(std::string, data.format)),
      text("data.labels", "a path", AT(std::string, data.labels)),
      text("data.target", "a column's name", AT(std::string, data.target)),
      strings("data.categorical", "a list of columns' names", AT(std::vector<std::string>, data.categorical)),
      {"data.levels", "a table of columns, each with the list of its levels", read_levels_table, write_levels_table},
      {"data.positive", "a list of labels",
       [](const toml::node& n, Config& c) { return read_labels(n, c.data.positive); },
       [](const Config& c) { return c.data.positive.empty() ? std::string() : write_strings(c.data.positive); }},
      choice("data.missing", {"error", "drop", "mean"}, AT(std::string, data.missing)),
      boolean("data.header", AT(bool, data.header)),
      strings("data.features", "a list of columns' names", AT(std::vector<std::string>, data.features)),
      by_source(maybe_boolean("data.standardize", MAYBE(bool, data.standardize))),
      by_source(maybe_boolean("data.intercept", MAYBE(bool, data.intercept))),
      number("data.test_fraction", "a number from 0 to below 1", {.least = 0, .most = 1, .most_open = true},
             AT(double, data.test_fraction)),
      text("data.test_source", "a path", AT(std::string, data.test_source)),
      text("data.test_labels", "a path", AT(std::string, data.test_labels)),
      text("data.ood_source", "a path", AT(std::string, data.ood_source)),
      choice("data.partition",
             {"iid", "dirichlet", "label-shards", "dominant-label", "label-pairs", "classes-per-client", "by-column", "by-writer", "given"},
             AT(std::string, data.partition)),
      by_source(maybe_integer<Index>("data.clients", "an integer from 1", 1, MAYBE(Index, data.clients), 0xffffffff)),
      number("data.dirichlet_alpha", "a number above 0", kPositive, AT(double, data.dirichlet_alpha)),
      integer<Index>("data.shards", "an integer from 1", 1, AT(Index, data.shards)),
      text("data.column", "a column's name", AT(std::string, data.column)),
      integer<Index>("data.limit", "an integer from 0 (0: all rows)", 0, AT(Index, data.limit)),
      integer<Index>("data.dimension", "an integer from 1", 1, AT(Index, data.dimension), 100'000'000),
      by_source(maybe_number("data.heterogeneity", "a number from 0", {.least = 0}, MAYBE(double, data.heterogeneity))),
      integer<Index>("data.min_size", "an integer from 1", 1, AT(Index, data.min_size)),
      integer<Index>("data.max_size", "an integer from 1", 1, AT(Index, data.max_size)),
      number("data.alpha", "a number from 0", {.least = 0}, AT(double, data.alpha)),
      number("data.beta", "a number from 0", {.least = 0}, AT(double, data.beta)),
  };
}

// Written out only for the partitions that they are about.
Key with_partition(Key key, const std::vector<std::string>& names) {
  key.write = [write = key.write, names](const Config& c) {
    return std::ranges::count(names, c.data.partition) > 0 ? write(c) : std::string();
  };
  return key;
}

std::vector<Key> partition_keys() {
  return {
      with_partition(by_source(maybe_number("data.dominant_share", "a number from 0 to 1", kUnit, MAYBE(double, data.dominant_share))),
                     {"dominant-label", "label-pairs"}),
      with_partition(number("data.other_share", "a number from 0 to 1", kUnit, AT(double, data.other_share)), {"dominant-label"}),
      with_partition(integer<Index>("data.classes_per_client", "an integer from 1", 1, AT(Index, data.classes_per_client)),
                     {"classes-per-client"}),
      text("data.writers", "a path", AT(std::string, data.writers)),
      with_partition(integer<Index>("data.least_rows", "an integer from 1", 1, AT(Index, data.least_rows)), {"by-column", "by-writer"}),
  };
}

// Written out only for the source that they are about.
std::vector<Key> synthetic_mixed_keys() {
  std::vector<Key> keys = {
      integer<Index>("data.latent_dimension", "an integer from 1", 1, AT(Index, data.latent_dimension), 100'000'000),
      number("data.noise_sd", "a number from 0", {.least = 0}, AT(double, data.noise_sd)),
      number("data.small_share", "a number from 0 to 1", kUnit, AT(double, data.small_share)),
  };
  for (Key& key : keys)
    key.write = [write = key.write](const Config& c) {
      const bool used = !c.data.sources.empty() && c.data.sources.front() == "synthetic-mixed";
      return used ? write(c) : std::string();
    };
  return keys;
}

std::vector<Key> sampler_keys() {
  return {
      choice("sampler.name", sampler_names(), AT(std::string, sampler.name)),
      number_or_auto("sampler.step", MAYBE(double, sampler.step)),
      {"sampler.batch", "a count (an integer from 1) or a fraction (a decimal above 0 up to 1.0)", read_batch, write_batch},
      maybe_choice("sampler.oracle", {"full", "minibatch", "fixed-point", "svrg", "control"}, MAYBE(std::string, sampler.oracle)),
      maybe_choice("sampler.compressor", kCompressors, MAYBE(std::string, sampler.compressor)),
      integer<std::uint32_t>("sampler.levels", "an integer from 1 to 1048576", 1, AT(std::uint32_t, sampler.levels), 1 << 20),
      maybe_integer<Index>("sampler.k", "an integer from 1", 1, MAYBE(Index, sampler.k)),
      boolean("sampler.scaled", AT(bool, sampler.scaled)),
      {"sampler.bits", "32 or 64",
       [](const toml::node& n, Config& c) {
         return read_integer(n, 32, 64, c.sampler.bits) && (c.sampler.bits == 32 || c.sampler.bits == 64);
       },
       [](const Config& c) { return fmt::format("{}", c.sampler.bits); }},
      choice("sampler.wire", {"bytes", "lengths"}, AT(std::string, sampler.wire)),
      maybe_boolean("sampler.memory", MAYBE(bool, sampler.memory)),
      choice("sampler.memory_init", {"zero", "gradient"}, AT(std::string, sampler.memory_init)),
      maybe_number("sampler.memory_rate", "a number above 0 up to 1", kShare, MAYBE(double, sampler.memory_rate)),
      maybe_boolean("sampler.error_feedback", MAYBE(bool, sampler.error_feedback)),
      maybe_choice("sampler.downlink", kCompressors, MAYBE(std::string, sampler.downlink)),
      maybe_integer<Index>("sampler.downlink_k", "an integer from 1", 1, MAYBE(Index, sampler.downlink_k)),
      maybe_integer<std::uint32_t>("sampler.downlink_levels", "an integer from 1 to 1048576", 1,
                                   MAYBE(std::uint32_t, sampler.downlink_levels), 1 << 20),
      integer<Index>("sampler.refresh", "an integer from 1", 1, AT(Index, sampler.refresh)),
      maybe_choice("sampler.prior_at", {"server", "clients"}, MAYBE(std::string, sampler.prior_at)),
      number("sampler.mode_tolerance", "a number above 0", kPositive, AT(double, sampler.mode_tolerance)),
      maybe_integer<Index>("sampler.local_steps", "an integer from 1", 1, MAYBE(Index, sampler.local_steps)),
      maybe_number("sampler.communicate", "a number above 0 up to 1", kShare, MAYBE(double, sampler.communicate)),
      maybe_number("sampler.refresh_probability", "a number above 0 up to 1", kShare,
                   MAYBE(double, sampler.refresh_probability)),
      maybe_number("sampler.correlation", "a number from 0 to 1", kUnit, MAYBE(double, sampler.correlation)),
      choice("sampler.scheme", {"full", "I", "II"}, AT(std::string, sampler.scheme)),
      choice("sampler.emit", {"communication", "every"}, AT(std::string, sampler.emit)),
      maybe_number("sampler.clip", "a number above 0", kPositive, MAYBE(double, sampler.clip)),
      choice("sampler.schedule", {"constant", "decaying"}, AT(std::string, sampler.schedule)),
      maybe_number("sampler.smoothness", "a number above 0", kPositive, MAYBE(double, sampler.smoothness)),
      maybe_number("sampler.convexity", "a number above 0", kPositive, MAYBE(double, sampler.convexity)),
      boolean("sampler.allow_unbalanced", AT(bool, sampler.allow_unbalanced)),
  };
}

// Written out only for the samplers that read them.
std::vector<Key> reference_keys() {
  std::vector<Key> keys = {
      maybe_number("sampler.target_accept", "a number above 0 below 1",
                   {.least = 0, .most = 1, .least_open = true, .most_open = true}, MAYBE(double, reference.target_accept)),
      boolean("sampler.adapt_mass", AT(bool, reference.adapt_mass)),
      integer<Index>("sampler.leapfrogs", "an integer from 0 (0: trajectory over step)", 0, AT(Index, reference.leapfrogs), 1 << 20),
      number("sampler.trajectory", "a number above 0", kPositive, AT(double, reference.trajectory)),
      number("sampler.jitter", "a number from 0 to below 1", {.least = 0, .most = 1, .most_open = true},
             AT(double, reference.jitter)),
      integer<Index>("sampler.most_leapfrogs", "an integer from 1", 1, AT(Index, reference.most_leapfrogs), 1 << 20),
      integer<Index>("sampler.max_depth", "an integer from 1 to 20", 1, AT(Index, reference.max_depth), 20),
      number("sampler.decay", "a number from 0 to below 1", {.least = 0, .most = 1, .most_open = true},
             AT(double, reference.decay)),
      number("sampler.damping", "a number above 0", kPositive, AT(double, reference.damping)),
      maybe_number("sampler.server_step", "a number above 0", kPositive, MAYBE(double, reference.server_step)),
      maybe_number("sampler.tolerance", "a number above 0", kPositive, MAYBE(double, reference.tolerance)),
      choice("sampler.local_kernel", {"nuts", "mala"}, AT(std::string, reference.local_kernel)),
      boolean("sampler.diagonal", AT(bool, reference.diagonal)),
      integer<Index>("sampler.samples", "an integer from 2", 2, AT(Index, reference.samples), 1 << 20),
      integer<Index>("sampler.local_burn_in", "an integer from 0", 0, AT(Index, reference.local_burn_in), 1 << 30),
      choice("sampler.server_law", {"gaussian", "dirichlet"}, AT(std::string, reference.server_law)),
      number("sampler.shrinkage", "a number above 0", kPositive, AT(double, reference.shrinkage)),
  };
  for (Key& key : keys)
    key.write = [name = key.path.substr(std::string("sampler.").size()), write = key.write](const Config& c) {
      const ReferenceSampler* reference = find_reference(c.sampler.name);
      const bool read = is_mixed(c) ? baseline_reads(c, name) : reference != nullptr && reference_reads(*reference, name);
      return read ? write(c) : std::string();
    };
  return keys;
}

std::vector<Key> run_keys() {
  return {
      choice("participation.policy", {"full", "bernoulli", "fixed-size"}, AT(std::string, participation.policy)),
      {"participation.probability", "a number above 0 up to 1, or a list of them, one a client", read_probability,
       write_probability},
      maybe_choice("participation.scaling", {"active", "inverse-probability"}, MAYBE(std::string, participation.scaling)),
      maybe_integer<Index>("participation.size", "an integer from 1", 1, MAYBE(Index, participation.size)),
      boolean("participation.replacement", AT(bool, participation.replacement)),
      integer<Index>("run.iterations", "an integer from 1", 1, AT(Index, run.iterations), std::int64_t{1} << 43),
      maybe_integer<Index>("run.burn_in", "an integer from 0", 0, MAYBE(Index, run.burn_in)),
      integer<Index>("run.thin", "an integer from 1", 1, AT(Index, run.thin)),
      integer<Index>("run.chains", "an integer from 1 to 4096", 1, AT(Index, run.chains), 4096),
      boolean("run.coupled", AT(bool, run.coupled)),
      {"run.init", "\"zero\", \"prior\", \"mode\", \"random\" (networks), \"file:PATH\" or a list of numbers, one a coefficient", read_init,
       [](const Config& c) { return c.run.init == "list" ? write_numbers(c.run.init_values) : toml_string(c.run.init); }},
      text("output.dir", "a path", AT(std::string, output.dir)),
      {"output.draws", "a list of \"csv\", \"none\"", read_draws, [](const Config& c) { return write_strings(c.output.draws); }},
      integer<Index>("output.metrics_every", "an integer from 1", 1, AT(Index, output.metrics_every)),
      boolean("output.lp", AT(bool, output.lp)),
      integer<int>("output.ece_bins", "an integer from 1 to 10000", 1, AT(int, output.ece_bins), 10000),
  };
}

// Written out only where there is a warm-up.
std::vector<Key> warm_up_keys() {
  std::vector<Key> keys = {
      integer<Index>("warm_up.epochs", "an integer from 0 (0: none)", 0, AT(Index, warm_up.epochs), 1 << 30),
      integer<Index>("warm_up.batch", "an integer from 1", 1, AT(Index, warm_up.batch)),
      number("warm_up.rate", "a number above 0", kPositive, AT(double, warm_up.rate)),
      number("warm_up.momentum", "a number from 0 to below 1", {.least = 0, .most = 1, .most_open = true},
             AT(double, warm_up.momentum)),
      choice("warm_up.schedule", {"one-cycle", "constant"}, AT(std::string, warm_up.schedule)),
  };
  for (Key& key : keys)
    key.write = [write = key.write](const Config& c) { return c.warm_up.epochs > 0 ? write(c) : std::string(); };
  return keys;
}

// Written out only for the models that have latents.
std::vector<Key> only_mixed(std::vector<Key> keys) {
  for (Key& key : keys)
    key.write = [write = key.write](const Config& c) { return is_mixed(c) ? write(c) : std::string(); };
  return keys;
}

std::vector<Key> latent_keys() {
  return only_mixed({integer<Index>("model.latent", "an integer from 1", 1, AT(Index, model.latent), 1 << 20)});
}

std::vector<Key> personal_keys() {
  return only_mixed({
      maybe_choice("sampler.kernel", {"langevin", "mala", "hmc"}, MAYBE(std::string, sampler.kernel)),
      boolean("sampler.warm_start", AT(bool, sampler.warm_start)),
      integer<Index>("sampler.local_leapfrogs", "an integer from 1", 1, AT(Index, sampler.local_leapfrogs), 1 << 20),
      number_or_auto("sampler.shared_step", MAYBE(double, sampler.shared_step)),
      number_or_auto("sampler.population_step", MAYBE(double, sampler.population_step)),
      number("sampler.step_decay", "a number from 0 to 1", kUnit, AT(double, sampler.step_decay)),
      maybe_number("sampler.shared_radius", "a number above 0", kPositive, MAYBE(double, sampler.shared_radius)),
  });
}

// Written out only for the baselines that read them.
std::vector<Key> baseline_keys() {
  std::vector<Key> keys = {
      number("sampler.penalty", "a number from 0", {.least = 0}, AT(double, sampler.penalty)),
      number("sampler.mixture", "a number from 0 to 1", kUnit, AT(double, sampler.mixture)),
      boolean("sampler.adapt_mixture", AT(bool, sampler.adapt_mixture)),
      number("sampler.aggregate", "a number from 0 to 1", kUnit, AT(double, sampler.aggregate)),
      integer<Index>("sampler.head_steps", "an integer from 1", 1, AT(Index, sampler.head_steps), 1 << 30),
      number("sampler.inner_step", "a number from 0", {.least = 0}, AT(double, sampler.inner_step)),
      boolean("sampler.hessian_free", AT(bool, sampler.hessian_free)),
  };
  for (Key& key : keys)
    key.write = [name = key.path.substr(std::string("sampler.").size()), write = key.write](const Config& c) {
      return baseline_reads(c, name) ? write(c) : std::string();
    };
  return keys;
}

std::vector<Key> client_output_keys() {
  return only_mixed({
      integer<Index>("output.clients", "an integer from 0", 0, AT(Index, output.clients)),
      integer<Index>("output.client_draws", "an integer from 1", 1, AT(Index, output.client_draws), 1 << 24),
  });
}

std::vector<Key> population_keys() {
  const std::vector<std::string> shapes = {"vector", "scalar", "fixed"};
  return only_mixed({
      choice("population.prior", {"normal", "energy"}, AT(std::string, population.prior)),
      integer<Index>("population.units", "an integer from 1", 1, AT(Index, population.units), 1 << 16),
      integer<Index>("population.particles", "an integer from 1", 1, AT(Index, population.particles), 1 << 16),
      maybe_choice("population.mean", shapes, MAYBE(std::string, population.mean)),
      maybe_choice("population.spread", shapes, MAYBE(std::string, population.spread)),
      numbers("population.mean_start", "a number, or a list of them, one a latent", {},
              AT(std::vector<double>, population.mean_start)),
      numbers("population.sd_start", "a number above 0, or a list of them, one a latent", kPositive,
              AT(std::vector<double>, population.sd_start)),
      maybe_number("population.least_sd", "a number above 0", kPositive, MAYBE(double, population.least_sd)),
      number("population.most_sd", "a number above 0", kPositive, AT(double, population.most_sd)),
      maybe_number("population.mean_radius", "a number above 0", kPositive, MAYBE(double, population.mean_radius)),
      maybe_number("population.mean_prior_sd", "a number above 0", kPositive, MAYBE(double, population.mean_prior_sd)),
      maybe_number("population.log_sd_prior_sd", "a number above 0", kPositive,
                   MAYBE(double, population.log_sd_prior_sd)),
  });
}

// Optional without exception, as [privacy]: a run without a federation is written out without the section.
std::vector<Key> federation_keys() {
  return {
      {"federation.expect", "a number of clients, or a list of their names, each once", read_expect, write_expect},
      maybe_integer("federation.quorum", "a whole number from 1", 1, MAYBE(Index, federation.quorum)),
      maybe_number("federation.start_timeout", "seconds above 0", kPositive, MAYBE(double, federation.start_timeout)),
      maybe_number("federation.round_deadline", "seconds above 0", kPositive, MAYBE(double, federation.round_deadline)),
      maybe_choice("federation.on_missing", {"wait", "skip", "abort"}, MAYBE(std::string, federation.on_missing)),
  };
}

// Optional without exception: a configuration that says nothing about privacy is written out without the section.
std::vector<Key> privacy_keys() {
  const Range open{.least = 0, .most = 1, .least_open = true, .most_open = true};
  const std::string share = "a number between 0 and 1";
  return {
      maybe_number("privacy.target_epsilon", "a number above 0", kPositive, MAYBE(double, privacy.target_epsilon)),
      maybe_number("privacy.delta", share, open, MAYBE(double, privacy.delta)),
      maybe_number("privacy.delta_0", share, open, MAYBE(double, privacy.delta_0)),
      maybe_number("privacy.delta_1", share, open, MAYBE(double, privacy.delta_1)),
      maybe_number("privacy.delta_2", share, open, MAYBE(double, privacy.delta_2)),
      maybe_choice("privacy.on_spent", {"stop", "warn"}, MAYBE(std::string, privacy.on_spent)),
      maybe_choice("privacy.accountant", {"theorem", "renyi"}, MAYBE(std::string, privacy.accountant)),
      maybe_choice("privacy.adversary", {"server", "outside"}, MAYBE(std::string, privacy.adversary)),
      {"privacy.accept", "a list of " + listed(kOutside), read_accept,
       [](const Config& c) { return c.privacy.accept.empty() ? std::string() : write_strings(c.privacy.accept); }},
  };
}

}  // namespace

const std::vector<Key>& schema() {
  static const std::vector<Key> keys = [] {
    std::vector<Key> all = {{"seed", "an integer from 0",
                             [](const toml::node& n, Config& c) {
                               return read_integer(n, 0, std::numeric_limits<std::int64_t>::max(), c.seed);
                             },
                             [](const Config& c) { return fmt::format("{}", c.seed); }}};
    for (auto& part : {model_keys(), latent_keys(), network_keys(), data_keys(), partition_keys(), synthetic_mixed_keys(),
                       sampler_keys(), reference_keys(), personal_keys(), baseline_keys(), run_keys(), warm_up_keys(),
                       client_output_keys(),
                       privacy_keys(), population_keys(), federation_keys()})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return keys;
}

const std::vector<Key>& client_schema() {
  static const std::vector<Key> keys = {
      {"mean", "a list of numbers",
       [](const toml::node& n, Config& c) { return n.is_array() && read_numbers(n, {}, c.clients.back().mean); },
       [](const Config& c) { return c.clients.back().mean.empty() ? std::string() : write_numbers(c.clients.back().mean); }},
      {"precision", "a list of rows of numbers",
       [](const toml::node& n, Config& c) { return read_matrix(n, c.clients.back().precision); },
       [](const Config& c) { return write_matrix(c.clients.back().precision); }},
      {"data", "a list of rows of numbers",
       [](const toml::node& n, Config& c) { return read_matrix(n, c.clients.back().data); },
       [](const Config& c) { return write_matrix(c.clients.back().data); }},
      maybe_choice("compressor", kCompressors, MAYBE(std::string, clients.back().compressor)),
      maybe_integer<std::uint32_t>("levels", "an integer from 1 to 1048576", 1, MAYBE(std::uint32_t, clients.back().levels),
                                   1 << 20),
      maybe_integer<Index>("k", "an integer from 1", 1, MAYBE(Index, clients.back().k)),
  };
  return keys;
}

}  // namespace pollen
