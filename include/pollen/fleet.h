// The clients of one process and what they share: all of them in a simulation, one in a federation.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "pollen/round.h"

namespace pollen {

struct FleetSetup {
  const Recipe* recipe = nullptr;  // outlives the fleet; its step may change until the first iteration
  const Prior* prior = nullptr;
  Index dimension = 0;
  Index chains = 1;
  Index clients = 1;           // b, of the whole federation
  std::uint64_t seed = 1;      // of what all clients share: the common noise
  std::uint64_t own_seed = 1;  // of minibatches, compressors and the clients' own noise; the same in a simulation
};

struct Member {
  std::uint32_t index = 0;  // in the federation
  const Potential* potential = nullptr;
  double weight = 1;  // local steps: w_i
};

class Fleet {
 public:
  Fleet(const FleetSetup& setup, std::span<const Member> members);

  Station& station() { return station_; }
  std::vector<Client>& clients() { return clients_; }
  void archive(Archive& archive);

 private:
  Station station_;
  std::vector<std::unique_ptr<const Compressor>> compressors_;  // as compressors_of() has them
  std::unique_ptr<const Compressor> whole_;
  std::vector<Client> clients_;
};

// Clients of one process share the leg's common noise, which must not grow with K: no leg has more steps than this.
Index longest_leg(Index dimension, Index chains);

// w_i of every client: 1/b, or N_i/N.
std::vector<double> local_weights(const LocalSteps& local, std::span<const Index> sizes);

// What clients send with: one for all, or one a client.
std::vector<std::unique_ptr<const Compressor>> compressors_of(const Recipe& recipe, Index dimension);

}  // namespace pollen
