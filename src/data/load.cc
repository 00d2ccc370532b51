// From files or generators to a Federation: the order of the steps, and nothing else.
#include <fmt/format.h>

#include <limits>
#include <utility>

#include "data/builtin.h"
#include "data/cells.h"
#include "data/encode.h"
#include "data/partition.h"
#include "data/phrases.h"
#include "data/roles.h"
#include "data/sources.h"
#include "data/tables.h"
#include "data/test_split.h"
#include "pollen/data.h"
#include "pollen/errors.h"

namespace pollen {

namespace {

// What the source and the model decide: a model without a target (gaussian) takes its rows as they are.
DataSpec settled(DataSpec spec, TargetKind target) {
  spec = with_defaults(std::move(spec));
  if (target == TargetKind::none) {
    spec.standardize = false;
    spec.intercept = false;
    spec.test_fraction = 0.0;
  }
  const std::string source = spec.sources.empty() ? "" : spec.sources.front();
  if (source == "synthetic-logistic") {
    spec.target = "label";
    spec.levels = {{"label", {"0", "1"}}};
  }
  if (source == "synthetic-mixed") spec.target = data::kMixedTarget;
  return spec;
}

Index missing_cells(const data::RawTable& table, const data::Roles& roles) {
  Index count = 0;
  for (const std::size_t c : roles.features)
    for (std::size_t r = 0; r < table.rows.size(); ++r) count += table.columns[c].missing(r) ? 1 : 0;
  return count;
}

}  // namespace

Federation load_federation(const DataSpec& asked, TargetKind target, std::uint64_t seed, const std::string& where) {
  const DataSpec spec = settled(asked, target);
  const bool intercept = *spec.intercept;
  data::check_spec(spec, target, where);
  data::RawTable table = data::read_sources(spec, seed, where);
  if (table.rows.size() >= std::numeric_limits<std::uint32_t>::max())
    throw ConfigError(table.files.front(), fmt::format("found {} rows, accepted: below 2^32", table.rows.size()));
  Federation federation;
  const data::Roles roles = data::assign_roles(table, spec, target, where);
  data::settle_cells(table, roles, spec, federation.notes);
  data::check_target(table, roles, target);
  const data::Encoding encoding = data::encode(table, roles, spec, target);
  if (encoding.width == 0 && !intercept)
    throw ConfigError(table.files.front(), "found no features, accepted: at least one column besides the target");

  data::Clients clients = data::partition({table, roles, encoding, spec, seed, where}, federation.notes);
  federation.client_names = std::move(clients.names);
  federation.class_names = encoding.classes.names;
  federation.setup_bits = federation.level_bits = data::exchange_bits(encoding, clients.rows);
  const data::Holdout holdout = data::hold_out(clients.rows, encoding.classes.of_row, spec.test_fraction, seed);
  data::fill_tables(table, encoding, holdout, intercept, federation);

  federation.encoder = data::encoder_of(table, roles, encoding);
  const Index first = intercept ? 1 : 0;
  const std::string source = data::listed(table.files, 3);
  if (const Index missing = missing_cells(table, roles); missing > 0) {
    data::impute_means(first, source, federation);
    federation.notes.push_back(fmt::format("{}: {} missing cells took their column's mean", source, missing));
  }
  if (*spec.standardize) data::standardize(first, source, federation);
  return federation;
}

}  // namespace pollen
