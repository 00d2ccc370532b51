#include "run/personal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pollen/baselines.h"
#include "pollen/errors.h"
#include "pollen/math.h"

namespace pollen {

namespace {

// The places of named columns among all, or problems.
std::vector<Index> places(const std::vector<std::string>& wanted, const std::vector<std::string>& all,
                          const std::string& key, Problems& problems) {
  std::vector<Index> out;
  for (const std::string& name : wanted) {
    const auto at = std::ranges::find(all, name);
    if (at == all.end()) {
      const auto near = nearest(name, all);
      problems.add(key, fmt::format("found \"{}\", accepted: {}{}", name, fmt::join(all, ", "),
                                    near ? fmt::format("; did you mean \"{}\"?", *near) : ""));
    } else {
      out.push_back(at - all.begin());
    }
  }
  return out;
}

Table pick(const Table& from, const std::vector<Index>& columns) {
  Table to;
  to.rows = from.rows;
  to.columns = static_cast<Index>(columns.size());
  to.stride = std::max<Index>(8, padded(to.columns));
  to.x.resize(static_cast<std::size_t>(to.rows * to.stride), 0.0);
  to.y = from.y;
  for (Index r = 0; r < from.rows; ++r)
    for (std::size_t j = 0; j < columns.size(); ++j)
      to.x[static_cast<std::size_t>(r * to.stride) + j] = from.view().row(r)[columns[j]];
  return to;
}

void find_columns(const Config& config, const Federation& data, PersonalParts& parts) {
  MixedSpec& spec = parts.spec;
  if (spec.kind == MixedKind::linear) {
    spec.fixed = data.feature_names;
    parts.train.whole = &data.train;
    parts.test.whole = &data.test;
    return;
  }
  const auto& names = data.feature_names;
  spec.random = config.model.random;
  if (spec.random.empty() && std::ranges::count(names, std::string("intercept")) > 0) spec.random = {"intercept"};
  spec.fixed = config.model.fixed;
  if (!config.given.contains("model.fixed"))
    for (const std::string& name : names)
      if (std::ranges::count(spec.random, name) == 0) spec.fixed.push_back(name);
  Problems problems;
  if (spec.random.empty())
    problems.add(config.file + ": model.random", "needed: the columns whose coefficients are each client's own");
  places(spec.fixed, names, config.file + ": model.fixed", problems);
  places(spec.random, names, config.file + ": model.random", problems);
  problems.raise();
  spec.latent = static_cast<Index>(spec.random.size());
  pick_columns(spec, names, data.train, parts.train);
  pick_columns(spec, names, data.test, parts.test);
}

NormalPopulation::Shape shape_of(const std::string& name) {
  if (name == "scalar") return NormalPopulation::Shape::scalar;
  return name == "fixed" ? NormalPopulation::Shape::fixed : NormalPopulation::Shape::vector;
}

NormalPopulation population_of(const Config& config, Index latent) {
  const PopulationConfig& p = config.population;
  Problems problems;
  for (const auto& [key, values] : {std::pair{"mean_start", &p.mean_start}, std::pair{"sd_start", &p.sd_start}})
    if (values->size() != 1 && static_cast<Index>(values->size()) != latent)
      problems.add(fmt::format("{}: population.{}", config.file, key),
                   fmt::format("found {} numbers, accepted: one, or one a latent ({})", values->size(), latent));
  problems.raise();
  return {.mean = shape_of(p.mean.value_or("vector")),
          .spread = shape_of(p.spread.value_or(config.model.kind == "mixed-linear" ? "scalar" : "vector")),
          .mean_start = p.mean_start,
          .sd_start = p.sd_start,
          .least_sd = p.least_sd.value_or(0),
          .most_sd = p.most_sd,
          .mean_radius = p.mean_radius.value_or(0)};
}

void add_priors(const Config& config, PersonalParts& parts) {
  PersonalProblem& problem = parts.problem;
  const auto k = static_cast<std::size_t>(parts.spec.shared());
  const bool normal = config.model.prior == "normal" &&
                      (config.given.contains("model.prior") || config.given.contains("model.prior_sd"));
  if (normal) {
    std::vector<double> sd = config.model.prior_sd;
    if (sd.size() == 1) {
      sd.assign(k, sd[0]);
      if (parts.spec.samples_noise()) sd.back() = config.model.log_sigma_sd;
    }
    if (sd.size() != k)
      throw ConfigError(config.file + ": model.prior_sd",
                        fmt::format("found {} numbers, accepted: one, or one a shared coefficient ({})", sd.size(), k));
    for (const double s : sd) problem.shared_precision.push_back(1 / (s * s));
  }
  const PopulationConfig& p = config.population;
  if (!p.mean_prior_sd && !p.log_sd_prior_sd) return;
  problem.population_centre = parts.population->start();
  const std::vector<std::string> labels = parts.population->labels(parts.spec.latent_labels());
  for (const std::string& label : labels) {
    const bool mean = label.starts_with("mu") || config.population.prior == "energy";
    const auto& sd = mean ? p.mean_prior_sd : p.log_sd_prior_sd;
    problem.population_precision.push_back(sd ? 1 / (*sd * *sd) : 0);
  }
}

}  // namespace

void pick_columns(const MixedSpec& spec, const std::vector<std::string>& names, const Table& from, MixedTable& to) {
  Problems none;
  to.fixed = pick(from, places(spec.fixed, names, "", none));
  to.random = pick(from, places(spec.random, names, "", none));
}

MixedRows MixedTable::rows(Index first, Index count) const {
  const Table& y = whole != nullptr ? *whole : random;
  const auto part = [&](const Table& table) { return table.view().slice(first, count); };
  return {part(whole != nullptr ? *whole : fixed), part(whole != nullptr ? *whole : random), y.y.data() + first};
}

std::vector<std::string> PersonalParts::labels() const {
  std::vector<std::string> out = spec.shared_labels();
  std::vector<std::string> more = spec.latent_labels();
  if (baseline) {
    for (std::string& label : more) label = fmt::format("z[{}]", label);
  } else {
    more = population->labels(more);
  }
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

std::vector<std::size_t> PersonalParts::identified() const {
  const auto shared = static_cast<std::size_t>(spec.shared());
  std::size_t first = 0, end = shared;
  if (spec.kind == MixedKind::linear)
    first = shared - (spec.samples_noise() ? 1 : 0);
  else if (!population->leaves_out_constant())
    end = static_cast<std::size_t>(dimension());
  std::vector<std::size_t> out;
  for (std::size_t j = first; j < end; ++j) out.push_back(j);
  return out;
}

std::unique_ptr<PersonalParts> make_personal_parts(const Config& config, const Federation& data) {
  auto parts = std::make_unique<PersonalParts>();
  MixedSpec& spec = parts->spec;
  spec.kind = config.model.kind == "mixed-linear"     ? MixedKind::linear
              : config.model.kind == "mixed-logistic" ? MixedKind::logistic
                                                      : MixedKind::gaussian;
  parts->baseline = find_baseline(config.sampler.name) != nullptr;
  spec.latent = config.model.latent;
  spec.noise_sd = config.model.noise_sd;
  find_columns(config, data, *parts);
  for (Index i = 0; i < data.clients(); ++i) {
    const MixedRows rows = parts->train.rows(data.train_begin[static_cast<std::size_t>(i)], data.train_rows(i));
    parts->potentials.push_back(make_mixed(spec, rows));
    parts->problem.clients.push_back(parts->potentials.back().get());
  }
  if (config.population.prior == "energy")
    parts->population =
        make_energy_population({config.population.units, config.population.sd_start.front()}, spec.latent);
  else
    parts->population = make_normal_population(population_of(config, spec.latent), spec.latent);
  parts->problem.population = parts->population.get();
  parts->problem.chains = config.run.chains;
  parts->problem.seed = config.seed;
  add_priors(config, *parts);
  return parts;
}

void write_columns(const PersonalParts& parts, Config& config) {
  if (parts.spec.kind == MixedKind::linear) return;
  config.model.fixed = parts.spec.fixed;
  config.model.random = parts.spec.random;
  config.given.insert({"model.fixed", "model.random"});
}

void start_shared(const PersonalParts& parts, std::uint64_t seed, Index chain, std::span<double> out) {
  std::ranges::fill(out, 0.0);
  if (parts.spec.kind != MixedKind::linear) return;
  const std::size_t k = parts.spec.fixed.size();
  const auto phi = out.first(k * static_cast<std::size_t>(parts.spec.latent));
  normals(make_stream(seed, static_cast<std::uint32_t>(chain), Purpose::init), phi);
  math::scale(1 / std::sqrt(static_cast<double>(k)), phi);
}

namespace {

PersonalSettings personal_settings(const Config& config, const Recipe& recipe) {
  const SamplerConfig& s = config.sampler;
  PersonalSettings out;
  out.kernel = s.kernel == "mala" ? LocalKernel::mala : s.kernel == "hmc" ? LocalKernel::hmc : LocalKernel::langevin;
  out.step = s.step.value_or(0);
  out.local_steps = s.local_steps.value_or(10);
  out.leapfrogs = s.local_leapfrogs;
  out.warm_start = s.warm_start;
  out.population_step = s.population_step.value_or(0);
  out.shared_step = s.shared_step.value_or(0);
  out.decay = s.step_decay;
  out.shared_radius = s.shared_radius.value_or(0);
  out.participation = recipe.participation;
  out.coupled = recipe.coupled;
  out.compressor = recipe.up.compressor;
  out.memory = recipe.up.memory == Memory::average;
  out.memory_rate = recipe.up.rate;
  out.particles = config.population.particles;
  out.averaged_from = *config.run.burn_in;
  return out;
}

BaselineSettings baseline_settings(const Config& config, const Recipe& recipe) {
  const SamplerConfig& s = config.sampler;
  BaselineSettings out;
  out.step = recipe.step;
  out.local_steps = s.local_steps.value_or(10);
  out.server_step = config.reference.server_step.value_or(1);
  out.penalty = s.penalty;
  out.mixture = s.mixture;
  out.adapt_mixture = s.adapt_mixture;
  out.aggregate = s.aggregate;
  out.head_steps = s.head_steps;
  out.inner_step = s.inner_step;
  out.hessian_free = s.hessian_free;
  out.participation = recipe.participation;
  return out;
}

}  // namespace

std::unique_ptr<PersonalEngine> make_personal_engine(const Config& config, const Recipe& recipe,
                                                     const PersonalParts& parts) {
  if (parts.baseline) return make_baseline(recipe.name, parts.problem, baseline_settings(config, recipe));
  return make_fedsouk(parts.problem, personal_settings(config, recipe));
}

}  // namespace pollen
