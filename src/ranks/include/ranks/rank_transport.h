// Rounds and questions over ranks: the server's end, and that of the other ranks.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "pollen/transport.h"
#include "ranks/ranks.h"

namespace pollen {

// What a rank has of a federation.
struct RankShare {
  ClientRange own;
  Index clients = 0;  // of all ranks
  Index numbers = 0;  // of a reply, decoded: d × R; as client_range() was told
  int threads = 1;
};

// At rank 0, over its own clients and those of the other ranks, which are in serve().
std::unique_ptr<Transport> make_rank_transport(Ranks& ranks, ClientView& view, Clients& clients,
                                               const RankShare& share);

// What the other ranks can be asked to do.
struct RankDuties {
  Server* server = nullptr;  // a follower: its blocks are where replies are added up
  ClientView* view = nullptr;
  Clients* clients = nullptr;
  RankShare share;
  std::function<void(double step, double smoothness, double convexity)> set_step = {};  // what "auto" picked
  std::function<void(Archive&)> archive = {};                                           // what this rank's clients know
};
void serve(Ranks& ranks, const RankDuties& duties);  // until rank 0 lets go

// Set-up, by all ranks together. Thrown at ranks other than 0 where rank 0 lets go in the middle of it.
struct RanksEnded {};
std::vector<Bytes> gather(Ranks& ranks, Bytes mine);  // at rank 0 every rank's, in order; elsewhere nothing
Bytes share(Ranks& ranks, Bytes of_rank_zero);        // to all
void say_bye(Ranks& ranks);                           // after RanksEnded

// The last frame of a rank's set-up to rank 0: nothing went wrong, and this is what it has; or what went wrong.
// Fingerprints are of configuration and data.
void say_ready(Ranks& ranks, std::uint64_t fingerprint);
void say_failed(Ranks& ranks);                              // in a catch block
void await_ready(Ranks& ranks, std::uint64_t fingerprint);  // at rank 0; throws what went wrong there

// At rank 0. States come in the order of ranks, which is that of clients.
std::vector<Bytes> fetch_states(Ranks& ranks);                       // as `archive` writes them
void spread_states(Ranks& ranks, const std::vector<Bytes>& states);  // one a rank but 0, as `archive` reads them

}  // namespace pollen
