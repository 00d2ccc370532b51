// Partitions that are given by each client's share of each label. The functions are pure.
//
// dominant-label (Vono et al. 2022, the deep-learning split of QLSD): client i has `dominant` of label i mod C and
// `other` of every other label. label-pairs (FALD): the clients whose number mod C is y share `dominant` of label y,
// and the others share the rest. classes-per-client (FedPop, after Collins et al. 2021): every client has S labels, and
// the clients of a label have equal shares of it.
#pragma once

#include <cstdint>
#include <vector>

#include "partition.h"

namespace pollen::data {

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

}  // namespace pollen::data
