#include "run/problem.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/column_handshake.h"
#include "gaussian_clients.h"
#include "network/network.h"
#include "network_model.h"
#include "own_files.h"
#include "personal/baselines.h"
#include "pollen/errors.h"
#include "priors.h"

namespace pollen {

namespace {

void count_rows(StatisticalProblem& problem) {
  for (Index i = 0; i < problem.data.clients(); ++i) problem.rows.push_back(problem.data.train_rows(i));
}

// Adds the potentials of the clients `own`, whose rows `problem` holds. `clients` is the number of clients in the whole
// federation.
void add_potentials(const Config& config, Index clients, const ClientRange& own, StatisticalProblem& problem) {
  const Federation& data = problem.data;
  const double b = config.model.likelihood == "mean" ? static_cast<double>(clients) : 0;
  problem.first = own.first;
  count_rows(problem);
  // This memory, like that of the rows, stays where it is when the problem is moved.
  const Index* const begin = data.train_begin.data() + own.first;
  const RowsView x = data.train.view();
  const double* const y = data.train.y.data();
  const Index min_cell = config.data.min_cell;
  const bool mapped = data.train.x.is_mapped();
  const auto rows_of = [begin, x, y, min_cell, mapped](std::size_t i) {
    const Index first = begin[i] - begin[0];
    return Observations{x.slice(first, begin[i + 1] - begin[i]), y == nullptr ? nullptr : y + first, min_cell, mapped};
  };
  for (std::size_t i = 0; i < static_cast<std::size_t>(own.size()); ++i) check_targets(problem.model, rows_of(i));
  problem.potentials = Potentials(
      static_cast<std::size_t>(own.size()),
      [b, rows_of, model = problem.model](std::size_t i) {
        const Observations rows = rows_of(i);
        const double scale = b == 0 ? 1 : 1 / (b * static_cast<double>(rows.x.rows));
        return make_potential(model, rows, scale);
      },
      !problem.model.is_network());
}

StatisticalProblem without_data(const Config& config) {
  StatisticalProblem problem;
  problem.model.family = &model_family(config.model.kind);
  problem.model.noise_sd = config.model.noise_sd;
  return problem;
}

void take_columns(const Config& config, StatisticalProblem& problem) {
  problem.model.features = problem.data.train.columns;
  problem.model.feature_names = problem.data.feature_names;
  problem.model.class_names = problem.data.class_names;
  problem.model.classes = std::max<Index>(2, static_cast<Index>(problem.data.class_names.size()));
  if (is_network(config)) add_network(config, problem.model);
}

// Keeps only the training rows of this rank's clients. Rank 0 also keeps the rows that belong to no client.
void keep_own(const ClientRange& own, bool first_rank, Federation& data) {
  const Index first = data.train_begin[static_cast<std::size_t>(own.first)];
  data.train = data.train.part(first, data.train_begin[static_cast<std::size_t>(own.last)] - first);
  if (!first_rank) data.test = data.ood = data.distill = {};
}

ClientRange own_clients(const Config& config, const StatisticalProblem& problem, const Ranks* ranks, Index clients) {
  if (ranks == nullptr) return {0, clients};
  return client_range(ranks->rank(), ranks->size(), clients, kept_numbers(config, problem.dimension()));
}

// Keeps only the potentials of this rank's clients, for clients in [[client]] tables, which every rank reads.
void keep_own(const ClientRange& own, StatisticalProblem& problem) {
  problem.potentials =
      problem.potentials.part(static_cast<std::size_t>(own.first), static_cast<std::size_t>(own.size()));
  problem.first = own.first;
}

void add_own_potentials(const Config& config, const Ranks* ranks, StatisticalProblem& problem) {
  const Index clients = problem.data.clients();
  const ClientRange own = own_clients(config, problem, ranks, clients);
  if (ranks != nullptr && !reads_own_files(config)) keep_own(own, ranks->rank() == 0, problem.data);
  add_potentials(config, clients, own, problem);
}

// Gives a mixed-effects model clients whose rows are elsewhere: of the clients of a federation, or of a run whose data
// are not needed to predict for a new client.
StatisticalProblem without_rows(StatisticalProblem problem, const std::vector<SiteFacts>& sites) {
  Federation& data = problem.data;
  data.feature_names = problem.model.feature_names;
  data.class_names = problem.model.class_names;
  data.train.columns = data.test.columns = problem.model.features;
  data.train.stride = data.test.stride = padded(problem.model.features);
  data.train_begin = {0};
  for (const SiteFacts& site : sites) data.train_begin.push_back(data.train_begin.back() + site.rows);
  data.test_begin.assign(data.train_begin.size(), 0);
  data.client_names = ClientNames(sites.size());
  return problem;
}

}  // namespace

SiteFacts facts_of(const StatisticalProblem& problem, std::size_t client) {
  const ModelSpec& model = problem.model;
  return {model.features,      model.classes,        model.feature_names,
          model.class_names,   problem.rows[client], problem.curvature_is_bound,
          problem.data.scaling};
}

StatisticalProblem make_given_problem(const Posterior& posterior) {
  if (posterior.clients.empty())
    throw ConfigError("Posterior::clients", "found none, accepted: one or more potentials");
  StatisticalProblem problem;
  const Index d = posterior.clients.front()->dimension();
  const auto check = [d](const char* what, std::size_t found, bool may_be_empty) {
    if (static_cast<Index>(found) != d && !(may_be_empty && found == 0))
      throw ConfigError(what, fmt::format("found {} coordinates, accepted: {}, as the first client has", found, d));
  };
  check("Posterior::prior", posterior.prior.precision.size(), true);
  check("Posterior::labels", posterior.labels.size(), true);
  problem.model.features = d;
  problem.model.feature_names = posterior.labels;
  problem.prior = posterior.prior;
  problem.curvature_is_bound = true;
  for (const auto& client : posterior.clients) {
    check("Posterior::clients", static_cast<std::size_t>(client->dimension()), false);
    problem.rows.push_back(client->rows());
    problem.curvature_is_bound = problem.curvature_is_bound && client->curvature_is_bound();
  }
  problem.potentials = Potentials({posterior.clients.begin(), posterior.clients.end()});
  problem.data.client_names = ClientNames(posterior.clients.size());
  return problem;
}

StatisticalProblem make_remote_problem(const Config& config, const std::vector<SiteFacts>& sites) {
  StatisticalProblem problem = without_data(config);
  const SiteFacts& first = sites.front();
  problem.model.features = first.features;
  problem.model.classes = first.classes;
  problem.model.feature_names = first.feature_names;
  problem.model.class_names = first.class_names;
  problem.curvature_is_bound = first.curvature_is_bound;
  if (is_network(config)) add_network(config, problem.model);
  problem.data.scaling = first.scaling;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    if (!same_columns(sites[i], first))
      throw ConfigError(fmt::format("client {}", i + 1),
                        fmt::format("found {} features where client 1 has {}, or other names or classes; accepted: "
                                    "the same for all clients",
                                    sites[i].features, first.features));
    problem.rows.push_back(sites[i].rows);
    problem.shows_curvature = problem.shows_curvature && sites[i].shows_curvature;
  }
  problem.data.intercept = target_of(config) != TargetKind::none && *with_defaults(config.data).intercept;
  if (is_mixed(config)) return without_rows(std::move(problem), sites);
  set_prior(config, problem);
  return problem;
}

StatisticalProblem make_own_problem(const Config& config, Federation data, Index clients) {
  StatisticalProblem problem = without_data(config);
  problem.data = std::move(data);
  take_columns(config, problem);
  if (is_mixed(config)) {
    count_rows(problem);
    return problem;
  }
  add_potentials(config, clients, {0, problem.data.clients()}, problem);
  set_prior(config, problem);
  problem.curvature_is_bound = problem.potentials[0]->curvature_is_bound();
  return problem;
}

// Centred columns move the intercept. They need one that is free to move: it must exist, and no prior and no bound may
// hold it. A population that is not normal, or whose coordinates share numbers or bounds, is tied to the units of the
// random columns.
DataSpec data_spec(const Config& config) {
  DataSpec spec = config.data;
  const bool coefficients = config.model.kind == "mixed-gaussian" || config.model.kind == "mixed-logistic";
  if (!coefficients || find_baseline(config.sampler.name) != nullptr) return spec;
  const ModelConfig& model = config.model;
  const PopulationConfig& population = config.population;
  const std::string intercept = "intercept";
  spec.keep_origin = model.random.empty() ? std::vector<std::string>{intercept} : model.random;
  const bool normal = population.prior == "normal", vector = population.mean.value_or("vector") == "vector";
  const bool bounded =
      population.least_sd || population.mean_radius || population.most_sd != PopulationConfig().most_sd;
  if (!normal || !vector || bounded || population.spread.value_or("vector") != "vector")
    spec.keep_scale = spec.keep_origin;
  const bool random = std::ranges::count(spec.keep_origin, intercept) > 0;
  const bool fixed = !config.given.contains("model.fixed") || std::ranges::count(model.fixed, intercept) > 0;
  const bool held = random ? !normal || !vector || population.mean_prior_sd || population.mean_radius
                           : model.prior != "flat" &&
                                 (config.given.contains("model.prior") || config.given.contains("model.prior_sd"));
  spec.centred = with_defaults(spec).intercept.value_or(false) && (random || fixed) && !held;
  return spec;
}

TargetKind target_of(const Config& config) {
  if (is_network(config) && config.model.task == "regression") return TargetKind::real;
  return model_family(config.model.kind).target({});
}

StatisticalProblem make_problem(const Config& config, Ranks* ranks) {
  StatisticalProblem problem = without_data(config);
  const bool gaussian = config.model.kind == "gaussian";
  const bool written_out = gaussian && std::ranges::any_of(config.clients, [](const ClientConfig& c) {
                             return !c.mean.empty() || !c.data.empty() || !c.precision.empty();
                           });
  if (written_out && !config.data.sources.empty())
    throw ConfigError(config.file + ": data.source",
                      "the clients are written out as [[client]]; accepted: one of the two");
  if (written_out) {
    add_gaussian_clients(config, problem);
  } else {
    if (config.data.sources.empty())
      throw ConfigError(
          config.file + ": data.source",
          gaussian ? "needed: a source, or the clients written out as [[client]] with mean and precision or data"
                   : "needed: a built-in name (see pollen list datasets) or a path");
    if (is_mixed(config) && !config.data.test_source.empty())
      throw ConfigError(config.file + ": data.test_source",
                        fmt::format("found with the model {}, whose predictions are each client's own, accepted: "
                                    "data.test_fraction",
                                    config.model.kind));
    problem.data = ranks != nullptr && reads_own_files(config)
                       ? load_own_files(config, target_of(config), *ranks)
                       : load_federation(data_spec(config), target_of(config), config.seed, config.file);
    take_columns(config, problem);
    if (!is_mixed(config)) add_own_potentials(config, ranks, problem);
  }
  if (is_mixed(config)) {
    count_rows(problem);
    return problem;
  }
  set_prior(config, problem);
  if (!problem.potentials.empty()) problem.curvature_is_bound = problem.potentials[0]->curvature_is_bound();
  if (ranks != nullptr && written_out) keep_own(own_clients(config, problem, ranks, problem.clients()), problem);
  if (static_cast<Index>(config.clients.size()) > problem.clients())
    throw ConfigError(config.file + ": client",
                      fmt::format("found {} [[client]] tables, accepted: at most {}, the number of clients",
                                  config.clients.size(), problem.clients()));
  return problem;
}

}  // namespace pollen
