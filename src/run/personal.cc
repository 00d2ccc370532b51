#include "personal.h"

#include <fmt/format.h>

#include <algorithm>

#include "network/network.h"
#include "network_model.h"
#include "personal/baselines.h"
#include "pollen/errors.h"

namespace pollen {

namespace {

void check_columns(const std::vector<std::string>& wanted, const std::vector<std::string>& all, const std::string& key,
                   Problems& problems) {
  for (const std::string& name : wanted) {
    if (std::ranges::count(all, name) > 0) continue;
    const auto near = nearest(name, all);
    problems.add(key, fmt::format("found \"{}\", accepted: {}{}", name, fmt::join(all, ", "),
                                  near ? fmt::format("; did you mean \"{}\"?", *near) : ""));
  }
}

MixedSpec mixed_spec(const Config& config, const std::vector<std::string>& names) {
  MixedSpec spec;
  spec.kind = config.model.kind == "mixed-linear"     ? MixedKind::linear
              : config.model.kind == "mixed-logistic" ? MixedKind::logistic
                                                      : MixedKind::gaussian;
  spec.latent = config.model.latent;
  spec.noise_sd = config.model.noise_sd;
  if (spec.kind == MixedKind::linear) {
    spec.fixed = names;
    return spec;
  }
  spec.random = config.model.random;
  if (spec.random.empty() && std::ranges::count(names, std::string("intercept")) > 0) spec.random = {"intercept"};
  spec.fixed = config.model.fixed;
  if (!config.given.contains("model.fixed"))
    for (const std::string& name : names)
      if (std::ranges::count(spec.random, name) == 0) spec.fixed.push_back(name);
  Problems problems;
  if (spec.random.empty())
    problems.add(config.file + ": model.random", "needed: the columns whose coefficients are each client's own");
  check_columns(spec.fixed, names, config.file + ": model.fixed", problems);
  check_columns(spec.random, names, config.file + ": model.random", problems);
  problems.raise();
  spec.latent = static_cast<Index>(spec.random.size());
  return spec;
}

NormalPopulation::Shape shape_of(const std::string& name) {
  if (name == "scalar") return NormalPopulation::Shape::scalar;
  return name == "fixed" ? NormalPopulation::Shape::fixed : NormalPopulation::Shape::vector;
}

// The default standard deviation of the population. For the last layer of a network it is the spread of the layer's
// starting weights.
double default_sd(const PersonalParts& parts) {
  return parts.network ? static_cast<double>(parts.net().tensors().back().spread) : 1;
}

// Takes numbers for the latents from the units of the data to those of the standardised columns.
std::vector<double> in_own_units(std::vector<double> values, const PersonalParts& parts) {
  if (!parts.model_units.changes()) return values;
  const auto k = static_cast<std::size_t>(parts.model->shared()), d = static_cast<std::size_t>(parts.model->latent());
  bool scaled = false;
  for (std::size_t j = 0; j < d; ++j) scaled = scaled || parts.model_units.scale(k + j) != 1;
  if (!scaled) return values;
  if (values.size() == 1) values.assign(d, values[0]);
  for (std::size_t j = 0; j < std::min(d, values.size()); ++j) values[j] /= parts.model_units.scale(k + j);
  return values;
}

// What each coordinate of (φ, β), or of (φ, z), follows.
std::vector<MixedUnits::Coordinate> unit_coordinates(const Config& config, const PersonalParts& parts, bool latents) {
  std::vector<MixedUnits::Coordinate> out;
  for (const std::string& column : parts.mixed->fixed) out.push_back({column});
  out.resize(static_cast<std::size_t>(parts.model->shared()));
  const PopulationConfig& p = config.population;
  const std::vector<std::string>& random = parts.mixed->random;
  const bool normal = p.prior == "normal";
  if (latents || (normal && p.mean.value_or("vector") == "vector"))
    for (const std::string& column : random) out.push_back({column});
  if (!latents && normal && p.spread.value_or("vector") == "vector") {
    out.resize(static_cast<std::size_t>(parts.problem.dimension()) - random.size());
    for (const std::string& column : random) out.push_back({column, true});
  }
  out.resize(
      static_cast<std::size_t>(latents ? parts.model->shared() + parts.model->latent() : parts.problem.dimension()));
  return out;
}

std::unique_ptr<Population> make_population(const Config& config, const PersonalParts& parts) {
  const PopulationConfig& p = config.population;
  const Index latent = parts.model->latent();
  const std::vector<double> means = in_own_units(p.mean_start.empty() ? std::vector<double>{0} : p.mean_start, parts);
  const std::vector<double> sds =
      in_own_units(p.sd_start.empty() ? std::vector<double>{default_sd(parts)} : p.sd_start, parts);
  if (p.prior == "energy") return make_energy_population({p.units, sds.front()}, latent);
  Problems problems;
  for (const auto& [key, values] : {std::pair{"mean_start", &means}, std::pair{"sd_start", &sds}})
    if (values->size() != 1 && static_cast<Index>(values->size()) != latent)
      problems.add(fmt::format("{}: population.{}", config.file, key),
                   fmt::format("found {} numbers, accepted: one, or one per latent ({})", values->size(), latent));
  problems.raise();
  const bool coefficients = parts.mixed && !parts.may_rotate();
  const NormalPopulation how{.mean = shape_of(p.mean.value_or("vector")),
                             .spread = shape_of(p.spread.value_or(coefficients ? "vector" : "scalar")),
                             .mean_start = means,
                             .sd_start = sds,
                             .least_sd = p.least_sd.value_or(0),
                             .most_sd = p.most_sd,
                             .mean_radius = p.mean_radius.value_or(0)};
  return make_normal_population(how, latent);
}

// The precisions of φ's prior. A network has the prior that it would have without latents; other models have a flat one
// unless the configuration asks for another.
std::vector<double> shared_precision(const Config& config, const PersonalParts& parts) {
  const bool asked = config.given.contains("model.prior") || config.given.contains("model.prior_sd");
  if (config.model.prior == "flat" || (parts.mixed && !asked)) return {};
  if (parts.network) {
    const std::span<const NetworkTensor> tensors = parts.net().tensors();
    return network_prior(config, tensors.first(tensors.size() - 2)).precision;
  }
  const auto k = static_cast<std::size_t>(parts.model->shared());
  std::vector<double> sd = config.model.prior_sd;
  if (sd.size() == 1) {
    sd.assign(k, sd[0]);
    if (parts.mixed->samples_noise()) sd.back() = config.model.log_sigma_sd;
  }
  if (sd.size() != k)
    throw ConfigError(config.file + ": model.prior_sd",
                      fmt::format("found {} numbers, accepted: one, or one per shared coefficient ({})", sd.size(), k));
  if (config.model.prior_scale == "data")
    for (std::size_t j = 0; j < k; ++j) sd[j] /= parts.model_units.scale(j);
  return Prior::normal(sd).precision;
}

void add_priors(const Config& config, PersonalParts& parts) {
  PersonalProblem& problem = parts.problem;
  problem.shared_precision = shared_precision(config, parts);
  const PopulationConfig& p = config.population;
  if (!p.mean_prior_sd && !p.log_sd_prior_sd) return;
  problem.population_centre = parts.population->start();
  const std::vector<std::string> labels = parts.population->labels(parts.model->latent_labels());
  for (const std::string& label : labels) {
    const bool mean = label.starts_with("mu"), energy = p.prior == "energy";
    const auto& sd = mean || energy ? p.mean_prior_sd : p.log_sd_prior_sd;
    const std::size_t at = problem.population_precision.size();
    const double scale = mean ? parts.model_units.scale(static_cast<std::size_t>(problem.shared()) + at) : 1;
    problem.population_precision.push_back(sd ? scale * scale / (*sd * *sd) : 0);
  }
}

void add_rows(const Federation& data, PersonalParts& parts) {
  const auto clients = static_cast<std::size_t>(data.clients());
  // Without any rows here, which are with the clients of a federation then, all clients are empty.
  const auto rows_of = [&parts](const Table& table, const std::vector<Index>& begin) {
    return [&](std::size_t i) {
      const Index first = table.rows > 0 ? begin[i] : 0, count = table.rows > 0 ? begin[i + 1] - first : 0;
      return parts.model->rows(table.view().slice(first, count), table.y.data() + first);
    };
  };
  parts.train = {clients, rows_of(data.train, data.train_begin)};
  parts.test = {clients, rows_of(data.test, data.test_begin)};
  parts.potentials = {clients, [&parts](std::size_t i) { return parts.train[i].potential(); }};
  for (Index i = 0; i < data.clients(); ++i) parts.sizes.push_back(data.train_rows(i));
  // Mixed-effects models copy the columns that they use. Copies of very large tables are not kept.
  constexpr Index kKept = Index{1} << 27;  // numbers
  const bool kept = parts.network || data.train.rows * data.train.stride <= kKept;
  parts.problem.clients = {parts.sizes, [&parts, kept](std::size_t i) -> std::shared_ptr<const PersonalPotential> {
                             if (kept) return borrowed(parts.potentials[i]);
                             struct Once {
                               std::unique_ptr<PersonalRows> rows;
                               std::unique_ptr<PersonalPotential> potential;
                             };
                             auto once = std::make_shared<Once>();
                             once->rows = parts.train.make(i);
                             once->potential = once->rows->potential();
                             return {once, once->potential.get()};
                           }};
}

}  // namespace

std::vector<std::string> PersonalParts::labels() const {
  std::vector<std::string> out = model->shared_labels();
  std::vector<std::string> more = model->latent_labels();
  if (baseline) {
    for (std::string& label : more) label = fmt::format("z[{}]", label);
  } else {
    more = population->labels(more);
  }
  out.insert(out.end(), more.begin(), more.end());
  if (shows_part()) out = {out.begin() + work.first, out.begin() + work.first + work.shown};
  return out;
}

Panel PersonalParts::whole_position(ConstPanelView shown) const {
  if (!shows_part()) return copy_of(shown);
  Panel whole(dimension(), shown.columns);
  const PanelView to = whole.view();
  copy_into({shown.data, work.shown, shown.columns, shown.stride},
            PanelView{to.data + work.first, work.shown, to.columns, to.stride});
  return whole;
}

Panel PersonalParts::in_data_units(ConstPanelView shown) const {
  Panel whole = whole_position(shown);
  units.to_data(copy_of(whole), whole);
  if (!shows_part()) return whole;
  const ConstPanelView all = whole;
  return copy_of({all.data + work.first, work.shown, all.columns, all.stride});
}

std::vector<std::size_t> PersonalParts::identified() const {
  const auto shared = static_cast<std::size_t>(model->shared());
  std::size_t first = 0, end = shared;
  if (!model->identified())
    first = shared - (problem.clients.front()->learns_noise() ? 1 : 0);
  else if (!population->leaves_out_constant())
    end = static_cast<std::size_t>(dimension());
  std::vector<std::size_t> out;
  for (std::size_t j = first; j < end; ++j) out.push_back(j);
  return out;
}

std::unique_ptr<PersonalParts> make_personal_parts(const Config& config, const ModelSpec& model,
                                                   const Federation& data) {
  auto parts = std::make_unique<PersonalParts>();
  parts->baseline = find_baseline(config.sampler.name) != nullptr;
  if (model.is_network()) {
    parts->network = model;
    parts->model = make_personal_network(model.network);
  } else {
    parts->mixed = mixed_spec(config, data.feature_names);
    parts->model = make_mixed_model(*parts->mixed, data.feature_names);
  }
  add_rows(data, *parts);
  const bool coefficients = parts->mixed && !parts->may_rotate();
  const auto units = [&](bool latents) {
    return MixedUnits(unit_coordinates(config, *parts, latents), data.feature_names, data.scaling);
  };
  if (coefficients) parts->model_units = units(true);
  parts->population = make_population(config, *parts);
  parts->problem.population = parts->population.get();
  parts->problem.chains = config.run.chains;
  parts->problem.seed = config.seed;
  if (samples_jointly(config))
    parts->prior = joint_prior(config, *parts, data);
  else
    add_priors(config, *parts);
  if (coefficients) parts->units = units(parts->baseline);
  if (config.output.scale != "data") parts->units = parts->model_units = {};
  return parts;
}

Recipe personal_recipe(Config& config, Index clients, const PersonalParts& parts, std::vector<std::string>& warnings) {
  Recipe recipe = complete(config, clients, std::max<Index>(1, parts.model->shared()), warnings);
  recipe.up.whole_tail = parts.baseline || parts.prior ? 0 : parts.population->parameters();
  return recipe;
}

void write_columns(const PersonalParts& parts, Config& config) {
  if (!parts.mixed || parts.may_rotate()) return;
  config.model.fixed = parts.mixed->fixed;
  config.model.random = parts.mixed->random;
  config.given.insert({"model.fixed", "model.random"});
}

}  // namespace pollen
