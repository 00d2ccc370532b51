// The last steps: dense tables, imputed and standardised with numbers that clients send once, and what that costs.
#pragma once

#include <string>
#include <vector>

#include "encode.h"
#include "pollen/data.h"
#include "table_memory.h"
#include "test_split.h"

namespace pollen::data {

// What tables are filled from, and where their numbers shall lie.
struct Filling {
  const RawTable& raw;
  const Encoding& encoding;
  bool intercept = false;  // then places of `encoding` begin at column 1
  TableMemory& memory;
};

// Fills train, test, train_begin, test_begin, feature_names.
void fill_tables(const Filling& filling, const Holdout& holdout, Federation& federation);

// All rows, in their order.
void fill_table(const Filling& filling, Table& out);

// All but the scaling, which standardize() adds.
Encoder encoder_of(const RawTable& table, const Roles& roles, const Encoding& encoding);

// Missing numbers (NaN) of columns first, first + 1, ... become the pooled mean of the training rows' values. Up: a
// count and a sum for each column from each client; down: the mean of each. Throws ConfigError for a column without
// values.
void impute_means(Index first, const std::string& where, Federation& federation);

// Columns first, first + 1, ... of all tables become (x - mean)/sd with the pooled mean and sd (divisor N) of the
// training rows; a constant column is left alone. Client i sends n_i, S_i = Σx and Q_i = Σ(x - S_i/n_i)², about its own
// mean so that nothing cancels; mean = ΣS_i/N, N·sd² = Σ(Q_i + n_i (S_i/n_i - mean)²), in client order (Chan et al.
// 1979). Up: 1 + 2p doubles a client; down: 2p to each. Throws ConfigError where the squares overflow.
void standardize(Index first, const std::string& where, Federation& federation);

// The bits of exchanging levels and labels that were not given: each client sends those it has, receives the union; a
// level is its bytes and one more. Nothing with one client.
std::int64_t exchange_bits(const Encoding& encoding, const std::vector<Rows>& clients);

}  // namespace pollen::data
