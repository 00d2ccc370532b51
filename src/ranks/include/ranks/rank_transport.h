// Carries rounds and questions over ranks (docs/cluster.md): the transport of rank 0, where the server is, and the loop
// in which the other ranks answer. One thread per process uses these functions.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "pollen/transport.h"
#include "ranks/ranks.h"

namespace pollen {

// The part of a federation that one rank has.
struct RankShare {
  ClientRange own;    // the clients of this rank
  Index clients = 0;  // the number of clients of all ranks
  Index numbers = 0;  // how many numbers a decoded reply has, d × R; the same value as for client_range()
  int threads = 1;
};

// Makes the transport of rank 0. It reaches rank 0's own clients and those of the other ranks, which must be in
// serve().
std::unique_ptr<Transport> make_rank_transport(Ranks& ranks, ClientView& view, Clients& clients,
                                               const RankShare& share);

// What a rank other than 0 needs to answer rank 0.
struct RankDuties {
  // Follows rank 0's server; its blocks are where replies are added up. Null if a run has questions alone.
  Server* server = nullptr;
  ClientView* view = nullptr;
  Clients* clients = nullptr;
  RankShare share;
};
// Answers rank 0 until it ends the work.
void serve(Ranks& ranks, const RankDuties& duties);

// Is thrown at ranks other than 0 if rank 0 ends the work during set-up.
struct RanksEnded {};
// These are called during set-up, by all ranks together.
std::vector<Bytes> gather(Ranks& ranks, Bytes mine);  // returns all ranks' bytes, in order, at rank 0; else nothing
Bytes share(Ranks& ranks, Bytes of_rank_zero);        // returns rank 0's bytes at every rank
void say_bye(Ranks& ranks);                           // the last frame to rank 0 after RanksEnded

// A rank ends its set-up with one frame to rank 0, which says that it is ready or what went wrong. The fingerprint
// covers configuration and data and must be the same at all ranks.
void say_ready(Ranks& ranks, std::uint64_t fingerprint);
void say_failed(Ranks& ranks);                              // to be called in a catch block
void await_ready(Ranks& ranks, std::uint64_t fingerprint);  // at rank 0; throws what went wrong at another rank

}  // namespace pollen
