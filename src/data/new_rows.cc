// Rows that come after training, encoded as the training rows were.
#include <fmt/format.h>

#include <algorithm>

#include "data/tables.h"
#include "pollen/errors.h"

namespace pollen {

namespace data {

Encoder encoder_of(const RawTable& table, const Roles& roles, const Encoding& encoding) {
  Encoder out;
  if (table.blocks.empty())
    for (const Feature& feature : encoding.features) {
      const std::string& name = table.columns[feature.column].name;
      out.columns.push_back(name);
      if (feature.text) out.levels[name] = feature.levels.names;
    }
  if (roles.target >= 0) out.target = table.columns[static_cast<std::size_t>(roles.target)].name;
  if (roles.target >= 0 && !encoding.classes.names.empty()) out.levels[out.target] = encoding.classes.names;
  return out;
}

}  // namespace data

namespace {

// The columns of `from` in the order of `names`, scaled; an intercept is a column of ones.
Table arrange(const Federation& from, const Federation& trained, const std::string& file) {
  Table out;
  out.rows = from.train.rows;
  out.columns = trained.train.columns;
  out.stride = trained.train.stride;
  out.y = from.train.y;
  out.x.assign(static_cast<std::size_t>(out.rows * out.stride), 0.0);
  const auto& names = from.feature_names;
  const std::size_t skip = static_cast<std::size_t>(trained.train.columns) - trained.encoder.mean.size();
  for (std::size_t j = 0; j < trained.feature_names.size(); ++j) {
    const std::string& name = trained.feature_names[j];
    const auto at = std::ranges::find(names, name);
    if (at == names.end() && name != "intercept")
      throw ConfigError(file, fmt::format("found no column for {}, which the run was trained with", name));
    const bool scaled = !trained.encoder.mean.empty() && j >= skip;
    for (Index r = 0; r < out.rows; ++r) {
      double x = at == names.end() ? 1.0 : from.train.view().row(r)[at - names.begin()];
      if (scaled) x = (x - trained.encoder.mean[j - skip]) / trained.encoder.sd[j - skip];
      out.x[static_cast<std::size_t>(r * out.stride) + j] = x;
    }
  }
  return out;
}

}  // namespace

Table load_rows(const std::string& file, const DataSpec& spec, const Federation& trained, TargetKind target) {
  if (trained.encoder.columns.empty())
    throw ConfigError(file, "found a run whose data have no named columns, accepted: runs on csv data or titanic");
  if (target != TargetKind::none && !spec.positive.empty())
    throw ConfigError(file, "found a run with data.positive, with which later rows cannot have a target");
  DataSpec later;
  later.sources = {file};
  later.format = "csv";
  later.header = spec.header;
  later.features = trained.encoder.columns;
  later.levels = trained.encoder.levels;
  later.categorical = spec.categorical;
  later.target = trained.encoder.target;
  if (target == TargetKind::none) later.levels.erase(trained.encoder.target);
  std::erase_if(later.categorical, [&](const std::string& name) {
    return std::ranges::count(later.features, name) == 0 && name != later.target;
  });
  if (target == TargetKind::none) std::erase(later.categorical, trained.encoder.target);
  later.standardize = false;
  later.intercept = false;
  later.test_fraction = 0;
  later.clients = 1;
  return arrange(load_federation(later, target, 1, file), trained, file);
}

}  // namespace pollen
