// Clients whose rows are in files of their own: what those agree on who load them all, and those who load some each.
#pragma once

#include <string>
#include <vector>

#include "pollen/data.h"

namespace pollen {

// The file's name without folder, .gz and extension, or the whole path where two of them would be alike.
std::vector<std::string> names_of_files(const std::vector<std::string>& files);

// By data.format, or by its name.
bool is_csv(const DataSpec& spec, const std::string& path);

// Whether two clients have the same columns and the same kinds of them, whatever their levels.
bool same_columns(const ColumnFacts& a, const ColumnFacts& b);

// What exchanging levels costs, as load_federation() counts it: everybody's levels up, all levels down to everybody.
// Levels that the configuration gives are not exchanged.
std::int64_t level_bits(const std::vector<ColumnFacts>& clients, const ColumnFacts& layout, const DataSpec& spec);

// Whether columns are standardized for a model with such a target.
bool standardizes(const DataSpec& spec, TargetKind target);

// ConfigError where columns of `like`, behind its intercept, cannot be standardized. `where`: before their names.
void check_scaling(const ColumnScaling& scaling, const Federation& like, const std::string& where);

// Counted for so many columns: everybody's sums up, means and scales down to everybody.
std::int64_t scaling_bits(Index clients, std::size_t columns);

}  // namespace pollen
