// Partitions that say which share of each label every client has.
//
// dominant-label (QLSD's deep-learning split, Vono et al. 2022): client i has `dominant` of label i mod C and `other`
// of every other label. label-pairs (FALD's): the clients whose number mod C is y have `dominant` of label y between
// them, the others the rest. classes-per-client (FedPop's, after Collins et al. 2021): every client has S labels, and
// the clients that have a label have equal shares of it.
#pragma once

#include <cstdint>
#include <vector>

#include "partition.h"

namespace pollen::data {

struct Shares {
  std::size_t clients = 0, labels = 0;
  std::vector<double> of;  // clients × labels; a label's shares sum to at most 1

  Shares(std::size_t b, std::size_t c) : clients(b), labels(c), of(b * c, 0.0) {}
  double& at(std::size_t client, std::size_t label) { return of[client * labels + label]; }
  double at(std::size_t client, std::size_t label) const { return of[client * labels + label]; }
  double total(std::size_t label) const;
};

Shares dominant_label(std::size_t clients, std::size_t labels, double dominant, double other);
// A label that no client's number stands for is spread over all; with no others its own clients have all of it.
Shares label_pairs(std::size_t clients, std::size_t labels, double dominant);
// Numbers of clients that have a label differ by at most one. S is at most the number of labels.
Shares classes_per_client(std::size_t clients, std::size_t labels, std::size_t chosen, std::uint64_t seed);

// Random rows of each label, as many as the shares say, rounded up or down. Where a label's shares sum to less than 1,
// its other rows are in no client. A client may be left without rows.
std::vector<Rows> deal(const std::vector<std::uint32_t>& labels, const Shares& shares, std::uint64_t seed);

}  // namespace pollen::data
