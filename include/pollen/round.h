// One round of federated sampling: the server's half (Server), the clients' half (Client) and the messages between them
// (Broadcast, Reply). This is the algorithm alone, without clocks, threads or networks; a Transport carries the
// messages.
//
//   server.open();                                   // draws the participants and encodes the broadcast
//   view.receive(server.broadcast(), work);          // once per process: updates what its clients know
//   client.answer(view, chains, reply, work);        // computes the client's message and compresses it
//   server.absorb(reply, entry, work);               // adds the reply to the sum of the client's block
//   client.acknowledge(reply, true);                 // only now the client's memory moves
//   server.close();                                  // moves the chains, e.g. θ ← θ - γ g + √(2γT) Z
//
// Replies of one block are absorbed in client order; different blocks may be absorbed on different threads. The size of
// a block depends on the number of clients alone, so results depend neither on threads nor on the order of arrival.
// The recursions are those of docs/algorithms.md, sections 4 to 6.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "pollen/client.h"
#include "pollen/errors.h"

namespace pollen {

// A reply so large, or not even a number, that the round is given up before the chains move.
class AbsurdReply : public NumericError {
 public:
  AbsurdReply(double size, double largest, std::uint64_t round, std::uint32_t client);
  double size, largest;  // of this reply, and of all replies since burn-in ended
  std::uint32_t client;
};

class AverageStep;
class BlockSums;
class LangevinStep;
class ParticipationDraw;
class ServerStep;
class TrafficLog;

// The server of a federation: it opens rounds, adds up replies and moves the chains. Replies of different blocks may be
// absorbed on different threads; all other functions are called from one thread, unless they say otherwise.
class Server {
 public:
  struct Setup {
    std::uint64_t seed = 1;
    Index dimension = 0;
    Index chains = 1;
    std::vector<Index> sizes;                    // N_i
    std::vector<const Compressor*> compressors;  // one per client, or one for all
    std::vector<double> weights = {};            // local steps: w_i, one per client or one for all
    // From this iteration on, a reply whose largest number is more than kAbsurd times the largest that came since then
    // is refused by an AbsurdReply, unless its client is one of those that are believed (sorted).
    std::int64_t judge_from = std::numeric_limits<std::int64_t>::max();
    std::vector<std::uint32_t> believed = {};
  };
  static constexpr double kAbsurd = 1e6;
  Server(const Recipe& recipe, const Prior& prior, Setup setup);  // makes the step that the recipe names
  Server(const Recipe& recipe, const Prior& prior, Setup setup, std::unique_ptr<ServerStep> step);
  ~Server();

  // These are called before the first round.
  void start(ConstPanelView position);
  void set_anchor_gradient(std::span<const double> sum);  // fixed point: Σ ∇U_i(θ̂), docs/algorithms.md section 1
  void start_memory(ConstPanelView sum);
  void share_work(Team team);             // divides work over the team, chain by chain
  void listen(TrafficListener listener);  // the listener is told of every exchange

  // Begins a round: draws the participants and makes the broadcast. With local steps the round is a segment of at most
  // `most` iterations.
  void open(std::int64_t most = 1);
  const Broadcast& broadcast() const { return broadcast_; }
  void start_over();  // forgets all replies that were absorbed since open()
  // Joins a round that the server has opened in another process; this one adds up replies of some of the clients. The
  // broadcast comes without its roster, which is drawn here again.
  void follow(const Broadcast& broadcast);
  // Saves or loads what a block has absorbed so far, to carry it from process to process.
  void archive_block(Index block, Archive& archive);
  // Drops clients that did not answer in time; the open round goes on as if they had not been drawn. `clients` is
  // sorted, and the call comes before any absorb(). It is not allowed if weights are inverse probabilities or clients
  // are drawn with replacement.
  void leave_out(std::span<const std::uint32_t> clients);
  // What a reply has told besides its numbers.
  struct Absorbed {
    double largest = 0;  // the absolute value of the largest number
    CodeMemory coded;    // the memory that the client's code moves to
  };
  // Adds a reply to the sum of its client's block. Replies of one block come in client order.
  Absorbed absorb(const Reply& reply, const Roster::Entry& entry, Workspace& work);
  // Absorbs replies of one block, in client order. The sums are those of absorb(); replies for a single chain each are
  // decoded together, which is faster.
  void absorb_all(std::span<const Reply> replies, std::span<const Roster::Entry> entries, Workspace& work);
  // Takes the sum of a block's replies for one chain, if it was computed elsewhere in client order and all clients have
  // equal weights. Different chains may be absorbed on different threads.
  void absorb_sum(Index block, Index chain, std::span<const double> sum);
  // Counts the message of a client whose reply is part of an absorb_sum().
  struct Sent {
    std::uint32_t client = 0;
    std::int64_t bits = 0, gradients = 0;
  };
  void count(const Sent& sent);
  // Draws the noise of close() in advance, while a transport waits for replies.
  void draw_noise();
  // Ends the round: adds up the blocks and moves the chains. NumericError if a position is not finite or explodes.
  void close();

  Index blocks() const;  // replies are added up in so many blocks of consecutive clients
  // The roster entries of a block, as the range [first, last).
  std::pair<std::size_t, std::size_t> block_entries(Index block) const;

  // The next four functions are for local steps. averaged() says whether position() is that of the last iteration.
  bool averaged() const;
  bool refresh_due() const;
  // Makes new control variates from the positions of this iteration. They act from the iteration after next on.
  void refresh(ConstPanelView anchor, ConstPanelView gradient_sum);
  void start_control(ConstPanelView anchor, ConstPanelView gradient_sum);  // before the first iteration

  ConstPanelView position() const { return position_; }
  std::uint64_t round() const { return round_; }
  std::int64_t iteration() const;
  const Counters& counters() const { return counters_; }
  Counters& counters() { return counters_; }
  const Recipe& recipe() const { return recipe_; }
  void archive(Archive& archive);

 private:
  // The largest number that a client has sent in a round.
  struct Largest {
    double size = 0;
    std::uint32_t client = 0;
  };
  // A memory that starts at the gradient makes the first messages nearly zero, so that they are no measure of others.
  static constexpr std::int64_t kUnmeasured = 2;
  bool measures() const { return iteration() >= setup_.judge_from; }
  bool judges() const { return measures() && iteration() - setup_.judge_from >= kUnmeasured; }
  void judge(std::uint32_t client, double size);
  void keep_largest();
  Absorbed absorb_joined(const Reply& reply, const Roster::Entry& entry, Workspace& work);
  CodeMemory decode_joined(const Reply& reply, Compressor::Role role, std::span<const double> weights, PanelView out,
                           Workspace& work) const;
  void absorb_references(const Reply& reply, std::span<const double> weights, Workspace& work);
  void absorb_singles(std::span<const Reply> replies, std::span<const Roster::Entry> entries, Workspace& work);
  void count_part(const Reply& reply, std::size_t part, Counters& counters) const;
  void absorb_part(const Reply& reply, const Roster::Entry& entry, std::size_t part, std::span<const double> delta);
  Counters& counters_of(std::uint32_t client);  // of the client's block
  void draw_participants();
  void count_present();
  void encode_broadcast();
  void count_downlink();
  void count_payloads();
  void log_answer(const Reply& reply);
  void log_refresh();
  // WireError unless the reply answers the open round for this entry's client and chains.
  void check_answers(const Reply& reply, const Roster::Entry& entry) const;
  std::size_t channel_of(std::uint32_t client) const { return bits_bound_.size() == 1 ? 0 : client; }
  const Compressor& compressor_of(const Reply& reply) const;
  void merge_blocks();
  void each_chain(const Team::Work& work) const { team_.over_chains(setup_.chains, setup_.dimension, work); }
  void encode_whole();
  void choose_step(const Prior& prior);
  void move_chain(Index chain, int member);
  bool adds_plainly() const;
  Index clients() const { return static_cast<Index>(setup_.sizes.size()); }
  void check_position(double largest, Index chain) const;
  bool first_round_whole() const { return round_ == 0 && recipe_.up.memory == Memory::feedback; }

  Recipe recipe_;
  Setup setup_;
  std::unique_ptr<ParticipationDraw> participation_;
  std::unique_ptr<const Compressor> whole_, down_;
  std::vector<double> bits_bound_;  // one per compressor of the setup
  std::vector<Stream> compress_;
  Panel position_, memory_, known_;   // θ, η, w
  std::vector<std::uint64_t> heard_;  // (chain, client): 1 + the last round heard; empty if no client can miss one
  std::uint64_t anchor_round_ = 0;
  std::uint64_t round_ = 0;
  bool sent_ = false;  // whether anything was sent in this round so far
  Broadcast broadcast_;
  // Σ a_i δ_i for the memory, or the sum for the step if there is no memory or both sums agree.
  std::unique_ptr<BlockSums> plain_;
  std::unique_ptr<BlockSums> weighted_;   // Σ b_i δ_i for the step, if the step needs both sums (ServerStep::weigh)
  std::vector<Counters> block_counters_;  // one per block
  std::vector<Largest> block_largest_;    // one per block
  Largest largest_now_;                   // in the round that ends
  double largest_before_ = 0;             // in the round before
  double largest_ = 0;                    // since judge_from
  Counters counters_;
  std::unique_ptr<TrafficLog> traffic_;
  Workspace work_;
  Team team_;
  double explosion_ = 0;
  std::unique_ptr<ServerStep> step_;
  LangevinStep* langevin_ = nullptr;  // step_ if it is a LangevinStep, else null
  AverageStep* average_ = nullptr;    // step_ if it is an AverageStep, else null
};

}  // namespace pollen
