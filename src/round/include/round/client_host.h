// A ClientHost owns the clients of one process and what they share. In a simulation these are all clients of the run;
// in a federation each process has one.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "pollen/round.h"
#include "round/local_work.h"

namespace pollen {

struct HostSetup {
  const Recipe* recipe = nullptr;  // must outlive the host
  const Prior* prior = nullptr;
  Index dimension = 0;
  Index chains = 1;
  Index clients = 1;           // b, the number of clients of the whole federation
  std::uint64_t seed = 1;      // seeds what all clients share: the common noise
  std::uint64_t own_seed = 1;  // seeds minibatches, compressors and the clients' own noise; equals seed in a simulation
  std::uint64_t code_seed = 1;       // seeds what the clients' codes share with the server; equals seed in a simulation
  bool light = false;                // clients cost little to make, so one that was only asked a question is not kept
  const ClientWork* work = nullptr;  // must outlive the host; null: what the recipe says, from the members' potentials
};

// One client of the process.
struct Member {
  std::uint32_t index = 0;  // the client's number in the federation
  std::shared_ptr<const Potential> potential;
  double weight = 1;  // local steps: the client's weight w_i in the average
};

class ClientHost {
 public:
  using MemberAt = std::function<Member(std::size_t place)>;
  ClientHost(const HostSetup& setup, std::size_t clients, MemberAt member);

  ClientView& view() { return view_; }
  Clients& clients() { return clients_; }
  // The clients' compressors, one for all or one per client of the federation.
  const std::vector<std::unique_ptr<const Compressor>>& compressors() const { return compressors_; }
  void archive(Archive& archive);

 private:
  ClientView view_;
  std::vector<std::unique_ptr<const Compressor>> compressors_;
  std::unique_ptr<const Compressor> whole_;
  Clients clients_;
};

// The most steps that a segment may have. It bounds the memory for a segment's common noise, which the clients of one
// process share, whatever K is.
Index longest_segment(Index dimension, Index chains);

// Returns the weights w_i of local steps: a single 1/b for all clients, or N_i/N for each.
std::vector<double> local_weights(const LocalSteps& local, std::span<const Index> sizes);
// Returns one client's weight from such a list; 1 if the list is empty.
inline double weight_in(std::span<const double> weights, std::size_t client) {
  return weights.empty() ? 1 : weights[weights.size() == 1 ? 0 : client];
}

// Whether clients move something with a reply that is counted: the state of local steps, or latents.
inline bool moves_work(const Recipe& recipe) { return recipe.local.has_value() || recipe.personal; }
// Whether clients carry something from one round to the next: that, or a memory. Both sides of a federation must then
// save their state after every round.
// Clients may also learn how to code shorter messages (CodeMemory). They are told which replies were counted then, but
// nobody need save it: after a loss both ends begin anew.
inline bool keeps_state(const Recipe& recipe) { return recipe.up.memory != Memory::none || moves_work(recipe); }
// Whether the clients' codes learn from the messages that were counted.
bool learns(const Recipe& recipe, Index dimension);
}  // namespace pollen
