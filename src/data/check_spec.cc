// The defaults of [data] that depend on the source or the partition, and the checks of all its keys.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "builtin.h"
#include "data/phrases.h"
#include "data/registries.h"
#include "encode.h"
#include "pollen/errors.h"
#include "sources.h"

namespace pollen {

// Returns the spec with defaults. synthetic-mixed is neither standardised nor given an intercept, because either would
// change the law that the data are drawn from. Images keep constant columns, because a pixel has its place.
DataSpec with_defaults(DataSpec spec) {
  const bool mixed = !spec.sources.empty() && spec.sources.front() == "synthetic-mixed";
  spec.standardize = spec.standardize.value_or(!mixed);
  spec.intercept = spec.intercept.value_or(!mixed);
  const bool images = !spec.sources.empty() && data::holds_images(spec, spec.sources.front());
  spec.constant = spec.constant.value_or(images || mixed ? "keep" : "drop");
  spec.heterogeneity = spec.heterogeneity.value_or(mixed ? 1.0 : 5.0);
  // Whether data.partition splits the rows.
  const bool split = spec.sources.empty() || !data::is_synthetic(spec.sources.front());
  const bool pairs = split && spec.partition == "label-pairs";
  const bool dominant = split && spec.partition == "dominant-label";
  const bool writers = split && spec.partition == "by-writer";
  // Both papers that use these partitions have 20 clients.
  if (!writers) spec.clients = spec.clients.value_or(pairs || dominant ? 20 : 10);
  spec.dominant_share = spec.dominant_share.value_or(pairs ? 0.8 : 0.4);
  return spec;
}

std::vector<std::string*> named_files(DataSpec& spec) {
  return {&spec.labels, &spec.writers, &spec.test_source, &spec.test_labels, &spec.ood_source, &spec.distill_source};
}

namespace data {

namespace {

class Checker {
 public:
  explicit Checker(const std::string& where) : where_(where) {}

  void one_of(const std::string& name, const std::string& found, const std::vector<std::string>& accepted) {
    if (std::ranges::count(accepted, found) == 0) add(name, unknown_name(found, accepted));
  }
  template <class T>
  void in_range(const std::string& name, T found, bool right, const std::string& accepted) {
    if (!right) problems_.add(key(where_, name), fmt::format("found {}, accepted: {}", found, accepted));
  }
  void add(const std::string& name, std::string what) { problems_.add(key(where_, name), std::move(what)); }
  void raise() const { problems_.raise(); }

 private:
  const std::string& where_;
  Problems problems_;
};

constexpr Index kMostClients = 100'000'000;

void check_sources(const DataSpec& spec, TargetKind target, Checker& check) {
  if (spec.sources.size() > 1 && spec.partition != "given")
    check.add("source",
              fmt::format("found {} files, accepted: one, or data.partition = \"given\" for one file per client",
                          spec.sources.size()));
  if (spec.sources.size() > 1 && !spec.labels.empty())
    check.add("labels", fmt::format("found one file of labels for {} sources, accepted: none (the labels are found by "
                                    "the names of the images), or one source",
                                    spec.sources.size()));
  for (const std::string& source : spec.sources) {
    if (is_builtin(source) && (spec.sources.size() > 1 || (spec.partition == "given" && !is_synthetic(source))))
      check.add("source", fmt::format("found \"{}\" with partition \"given\", accepted: one file per client", source));
    if (source == "synthetic-gaussian" && target != TargetKind::none)
      check.add("source",
                "found \"synthetic-gaussian\", which has no target, accepted: with model.kind = \"gaussian\"");
    if (source == "synthetic-logistic" && target == TargetKind::none)
      check.add("source",
                "found \"synthetic-logistic\" with a model without a target, accepted: with logistic or softmax");
    if (source == "synthetic-mixed" && target != TargetKind::real)
      check.add("source",
                "found \"synthetic-mixed\", whose target is a number, accepted: with mixed-linear, mixed-gaussian or "
                "linear");
  }
  std::vector<std::string> formats;
  for (const DataFormat& format : data_formats())
    if (format.read != nullptr) formats.push_back(format.name);
  if (!spec.format.empty()) check.one_of("format", spec.format, formats);
}

void check_given_rows(const DataSpec& spec, TargetKind target, Checker& check) {
  if (!spec.test_labels.empty() && spec.test_source.empty())
    check.add("test_labels", "found without data.test_source, accepted: the labels of its images");
  if (!spec.test_source.empty() && target == TargetKind::none)
    check.add("test_source", "found with a model without a target, accepted: with models that predict");
  for (const auto& [key, path] :
       {std::pair("ood_source", &spec.ood_source), std::pair("distill_source", &spec.distill_source)})
    if (!path->empty() && !has_classes(target))
      check.add(key, "found with a model that has no classes, accepted: with logistic or softmax");
}

// Checks that no column is both excluded and used.
void check_exclude(const DataSpec& spec, Checker& check) {
  const auto use = [&](const std::string& column, const std::string& where) {
    if (std::ranges::count(spec.exclude, column) > 0)
      check.add("exclude", fmt::format("found {}, which data.{} names, too; accepted: columns that nothing else uses",
                                       in_quotes(column), where));
  };
  use(spec.target, "target");
  use(spec.column, "column");
  for (const std::string& name : spec.features) use(name, "features");
  for (const std::string& name : spec.categorical) use(name, "categorical");
  for (const auto& [name, levels] : spec.levels) use(name, "levels");
}

void check_partition(const DataSpec& spec, Checker& check) {
  check.one_of("partition", spec.partition, partitions().names());
  if (spec.partition != "by-column" && spec.partition != "given" && spec.clients)
    check.in_range("clients", *spec.clients, *spec.clients >= 1 && *spec.clients <= kMostClients,
                   fmt::format("1 to {}", kMostClients));
  if (spec.partition == "dirichlet")
    check.in_range("dirichlet_alpha", spec.dirichlet_alpha,
                   std::isfinite(spec.dirichlet_alpha) && spec.dirichlet_alpha > 0.0, "a number above 0");
  if (spec.partition == "label-shards")
    check.in_range("shards", spec.shards, spec.shards >= 1 && spec.shards <= kMostClients, "1 or more");
  if (spec.partition == "by-column" && spec.column.empty())
    check.add("column", "found none, accepted: the column whose values are the clients");
  if (spec.partition == "by-writer" && spec.writers.empty())
    check.add("writers", "found none, accepted: the file of the writers, such as qmnist-train-labels-idx2-int.gz");
  if (spec.partition == "by-writer" && is_builtin(spec.sources.front()))
    check.add("partition", fmt::format("found \"by-writer\" for {}, accepted: with idx images", spec.sources.front()));
  check.in_range("least_rows", spec.least_rows, spec.least_rows >= 1, "1 or more");
  check.in_range("classes_per_client", spec.classes_per_client, spec.classes_per_client >= 1, "1 or more");
  const auto share = [](double value) { return value >= 0.0 && value <= 1.0; };
  check.in_range("dominant_share", *spec.dominant_share, share(*spec.dominant_share), "0 to 1");
  check.in_range("other_share", spec.other_share, share(spec.other_share), "0 to 1");
}

void check_synthetic(const DataSpec& spec, Checker& check) {
  const auto spread = [](double value) { return std::isfinite(value) && value >= 0.0; };
  check.in_range("clients", *spec.clients, *spec.clients >= 1 && *spec.clients <= kMostClients,
                 fmt::format("1 to {}", kMostClients));
  check.in_range("dimension", spec.dimension, spec.dimension >= 1 && spec.dimension <= 1'000'000, "1 to 1000000");
  check.in_range("min_size", spec.min_size, spec.min_size >= 1, "1 or more");
  check.in_range("max_size", spec.max_size, spec.max_size >= spec.min_size && spec.max_size <= 1'000'000'000,
                 "min_size to 1000000000");
  check.in_range("heterogeneity", *spec.heterogeneity, spread(*spec.heterogeneity), "a number, 0 or above");
  check.in_range("alpha", spec.alpha, spread(spec.alpha), "a number, 0 or above");
  check.in_range("beta", spec.beta, spread(spec.beta), "a number, 0 or above");
  if (spec.sources.front() != "synthetic-mixed") return;
  check.in_range("latent_dimension", spec.latent_dimension,
                 spec.latent_dimension >= 1 && spec.latent_dimension <= spec.dimension, "1 to data.dimension");
  check.in_range("noise_sd", spec.noise_sd, spread(spec.noise_sd), "a number, 0 or above");
  check.in_range("small_share", spec.small_share, spec.small_share >= 0.0 && spec.small_share <= 1.0, "0 to 1");
}

}  // namespace

void check_spec(const DataSpec& spec, TargetKind target, const std::string& where) {
  Checker check(where);
  if (spec.sources.empty() || spec.sources.front().empty())
    check.add("source", fmt::format("found none, accepted: a file, or one of {}", listed(builtin_datasets())));
  check_sources(spec, target, check);
  check_given_rows(spec, target, check);
  check_exclude(spec, check);
  if (!spec.sources.empty() && is_synthetic(spec.sources.front()))
    check_synthetic(spec, check);
  else if (!spec.sources.empty())
    check_partition(spec, check);
  check.one_of("missing", spec.missing, {"error", "drop", "mean"});
  check.one_of("constant", *spec.constant, {"drop", "error", "keep"});
  check.in_range("test_fraction", spec.test_fraction, spec.test_fraction >= 0.0 && spec.test_fraction < 1.0,
                 "0 or above and below 1");
  check.in_range("limit", spec.limit, spec.limit >= 0, "a number of rows, or 0 for all");
  check.raise();
}

}  // namespace data

}  // namespace pollen
