#include <fmt/format.h>

#include <algorithm>

#include "data/phrases.h"
#include "encode.h"
#include "pollen/errors.h"

namespace pollen::data {

namespace {

class RoleFinder {
 public:
  RoleFinder(const RawTable& table, const DataSpec& spec, const std::string& where)
      : table_(table), spec_(spec), where_(where), names_(table.column_names()) {}

  Roles find(TargetKind target) {
    Roles roles;
    if (target != TargetKind::none) roles.target = target_column();
    if (spec_.partition == "by-writer") roles.client = table_.find(kWriter);
    if (spec_.partition == "by-column") roles.client = column("column", spec_.column);
    if (roles.client >= 0 && roles.client == roles.target)
      problems_.add(key(where_, "column"),
                    fmt::format("found the target {}, accepted: another column", in_quotes(spec_.column)));
    for (const std::string& name : spec_.categorical) column("categorical", name);
    for (const auto& [name, levels] : spec_.levels) check_levels(name, levels);
    check_exclude();
    find_features(roles);
    problems_.raise();
    return roles;
  }

 private:
  bool in_block() const { return !table_.blocks.empty(); }

  Index column(const std::string& name, const std::string& found) {
    const Index at = table_.find(found);
    if (at < 0) problems_.add(key(where_, name), unknown_name(found, names_));
    return at;
  }

  Index target_column() {
    if (!spec_.target.empty()) return column("target", spec_.target);
    return in_block() ? 0 : static_cast<Index>(table_.columns.size()) - 1;
  }

  void check_levels(const std::string& name, const std::vector<std::string>& levels) {
    if (column("levels", name) >= 0 && levels.empty())
      problems_.add(key(where_, "levels." + name), "found none, accepted: at least one level");
  }

  // A file has a column of data.exclude, or it is one of several, of which another may have it.
  void check_exclude() {
    std::vector<std::string> all = names_;
    all.insert(all.end(), table_.excluded.begin(), table_.excluded.end());
    for (const std::string& name : spec_.exclude) {
      if (in_block())
        problems_.add(key(where_, "exclude"), "found names for a format without columns, accepted: with csv only");
      else if (std::ranges::count(table_.excluded, name) == 0 && !spec_.one_of_several)
        problems_.add(key(where_, "exclude"), unknown_name(name, all));
      if (in_block()) return;
    }
  }

  void find_features(Roles& roles) {
    if (in_block()) {
      if (!spec_.features.empty())
        problems_.add(key(where_, "features"), "found names for a format without columns, accepted: with csv only");
      return;
    }
    for (const std::string& name : spec_.features) {
      const Index at = column("features", name);
      if (at >= 0 && (at == roles.target || at == roles.client))
        problems_.add(key(where_, "features"),
                      fmt::format("found {}, which is the {}, accepted: other columns", in_quotes(name),
                                  at == roles.target ? "target" : "clients' column"));
      else if (at >= 0 && std::count(roles.features.begin(), roles.features.end(), static_cast<std::size_t>(at)) > 0)
        problems_.add(key(where_, "features"), fmt::format("found {} twice, accepted: once", in_quotes(name)));
      else if (at >= 0)
        roles.features.push_back(static_cast<std::size_t>(at));
    }
    if (!spec_.features.empty()) return;
    for (std::size_t c = 0; c < names_.size(); ++c)
      if (static_cast<Index>(c) != roles.target && static_cast<Index>(c) != roles.client) roles.features.push_back(c);
  }

  const RawTable& table_;
  const DataSpec& spec_;
  const std::string& where_;
  std::vector<std::string> names_;
  Problems problems_;
};

}  // namespace

std::vector<std::size_t> Roles::used() const {
  std::vector<std::size_t> columns = features;
  if (target >= 0) columns.push_back(static_cast<std::size_t>(target));
  if (client >= 0) columns.push_back(static_cast<std::size_t>(client));
  std::sort(columns.begin(), columns.end());
  return columns;
}

Roles assign_roles(const RawTable& table, const DataSpec& spec, TargetKind target, const std::string& where) {
  return RoleFinder(table, spec, where).find(target);
}

}  // namespace pollen::data
