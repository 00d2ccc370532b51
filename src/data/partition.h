// Assigns rows to clients. A row goes to one client, or to none if the partition says so. The rows of a client keep the
// file's order. The functions are pure.
//
// iid: a random permutation cut into parts whose sizes differ by at most one. dirichlet: for each label, shares over
// the clients from Dirichlet(alpha) (Hsu et al. 2019; Yurochkin et al. 2019). label-shards: rows sorted by label and
// cut into clients × shards parts, `shards` parts per client (McMahan et al. 2017). by-column: one client per value.
// by-writer: one client per writer in data.writers. given: one client per file. dominant-label, label-pairs and
// classes-per-client: see Shares.
//
// Random numbers have fixed addresses, which are a contract: the purpose is partition; dirichlet's round is the
// attempt; dirichlet and dealing by shares use the label as client; choosing labels has step 1.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "encode.h"
#include "pollen/data.h"
#include "raw_table.h"

namespace pollen::data {

using Rows = std::vector<std::uint32_t>;

struct Clients {
  std::vector<Rows> rows;
  std::vector<std::string> names;
};

// A table whose columns have roles and an encoding, and the configuration that it came from.
struct PartitionInput {
  const RawTable& table;
  const Roles& roles;
  const Encoding& encoding;
  const DataSpec& spec;
  std::uint64_t seed = 0;
  const std::string& where;
};

// Splits the rows. Throws ConfigError if they cannot be split in this way. Adds to `notes`.
Clients partition(const PartitionInput& input, std::vector<std::string>& notes);

// Implements dominant-label, label-pairs and classes-per-client. Throws ConfigError if more than the whole of a label
// is given away or a client has no rows. Adds to `notes`.
std::vector<Rows> by_shares(const PartitionInput& input, std::vector<std::string>& notes);

// Returns the rows of each label, in order. Labels are class indices.
std::vector<Rows> rows_by_label(const std::vector<std::uint32_t>& labels);

// The single partitioners, exposed for tests.
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

// Partitions that are given by each client's share of each label.
//
// dominant-label (Vono et al. 2022, the deep-learning split of QLSD): client i has `dominant` of label i mod C and
// `other` of every other label. label-pairs (FALD): the clients whose number mod C is y share `dominant` of label y,
// and the others share the rest. classes-per-client (FedPop, after Collins et al. 2021): every client has S labels, and
// the clients of a label have equal shares of it.
struct Shares {
  std::size_t clients = 0, labels = 0;
  std::vector<double> of;  // clients × labels; the shares of a label sum to at most 1

  Shares(std::size_t b, std::size_t c) : clients(b), labels(c), of(b * c, 0.0) {}
  double& at(std::size_t client, std::size_t label) { return of[client * labels + label]; }
  double at(std::size_t client, std::size_t label) const { return of[client * labels + label]; }
  double total(std::size_t label) const;
};

Shares dominant_label(std::size_t clients, std::size_t labels, double dominant, double other);
// A label to which no client's number belongs is spread over all clients. If there are no other clients, a label's own
// clients have all of it.
Shares label_pairs(std::size_t clients, std::size_t labels, double dominant);
// The numbers of clients per label differ by at most one. S must not exceed the number of labels.
Shares classes_per_client(std::size_t clients, std::size_t labels, std::size_t chosen, std::uint64_t seed);

// Deals random rows of each label by the shares, rounded up or down. If the shares of a label sum to less than 1, its
// remaining rows go to no client. A client may end up without rows.
std::vector<Rows> deal(const std::vector<std::uint32_t>& labels, const Shares& shares, std::uint64_t seed);

// Returns how many of a client's rows are held out: ⌊f·N_i⌋, but at least one stays for training.
Index held_out(Index rows, double fraction);

struct Holdout {
  std::vector<Rows> train;  // one per client, in the file's order
  std::vector<Rows> test;
};

// Holds out rows for testing within each client. It takes ⌊f·N_i⌋ of a client's N_i rows, each with the same
// probability, and of every label its share rounded up or down, by systematic sampling with a random start over the
// rows sorted by label and shuffled within it. The address of the random numbers is a contract: purpose test_split and
// the client's number. `labels` may be empty, which means one stratum. Every client must have at least one row, and
// keeps at least one for training.
Holdout hold_out(const std::vector<Rows>& clients, const std::vector<std::uint32_t>& labels, double fraction,
                 std::uint64_t seed, std::uint32_t first_client = 0);

}  // namespace pollen::data
