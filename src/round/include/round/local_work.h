// A LocalWork is what a client computes when it takes part in a round: an estimate of its gradient, a segment of local
// steps, or (in src/personal) a Markov chain for its own latents or the training of its own model. Compression, memory
// and counting are the same for all of them and belong to Client. A LocalWork is used by one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "pollen/oracle.h"
#include "pollen/round.h"
#include "pollen/types.h"

namespace pollen {

// A question about a client's part of a model with latents. Answers are added up over clients.
struct LatentQuestion {
  enum class About {
    pooled,       // U_i and its derivatives by (φ, z), with `at` = (φ, z)
    information,  // the mean over chains of ∂²U_i/∂φ² at the client's present latents, with `at` = (φ, β)
    observed,     // the client's part of the information that the data have about `at` = (φ, β)
  } about = About::pooled;
  std::span<const double> at;
  std::uint64_t round = 0;  // information: clients that have not taken part yet draw their latents as in this round
  Index draws = 0;          // observed: the number of effective draws of z that the answer is made from
};

// The work of one client, together with the state that it keeps from round to round.
class LocalWork {
 public:
  virtual ~LocalWork() = default;

  // Writes the client's message for chain reply.chains[p], before memory and compressor, to column p of `out`, and sets
  // reply.gradients. If the reply is silent, `out` is not used. The state moves only in commit(); until then the same
  // question gets the same answer.
  virtual void compute(const ClientView& view, Reply& reply, const PanelView& out, Workspace& work) = 0;
  // Moves the state, because the server has counted the reply.
  virtual void commit(const Reply&) {}

  // Is told where the whole models of all chains start, before the first round.
  virtual void start(ConstPanelView) {}
  // Returns the client's position in a chain.
  virtual std::span<const double> position(const ClientView& view, Index chain) const;
  // Fixed point: keeps θ̂ and the gradient of the client's likelihood there.
  virtual void set_anchor(std::span<const double> at, std::span<const double> gradient);
  // Writes the client's own latents in all chains, one chain after another. In chains in which the client has not taken
  // part yet they are drawn, given the server's `position` and `round`.
  virtual void latents(ConstPanelView position, std::uint64_t round, std::span<double> out) const;
  // Writes the client's answer to `out`, whose size says Query::What in pollen/transport.h.
  virtual void look(const LatentQuestion& question, PanelView out, Workspace& work) const;

  virtual void archive(Archive& archive) = 0;
  virtual void archive_pending(Archive&) {}  // saves or loads the state to which the next commit() moves
};

// Makes the clients' work if the recipe does not determine it. All messages have `dimension` numbers.
struct ClientWork {
  Index dimension = 0;
  std::function<std::unique_ptr<LocalWork>(std::uint32_t client)> make;
  Index latents = 0;  // the numbers per chain that LocalWork::latents() writes
  // If this is above 0, a model has so many coordinates, and those of the server, `shown` from `first` on, are the
  // first numbers of its state. All others are the first latents of every client.
  Index whole = 0;
  Index first = 0, shown = 0;
};

}  // namespace pollen
