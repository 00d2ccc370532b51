// Rules for clients whose rows are in files of their own. Processes that load all files and processes that load some of
// them each must agree on these. All functions are thread-safe.
#pragma once

#include <string>
#include <vector>

#include "pollen/data.h"

namespace pollen {

// Returns the names of the clients: the file's name without folder, .gz and extension, or the whole path if two names
// would be the same.
std::vector<std::string> names_of_files(const std::vector<std::string>& files);

// Returns whether a file is csv, by data.format or by its name.
bool is_csv(const DataSpec& spec, const std::string& path);

// Returns whether two clients have the same columns of the same kinds; their levels may differ.
bool same_columns(const ColumnFacts& a, const ColumnFacts& b);

// Returns the bits that exchanging levels costs, as load_federation() counts them: every client sends its levels and
// receives all levels. Levels that the configuration gives are not exchanged.
std::int64_t level_bits(const std::vector<ColumnFacts>& clients, const ColumnFacts& layout, const DataSpec& spec);

// Returns whether columns are standardised for a model with such a target.
bool standardizes(const DataSpec& spec, TargetKind target);

// Throws ConfigError if columns of `like`, other than its intercept, cannot be standardised. `where` is put before
// their names.
void check_scaling(const ColumnScaling& scaling, const Federation& like, const std::string& where);

// Returns the bits that standardising so many columns costs: every client sends its sums and receives means and scales.
std::int64_t scaling_bits(Index clients, std::size_t columns);

}  // namespace pollen
