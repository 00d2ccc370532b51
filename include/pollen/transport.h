// A Transport carries rounds and queries between the server and the clients. This header declares the interface and the
// transport that uses threads of this process; others use gRPC or MPI. A transport is called from one thread.
//
//   class Mine : public pollen::Transport {
//     void exchange(pollen::Server& server) override;                            // carries a round
//     void query(const pollen::Query& query, pollen::PanelView sum) override;    // adds up the clients' answers
//   };
//
// To use your own transport, give it to a run as RunOptions::transport (examples/library/transport.cc).
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "pollen/round.h"

namespace pollen {

// A question to all clients outside sampling, for finding the mode, for constants of a plan and for lp__. The answer is
// either a sum over clients, taken in blocks and in client order, or a matrix with one column per client.
struct Query {
  enum class What {
    value,         // 1 × R: U_i(θ_c)
    gradient,      // d × R: the gradient of what client i owns
    curvature,     // d × 1: B_i v at `at`
    anchor,        // d × 1: the gradient at θ̂, which the client keeps as its fixed point
    start_memory,  // d × R: the gradient at θ_0, which the client keeps as its memory
    bounds,        // 2 × b: λ_max and λ_min of each client's curvature at `at`, its share of the prior included
    rows,          // 4 × b: for each client the four numbers of Client::look_at_rows() at `at`
    local,         // d × R: w_i times the position that the client's local steps have reached
    descent,       // d × R: N_i/n times the gradient of n of client i's rows, without prior
    latents,  // one column per client: its own latents in every chain if the server is at `at`; never sent over a wire
    start,    // 1 × 1, zero: the client keeps its own part of the models that start at `at`; never sent over a wire
    hessian,  // d(d+1)/2 × 1: the lower half of ∇²U_i(at), column by column; d × 1: its diagonal. Likelihood alone, in
              // single precision
    coordinates,  // 1 × 1, zero: from now on clients work in ψ, where θ = at + Aψ and A is `direction`: its upper half
                  // as d(d+1)/2 × 1, column by column, or a diagonal as d × 1; without columns they work in θ. It is
                  // asked before everything that clients keep.
    noise,  // NoiseQuestion::numbers(d) × 1: what Client::noise() answers at the mode `at`
    // Models with latents (LatentQuestion in round/local_work.h), for the start, the steps and the errors of (φ, β):
    pooled,       // (k+d) × (k+d+2) at (φ, z): the gradient, the Hessian, and the value in the last column
    information,  // k × k at (φ, β): the mean over chains of the Hessian by φ at the client's present latents
    // D × (D+1) at (φ, β): the client's part of the observed information, from at least `batch` draws of z, and of the
    // gradient of the log-likelihood
    observed,
    potential_gradient,  // (d+1) × m: ∇U_i(θ_c) and below it U_i(θ_c), of the likelihood alone, for the chains of nuts,
                         // hmc and mala that need them; where U_i is not finite, neither is the answer
    // At the end of a federation, K × 1: sums of scores over the client's own test rows, as sink/score_sums.h has them:
    // of the predictive that is averaged over the states `at`, one column each, as they are reported. A client without
    // test rows answers with zeros. It is asked over a wire only.
    scores,
  } what = What::gradient;
  ConstPanelView at;
  ConstPanelView direction;  // curvature: v; coordinates: A; noise: d directions
  // descent: the number of the step, below kSteps; every step, client and chain draws its own rows. latents: the round
  // with which clients that have not taken part yet draw their latents. noise: NoiseQuestion::packed().
  std::uint64_t step = 0;
  // descent: n; clients with fewer rows use all of them. observed: the number of effective draws.
  Index batch = 1;
  static constexpr std::uint64_t kSteps = std::uint64_t{1} << 43;
  bool spares = false;   // whether a federation leaves out clients that do not answer in time
  bool settled = false;  // potential_gradient: whether the burn-in is over
  // The clients that are asked, in ascending order; the others add nothing to the sum. Without any, all are asked.
  std::span<const std::uint32_t> who = {};

  bool asks(std::uint32_t client) const { return who.empty() || std::ranges::binary_search(who, client); }

  // Whether the answer has one column per client instead of being a sum. With fewer columns than clients, the first
  // clients answer.
  static constexpr bool by_client(What what) {
    return what == What::bounds || what == What::rows || what == What::latents;
  }
};

// To use your own transport, derive from this class. A transport that answers queries itself, by answer(), must give
// the view what Query::What::coordinates tells (coordinates_told()).
class Transport {
 public:
  virtual ~Transport() = default;
  // Carries the open round to its participants and gives every reply to server.absorb(), in client order within a
  // block.
  virtual void exchange(Server& server) = 0;
  // Lets all clients answer a question and writes the sum, or the columns, of their answers to `sum`.
  virtual void query(const Query& query, PanelView sum) = 0;
  // Called with an error to which the answers to questions have led; `fell` says that it is a potential that fell as
  // none does. A transport that knows which client's answers cannot be throws another error that names it; otherwise
  // nothing happens.
  virtual void blame(const NumericError& /*error*/, bool /*fell*/) {}
  // The threads that carry rounds. Server and view use them for their own work between exchanges.
  virtual Team team() { return {}; }
  // Saves or loads what the transport must know after a restart, and the state of clients of other processes if this
  // process saves it. It follows the state of this process's clients, who save their own.
  virtual void archive(Archive&) {}
};

// Makes the transport of a run from its view and its clients.
using MakeTransport = std::function<std::unique_ptr<Transport>(ClientView& view, Clients& clients)>;

// How many clients answer side by side. Several do if each works for a single chain, so that the norm of one vector is
// computed while others are encoded. With long vectors each client answers alone, because its vector then stays in the
// cache.
inline constexpr std::size_t kTogether = 8;
std::size_t answer_together(const ClientView& view);

// Writes one client's answer to a query to `out`. `anchor` and `start_memory` also change what the client keeps.
void answer(Client& client, const ClientView& view, const Query& query, PanelView out, Workspace& work);

// Writes the answer of the client at `place`. A light client that has not taken part is not kept for a question that
// leaves it unchanged.
void answer(Clients& clients, std::size_t place, const ClientView& view, const Query& query, PanelView out,
            Workspace& work);

// Returns the coordinates that a query tells, or null if clients are to work in θ. A transport gives them to its view.
std::shared_ptr<const Coordinates> coordinates_told(const Query& query);

// Makes a transport for clients of this process, on `threads` threads including the caller's. Errors of clients name
// the round and the client.
std::unique_ptr<Transport> make_thread_transport(ClientView& view, Clients& clients, int threads);

}  // namespace pollen
