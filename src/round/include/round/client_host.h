// The clients of one process and what they share: all of them in a simulation, one in a federation.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/lazy_vector.h"
#include "pollen/round.h"

namespace pollen {

struct HostSetup {
  const Recipe* recipe = nullptr;  // outlives the host; its step may change until the first iteration
  const Prior* prior = nullptr;
  Index dimension = 0;
  Index chains = 1;
  Index clients = 1;           // b, of the whole federation
  std::uint64_t seed = 1;      // of what all clients share: the common noise
  std::uint64_t own_seed = 1;  // of minibatches, compressors and the clients' own noise; the same in a simulation
  bool light = false;          // clients cost little to make: those who were asked but never took part are not kept
  const ClientWork* work = nullptr;  // outlives the host; null: what the recipe says, of the members' potentials
};

struct Member {
  std::uint32_t index = 0;  // in the federation
  std::shared_ptr<const Potential> potential;
  double weight = 1;  // local steps: w_i
};

class Clients : public LazyVector<Client> {
 public:
  Clients(std::size_t count, Make make, bool light = false) : LazyVector(count, std::move(make)), light_(light) {}
  bool light() const { return light_; }
  void archive(Archive& archive);

 private:
  bool light_;
};

class ClientHost {
 public:
  using MemberAt = std::function<Member(std::size_t place)>;
  ClientHost(const HostSetup& setup, std::size_t clients, MemberAt member);

  ClientView& view() { return view_; }
  Clients& clients() { return clients_; }
  void archive(Archive& archive);

 private:
  ClientView view_;
  std::vector<std::unique_ptr<const Compressor>> compressors_;  // as compressors_of() has them
  std::unique_ptr<const Compressor> whole_;
  Clients clients_;
};

// Clients of one process share the segment's common noise, which must not grow with K: no segment has more steps than
// this.
Index longest_segment(Index dimension, Index chains);

// w_i: 1/b of all clients, or N_i/N of each.
std::vector<double> local_weights(const LocalSteps& local, std::span<const Index> sizes);
// Of one client; 1 without any.
inline double weight_in(std::span<const double> weights, std::size_t client) {
  return weights.empty() ? 1 : weights[weights.size() == 1 ? 0 : client];
}

// What clients send with: one for all, or one a client.
std::vector<std::unique_ptr<const Compressor>> compressors_of(const Recipe& recipe, Index dimension);

}  // namespace pollen
