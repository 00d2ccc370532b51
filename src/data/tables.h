// The last steps of loading: dense tables, imputed and standardised with sums that clients send once, and the cost of
// sending them in bits.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "encode.h"
#include "partition.h"
#include "pollen/data.h"

namespace pollen::data {

// Returns so many zeros in writable memory, in which a table is built: on the heap, or in the file of a new store.
using TableMemory = std::function<Numbers(std::size_t count)>;
inline Numbers heap_memory(std::size_t count) { return Numbers(count); }

// What tables are filled from, and where their memory comes from.
struct Filling {
  const RawTable& raw;
  const Encoding& encoding;
  bool intercept = false;  // if true, `encoding` begins at column 1
  const TableMemory& memory;
};

// Fills train, test, train_begin, test_begin and feature_names of the federation.
void fill_tables(const Filling& filling, const Holdout& holdout, Federation& federation);

// Fills one table with all rows in their order.
void fill_table(const Filling& filling, Table& out);

// Replaces missing numbers (NaN) of all columns but the intercept by the pooled mean of the training rows. Each client
// sends a count and a sum per column and receives the mean per column. Throws ConfigError for a column without values.
void impute_means(const std::string& where, Federation& federation);

// Leaves out the columns that are constant (data.constant) and standardises the others (data.standardize) of all tables
// to (x - mean)/sd with the pooled mean and sd (divisor N) of the training rows. Client i sends n_i, S_i = Σx and
// Q_i = Σ(x - S_i/n_i)², taken about its own mean so that nothing cancels; mean = ΣS_i/N and N·sd² = Σ(Q_i +
// n_i (S_i/n_i - mean)²), in client order (Chan et al. 1979). Each client sends 1 + 2p doubles and receives two per
// column that is scaled or left out. Throws ConfigError if the squares overflow. `spec` has its defaults.
void settle_columns(const std::string& where, const DataSpec& spec, Federation& federation);
// Returns what is odd about single clients' levels and labels, if each client is a site of its own: it has a file, or a
// value of a column.
bool are_sites(const DataSpec& spec, Index clients);
std::vector<std::string> site_notes(const PartitionInput& input, const Clients& clients);

// Adds to the scaling of data whose columns are settled already what the spec asks for: the target's mean and standard
// deviation, and those of columns that are not standardised.
void add_moments(const DataSpec& spec, Federation& federation);

// Removes columns from a table in place. `places` are rising and count from column `first`.
void leave_out(const std::vector<std::int64_t>& places, Index first, Table& table);

// Returns the bits of sending one level: its bytes and one more.
std::int64_t bits_of_level(const std::string& name);

// Returns the bits of exchanging levels and labels that were not given. Each client sends those it has and receives the
// union. A single client exchanges nothing.
std::int64_t exchange_bits(const Encoding& encoding, const std::vector<Rows>& clients);

// Reads the rows of data.test_source, data.ood_source and data.distill_source, which have files of their own, into
// `test`, `ood` and `distill` of the federation, whose intercept must be decided. They are encoded like the
// training rows, with the same columns, levels and labels; anything that the training rows do not know is a ConfigError
// that names the file. The rows are not yet imputed or
// standardised, and no test row belongs to a client. Returns the number of missing cells and adds to the federation's
// notes.
Index add_given_rows(const PartitionInput& trained, TargetKind target, const TableMemory& memory,
                     Federation& federation);

// Counts missing numbers in the columns that are features.
Index missing_cells(const RawTable& table, const Roles& roles);

}  // namespace pollen::data
