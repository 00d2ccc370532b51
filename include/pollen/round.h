// A round is three functions and a transport: server.open(k) → Broadcast, client.answer → Reply, server.absorb and
// close. The algorithm and nothing else: no clock, no thread, no transport here.
//
//   server.open();                                   // who takes part; what they are told, as bytes
//   view.receive(server.broadcast());             // once a process: what its clients now know
//   client.answer(view, assignment, reply, work); // what its LocalWork computes, compressed
//   server.absorb(reply, entry, work);               // client order within a block; blocks may be on different threads
//   client.acknowledge(reply, counted);                   // only now the client's memory moves
//   server.close();                                  // its ServerStep moves the chains: θ ← θ - γ g + √(2γT) Z
//
// Sums over clients are taken in blocks whose size depends on the number of clients alone, so results do not depend on
// threads or on the order of arrival.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/team.h"
#include "pollen/compress.h"
#include "pollen/model.h"
#include "pollen/oracle.h"
#include "pollen/random.h"
#include "pollen/recipe.h"
#include "pollen/types.h"
#include "round/local_segments.h"
#include "round/local_work.h"
#include "round/participation.h"
#include "round/server_step.h"
#include "round/traffic.h"

namespace pollen {

class Archive;

// What the participants of a round are told. Payloads are real bytes of the downlink's code.
struct Broadcast {
  std::uint64_t round = 0;
  bool refresh = false;             // svrg: what clients know of θ becomes ζ
  bool whole = true;                // the payload is a position, not a change of w
  LocalSegment segment;             // no payload unless it starts
  Bytes control;                    // new control variates, or empty: Y of every chain, then C, float64 words
  std::vector<std::size_t> offset;  // chain c's payload is bytes offset[c] .. offset[c+1]-1
  Bytes payload;
  Roster roster;

  ByteView chain_payload(Index c) const {
    const auto i = static_cast<std::size_t>(c);
    return ByteView(payload).subspan(offset[i], offset[i + 1] - offset[i]);
  }
};

// A client's answer for the chains it works for, in the order of its roster entry.
struct Reply {
  std::uint64_t round = 0;
  std::uint32_t client = 0;
  std::uint64_t first = 0;  // the segment's
  bool whole = false;       // sent by the identity code whatever the channel's compressor
  bool silent = false;      // a segment that does not end: nothing is sent
  std::vector<std::uint32_t> chains;
  std::vector<std::size_t>
      offset;  // part p is payload bytes offset[p] .. offset[p+1]-1; all zero when bytes are not made
  std::vector<std::int64_t> bits;
  Bytes payload;
  std::int64_t gradients = 0;
  Panel decoded;  // d × R: column p is what the server will decode; the client's pending change of memory
  bool has_bytes = true;

  ByteView part(std::size_t p) const { return ByteView(payload).subspan(offset[p], offset[p + 1] - offset[p]); }
};

// What is counted. Bits are over all chains.
struct Counters {
  std::int64_t rounds = 0, messages = 0;
  std::int64_t uplink_bits = 0, downlink_bits = 0, broadcast_bits = 0, setup_bits = 0;
  std::int64_t gradients = 0;
  double uplink_bits_bound = 0;  // NaN where a compressor has none
  void archive(Archive& archive);
};

// What a process with clients knows from the broadcasts: positions (w with a compressed downlink) and anchors, a column
// a chain. Clients of one process share it.
class ClientView {
 public:
  struct Seeds {
    std::uint64_t common = 1;  // of what all clients of the federation share
    std::uint64_t own = 1;     // of what is this process's alone
  };
  ClientView(const Recipe& recipe, Index dimension, Index chains, Index clients, const Seeds& seeds);
  void receive(const Broadcast& broadcast, Workspace& work);
  void archive(Archive& archive);

  void share_work(Team team) { team_ = std::move(team); }      // over chains
  void set_recipe(const Recipe& recipe) { recipe_ = recipe; }  // once "auto" has picked a step
  const Recipe& recipe() const { return recipe_; }

  const LocalSegment& segment() const { return segment_; }
  // √(2γ'Tρ') Z, what all clients add: column s·R + c is of step s of the segment and chain c. Nothing where ρ' = 0.
  ConstPanelView common() const { return common_; }
  // The last broadcast position and the common noise since then: what messages of local steps are relative to.
  ConstPanelView reference() const { return reference_; }
  ConstPanelView control() const { return control_; }
  std::span<const Stream> local_streams() const { return local_noise_; }

  ConstPanelView position() const { return position_; }
  ConstPanelView anchor() const { return anchor_; }
  std::span<const std::uint64_t> anchor_version() const { return anchor_version_; }
  std::span<const Stream> minibatch_streams() const { return minibatch_; }
  std::span<const Stream> compress_streams() const { return compress_; }
  std::uint64_t round() const { return round_; }
  Index chains() const { return position_.columns(); }

 private:
  void receive_position(const Broadcast& broadcast, Workspace& work);
  void receive_control(const Bytes& words);
  void make_common();

  Recipe recipe_;
  Index clients_;
  Team team_;
  std::unique_ptr<const Compressor> whole_, compressor_;
  Panel position_, anchor_, change_;
  LocalSegment segment_;
  Panel common_, reference_, control_;
  std::vector<Stream> noise_, local_noise_;
  std::vector<std::uint64_t> anchor_version_;
  std::vector<Stream> minibatch_, compress_;
  std::uint64_t round_ = 0;
};

// The parts a client shares with all others of its kind, made once.
struct ClientParts {
  const Recipe* recipe = nullptr;
  const Prior* prior = nullptr;
  double prior_share = 0;  // ϖ_i when the client owns prior, else 0
  double weight = 1;       // local steps: w_i
  Index clients = 1;       // b
  const Compressor* compressor = nullptr;
  const Compressor* whole = nullptr;  // float64 words
  const ClientWork* work = nullptr;   // what clients compute; null: what the recipe says, of their potentials
};

class Client;

// A client's turn in a round: the chains it works for and where its answer goes.
struct Request {
  Client* client = nullptr;
  std::span<const std::uint32_t> chains;
  Reply* reply = nullptr;
};

// Several clients' answers, the same as one after another; their vectors are encoded side by side.
void answer_all(const ClientView& view, std::span<const Request> requests, Workspace& work);

// A client's saved state as it stands in an archive: how many bytes, and these. None: it never took part.
void archive_state(Archive& archive, Bytes& bytes);

// What a client keeps between rounds is made when it first takes part.
class Client {
 public:
  // Clients whose work is not the recipe's own need no potential, and are asked no question about one.
  Client(std::uint32_t index, std::shared_ptr<const Potential> potential, const ClientParts& parts, Index chains);
  ~Client();
  Client(Client&&) noexcept;

  void answer(const ClientView& view, std::span<const std::uint32_t> chains, Reply& reply, Workspace& work);
  // The server counted the reply (the memory moves) or did not (nothing happened; asking again gives the same reply).
  void acknowledge(const Reply& reply, bool counted);

  std::uint32_t index() const { return index_; }
  const Potential& potential() const { return *potential_; }
  // ∇ of what the client owns (likelihood, and its share of the prior), whole.
  void gradient(ConstPanelView theta, PanelView out, Workspace& work) const;
  void set_anchor(std::span<const double> at);  // fixed point: θ̂ and the gradient there are kept
  void start_memory(ConstPanelView gradient);   // memory_init = "gradient"
  // w_i times where the client's local steps have come, a column a chain: the last broadcast position where it takes no
  // part.
  void local_position(const ClientView& view, PanelView out) const;
  // As LocalWork has them.
  void latents(ConstPanelView position, std::uint64_t round, std::span<double> out) const;
  // out(:, i) = λ_max and λ_min of what the client owns, i its index; other columns are left alone.
  void bounds(std::span<const double> at, PanelView out, Workspace& work) const;
  // out(:, i), likewise: ‖∇ of what the client owns‖², then of its likelihood Σ_j‖∇U_ij‖², ‖Σ_j ∇U_ij‖² and the largest
  // row's curvature.
  void look_at_rows(std::span<const double> at, PanelView out, Workspace& work) const;
  void archive(Archive& archive);
  void restore(ByteView bytes);            // of archive(), without their count
  void archive_pending(Archive& archive);  // where the client comes if the last reply is counted

 private:
  friend void answer_all(const ClientView& view, std::span<const Request> requests, Workspace& work);
  struct State;
  State& state();
  void begin(const ClientView& view, std::span<const std::uint32_t> chains, Reply& reply) const;
  std::unique_ptr<LocalWork> make_work() const;
  // What to encode, one job a chain, and by which compressor.
  const Compressor& aim(const ClientView& view, Reply& reply, std::span<Encoding> jobs, Workspace& work);

  std::uint32_t index_;
  Index dimension_, chains_;
  std::shared_ptr<const Potential> potential_;
  ClientParts parts_;
  std::unique_ptr<State> state_;
};

// Blocks of clients for sums: at least 32 clients each and at most 64 blocks, whatever carries their answers.
Index block_size_for(Index clients);

class AverageStep;
class LangevinStep;

class Server {
 public:
  struct Setup {
    std::uint64_t seed = 1;
    Index dimension = 0;
    Index chains = 1;
    std::vector<Index> sizes;                    // N_i
    std::vector<const Compressor*> compressors;  // one a client, or one for all
    std::vector<double> weights = {};            // local steps: w_i, or one for all
  };
  // Without a step: the one that the recipe says.
  Server(const Recipe& recipe, const Prior& prior, Setup setup, std::unique_ptr<ServerStep> step = nullptr);
  ~Server();

  // Before the first round.
  void start(ConstPanelView position);
  void set_anchor_gradient(std::span<const double> sum);  // fixed point: what the server adds (section 1, Decided)
  void start_memory(ConstPanelView sum);
  void share_work(Team team);                                                      // over chains
  void set_recipe(const Recipe& recipe) { recipe_ = recipe; }                      // once "auto" has picked a step
  void listen(TrafficListener listener) { traffic_.listen(std::move(listener)); }  // is told of every exchange

  void open(std::int64_t most = 1);  // local steps: a segment of at most `most` iterations
  const Broadcast& broadcast() const { return broadcast_; }
  void start_over();  // as if no reply had been absorbed since open()
  // In another process, which adds up for some of the clients: the round that the server has opened, but for the
  // roster, which is drawn here again.
  void follow(const Broadcast& broadcast);
  void archive_block(Index block, Archive& archive);  // what it has absorbed so far, carried from process to process
  // Clients of the open round that did not answer in time: it goes on as if they had not been drawn. Sorted; before any
  // absorb(). Not where weights are inverse probabilities or drawn with replacement.
  void leave_out(std::span<const std::uint32_t> clients);
  void absorb(const Reply& reply, const Roster::Entry& entry, Workspace& work);
  // Replies of one block in client order: the same sums, taken together where each is for one chain.
  void absorb_all(std::span<const Reply> replies, std::span<const Roster::Entry> entries, Workspace& work);
  // The replies of a block for one chain that were added up elsewhere, in client order; clients have equal weights.
  // Sums of different chains may be on different threads.
  void absorb_sum(Index block, Index chain, std::span<const double> sum);
  struct Sent {
    std::uint32_t client = 0;
    std::int64_t bits = 0, gradients = 0;
  };
  void count(const Sent& sent);
  void draw_noise();  // that of close(), now: for a transport that waits
  void close();       // NumericError where the state is not finite or explodes

  double weight_of(std::uint32_t client) const;  // w_i; 1 without local steps
  Index blocks() const { return static_cast<Index>(block_sums_.size()); }
  Index block_of(std::uint32_t client) const { return static_cast<Index>(client) / block_size_; }
  // The roster entries of a block: [first, last).
  std::pair<std::size_t, std::size_t> block_entries(Index block) const;

  // Local steps.
  bool averaged() const;  // position() is of the last iteration
  bool refresh_due() const;
  // New control variates from the positions of this iteration: they act from the one after next on.
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
  struct BlockSum {
    Panel plain;     // Σ a_i δ_i for the memory; without one, or where it is the same, the other sum
    Panel weighted;  // Σ b_i δ_i for the step, where a memory needs both (ServerStep::weigh)
    Counters counters;
  };
  void absorb_singles(std::span<const Reply> replies, Workspace& work);
  void count_part(const Reply& reply, std::size_t part, Counters& counters) const;
  void absorb_part(const Reply& reply, const Roster::Entry& entry, std::size_t part, std::span<const double> delta,
                   BlockSum& block);
  BlockSum& sum_of(std::uint32_t client) { return block_sums_[static_cast<std::size_t>(block_of(client))]; }
  void encode_broadcast();
  void count_downlink();
  void log_downlink();
  void log_answer(const Reply& reply);
  void log_refresh();
  void check_answers(const Reply& reply,
                     const Roster::Entry& entry) const;  // WireError unless the reply is the entry's
  std::size_t channel_of(std::uint32_t client) const { return bits_bound_.size() == 1 ? 0 : client; }
  const Compressor& compressor_of(const Reply& reply) const;
  void merge_blocks();
  void each_chain(const Team::Work& work) const { team_.over_chains(setup_.chains, setup_.dimension, work); }
  void encode_whole();
  void choose_step(const Prior& prior);
  void move_chain(Index chain, int member);
  bool adds_plainly() const { return broadcast_.roster.uniform && !step_->weighs_messages(); }
  Index clients() const { return static_cast<Index>(setup_.sizes.size()); }
  void check_position(double largest, Index chain) const;
  bool first_round_whole() const { return round_ == 0 && recipe_.up.memory == Memory::feedback; }

  Recipe recipe_;
  Setup setup_;
  ParticipationDraw participation_;
  Index block_size_;
  std::unique_ptr<const Compressor> whole_, down_;
  std::vector<double> bits_bound_;  // as the compressors
  std::vector<Stream> compress_;
  Panel position_, memory_, known_;  // θ, η, w
  std::vector<std::uint64_t> heard_;  // (chain, client): 1 + the last round heard; empty unless someone can miss one
  std::uint64_t anchor_round_ = 0;
  std::uint64_t round_ = 0;
  Broadcast broadcast_;
  std::vector<BlockSum> block_sums_;
  Counters counters_;
  TrafficLog traffic_;
  Workspace work_;
  Team team_;
  double explosion_ = 0;
  std::unique_ptr<ServerStep> step_;
  LangevinStep* langevin_ = nullptr;  // step_, where it is one
  AverageStep* average_ = nullptr;    // likewise
};

}  // namespace pollen
