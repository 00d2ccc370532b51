// Something that carries a round between server and clients: threads here; gRPC and MPI are others.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "pollen/round.h"
#include "round/client_host.h"

namespace pollen {

// Questions outside sampling: mode finding, constants, lp__. The answer is the sum over clients, in client order in
// blocks, or a column a client.
struct Query {
  enum class What {
    value,         // U_i(θ_c):               1 × R
    gradient,      // ∇ of what client i owns: d × R
    curvature,     // B_i v at `at`:           d × 1
    anchor,        // the gradient at θ̂, which the client keeps as its fixed point
    start_memory,  // the gradient at θ_0, which the client keeps as its memory
    bounds,  // λ_max and λ_min of the client's curvature at `at`, its share of the prior included: 2 × b, column i
    rows,  // of the client's rows at `at`: 4 × b, column i: ‖∇ of what it owns‖², Σ_j‖∇U_ij‖², ‖Σ_j ∇U_ij‖², λ_max
    local,    // w_i times where the client's local steps have come: d × R
    descent,  // N_i/n times the gradient of n of client i's rows, without prior: d × R
    latents,  // client i's own latents in every chain, where the server is at `at`: column i; never over a wire
  } what = What::gradient;
  ConstPanelView at;
  ConstPanelView direction;  // curvature: v
  std::uint64_t step = 0;    // descent: below kSteps; every step, client and chain has rows of its own. latents: the
                             // round at which those who have had none draw some
  Index batch = 1;           // descent: n, or N_i where that is less
  static constexpr std::uint64_t kSteps = std::uint64_t{1} << 43;

  // Not a sum: a column per client; of the first clients where there are fewer columns.
  static constexpr bool by_client(What what) {
    return what == What::bounds || what == What::rows || what == What::latents;
  }
};

class Transport {
 public:
  virtual ~Transport() = default;
  // Carries the open round to its participants and gives every reply to server.absorb, in client order within a block.
  virtual void exchange(Server& server) = 0;
  virtual void query(const Query& query, PanelView sum) = 0;
  // Those who carry rounds, for what server and view do between them.
  virtual Team team() { return {}; }
  // Once "auto" has picked a step, for clients that are not of this process.
  virtual void recipe_changed(const Recipe&) {}
  // What must be known after a restart, beyond the server's and the fleet's own state.
  virtual void archive(Archive&) {}
  // The state of clients that are not of this process, where its saved state has them: after those of this one.
  virtual void archive_others(Archive&) {}
};

// Clients of single chains answer so many at a time, so that none waits for another's norm; with long vectors each goes
// through all its passes by itself, in the cache.
inline constexpr std::size_t kTogether = 8;
std::size_t answer_together(const ClientView& view);

// One client's answer to a query, overwriting; `anchor` and `start_memory` leave their mark in the client.
void answer(Client& client, const ClientView& view, const Query& query, PanelView out, Workspace& work);

// Of one of several. Light ones that only look are not kept for it.
void answer(Clients& clients, std::size_t place, const ClientView& view, const Query& query, PanelView out,
            Workspace& work);

// Clients in this process, on `threads` threads (this one included). Errors of clients name round and client.
std::unique_ptr<Transport> make_thread_transport(ClientView& view, Clients& clients, int threads);

}  // namespace pollen
