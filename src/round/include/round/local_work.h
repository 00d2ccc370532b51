// What a client computes when it takes part in a round: an estimate of its gradient, a segment of local steps, or (in
// src/personal) a Markov chain for latents of its own. Channel, memory and counting are the same for all of them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "pollen/oracle.h"
#include "pollen/types.h"

namespace pollen {

class Archive;
class ClientView;
struct Reply;

// The work of one client, with what it keeps from round to round.
class LocalWork {
 public:
  virtual ~LocalWork() = default;

  // Column p of `out` becomes what the client has to say for chain reply.chains[p], before memory and compressor;
  // reply.gradients is set. A silent reply has nothing to say. What is kept moves only in commit(), so that the same
  // question gets the same answer until then.
  virtual void compute(const ClientView& view, Reply& reply, const PanelView& out, Workspace& work) = 0;
  // The server has counted the reply.
  virtual void commit(const Reply&) {}

  // Where the client stands in a chain.
  virtual std::span<const double> position(const ClientView& view, Index chain) const;
  // The fixed point's θ̂ and the gradient of the client's likelihood there.
  virtual void set_anchor(std::span<const double> at, std::span<const double> gradient);
  // The client's own latents in all chains, one chain after another, as the server's `position` and `round` have them
  // where the client has not taken part yet.
  virtual void latents(ConstPanelView position, std::uint64_t round, std::span<double> out) const;

  virtual void archive(Archive& archive) = 0;
  virtual void archive_pending(Archive&) {}  // what the next commit() will move to
};

// How clients get work that is not the recipe's own: all messages have `dimension` numbers.
struct ClientWork {
  Index dimension = 0;
  std::function<std::unique_ptr<LocalWork>(std::uint32_t client)> make;
};

}  // namespace pollen
