// The fields of the messages that list theirs outside their declarations.
#include "wire/messages.h"

#include <fmt/format.h>

#include "pollen/errors.h"

namespace pollen::wire {

namespace {

void index(Archive& a, Index& value) {
  std::int64_t wide = value;
  a.field(wide);
  if (wide < 0) throw WireError(fmt::format("message: found the count {}, accepted: 0 or more", wide));
  value = static_cast<Index>(wide);
}

void facts(Archive& a, ColumnFacts& f) {
  a.fields(f.columns, f.target);
  index(a, f.width);
  std::vector<std::string> names;
  for (const auto& [name, levels] : f.levels) names.push_back(name);
  a.texts(names);
  if (a.reading()) f.levels.clear();
  for (const std::string& name : names) a.texts(f.levels[name]);
}

}  // namespace

void Columns::archive(Archive& a) { wire::facts(a, facts); }
void Layout::archive(Archive& a) { wire::facts(a, facts); }

void Site::archive(Archive& a) {
  index(a, facts.features);
  index(a, facts.classes);
  a.fields(facts.feature_names, facts.class_names);
  index(a, facts.rows);
  a.flag(facts.curvature_is_bound);
  ColumnScaling& s = facts.scaling;
  a.fields(s.mean, s.sd, s.target, s.raw_mean, s.raw_sd, facts.shows_curvature);
  index(a, facts.imputed);
}

void Answer::archive(Archive& a) {
  a.fields(number, single);
  a.panel(values, single);
}

// A question about observed information has a number of draws and no step.
Ask Ask::of(const Query& query, ConstPanelView answer) {
  return {0,
          static_cast<std::uint8_t>(query.what),
          copy_of(query.at),
          copy_of(query.direction),
          answer.rows,
          answer.columns,
          query.what == Query::What::observed ? static_cast<std::uint64_t>(query.batch) : query.step};
}

Query Ask::query(Index batch) const {
  const auto kind = static_cast<Query::What>(what);
  if (kind == Query::What::observed) return {kind, at, direction, 0, static_cast<Index>(step)};
  return {kind, at, direction, step, batch};
}

}  // namespace pollen::wire
