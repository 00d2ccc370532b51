// Small groups of rows (data.min_cell): no number that a client sends stands for fewer of its training rows than this.
// A client decides by its own rows alone, so that clients which read their own files do what one that reads all files
// does for each of them. The functions are pure.
//
// A level of a text column is too rare at a client if fewer rows than that have it there, or do not have it, or have it
// or not together with one label. It then counts as "other", if all such levels together are not too rare, and else as
// the level that most rows have there. A number that is too rare in the same sense counts as the commonest one there.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "encode.h"
#include "partition.h"
#include "pollen/data.h"

namespace pollen::data {

// The rows of all clients with their labels, and where messages are about.
struct RowsOfClients {
  const Holdout& rows;
  std::span<const std::uint32_t> labels;  // one per row of the table; empty if the target has no classes
  const std::vector<std::string>& label_names;
  const ClientNames& clients;
  const std::string& where;
};

// Throws ConfigError if a client has a label in some, but too few, of its training rows.
void check_labels(const RowsOfClients& all, Index least);

// Pools the levels of all text columns, and adds a note for every column that it changes. `encoding` is laid out anew.
void pool_levels(const RawTable& table, const RowsOfClients& all, const DataSpec& spec, Encoding& encoding,
                 std::vector<std::string>& notes);

// Pools the numbers of all columns of the training rows that are not indicators of levels, in place.
void pool_numbers(const Encoding& encoding, const DataSpec& spec, Federation& federation);

}  // namespace pollen::data
