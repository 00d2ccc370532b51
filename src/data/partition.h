// Rows to clients. A row goes to one client, or to none where the partition says so; rows of a client keep the file's
// order.
//
// iid: a random permutation cut into parts whose sizes differ by at most one. dirichlet: for each label, shares over
// the clients from Dirichlet(alpha) (Hsu et al. 2019; Yurochkin et al. 2019). label-shards: rows sorted by label, cut
// into clients × shards, `shards` of them a client (McMahan et al. 2017). by-column: a client for each value.
// by-writer: a client for each writer of data.writers. given: one a file. dominant-label, label-pairs and
// classes-per-client: shares.h. Addresses (a contract): purpose partition; dirichlet's round is the attempt; dirichlet
// and dealing by shares have the label as client; choosing labels has step 1.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "encode.h"
#include "pollen/data.h"
#include "raw_table.h"
#include "roles.h"

namespace pollen::data {

using Rows = std::vector<std::uint32_t>;

struct Clients {
  std::vector<Rows> rows;
  std::vector<std::string> names;
};

struct PartitionInput {
  const RawTable& table;
  const Roles& roles;
  const Encoding& encoding;
  const DataSpec& spec;
  std::uint64_t seed = 0;
  const std::string& where;
};

// Throws ConfigError where the rows cannot be split so. Adds to `notes`.
Clients partition(const PartitionInput& input, std::vector<std::string>& notes);

// by-column and by-writer: clients with fewer than data.least_rows rows are left out, and by-writer keeps the first
// data.clients of the others. Adds to `notes`.
Clients by_value(const PartitionInput& input, std::vector<std::string>& notes);
// dominant-label, label-pairs and classes-per-client. Throws ConfigError where a label is given away more than once or
// a client has no rows. Adds to `notes`.
std::vector<Rows> by_shares(const PartitionInput& input, std::vector<std::string>& notes);

// The rows of each label, in order. Labels are class indices.
std::vector<Rows> rows_by_label(const std::vector<std::uint32_t>& labels);

// The parts, for tests.
std::vector<Rows> split_iid(std::uint32_t rows, std::uint32_t clients, std::uint64_t seed);
std::vector<Rows> split_shards(const std::vector<std::uint32_t>& labels, std::uint32_t clients, std::uint32_t shards,
                               std::uint64_t seed);

struct DirichletSplit {
  std::vector<Rows> clients;
  int redraws = 0;
  std::size_t moved = 0;  // rows taken from the largest client after the last redraw
};
struct DirichletOptions {
  std::uint32_t clients = 10;
  double alpha = 1.0;
  int most_redraws = 100;
};
DirichletSplit split_dirichlet(const std::vector<std::uint32_t>& labels, const DirichletOptions& options,
                               std::uint64_t seed);

}  // namespace pollen::data
