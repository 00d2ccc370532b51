// The clients' half of a round: the messages between server and clients (Broadcast, Reply), what the clients of a
// process know from the broadcasts (ClientView), and a client that answers them (Client). pollen/round.h shows a whole
// round. A transport does this for the clients of a process:
//
//   view.receive(broadcast, work);                   // once per process: updates what its clients know
//   client.answer(view, chains, reply, work);        // computes the client's message and compresses it
//   client.acknowledge(reply, counted);              // the server counted the reply or not: the memory moves, or not
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "pollen/compress.h"
#include "pollen/model.h"
#include "pollen/oracle.h"
#include "pollen/random.h"
#include "pollen/recipe.h"
#include "pollen/types.h"

namespace pollen {

class Archive;
class Coordinates;
class LocalWork;
struct ClientWork;
struct LatentQuestion;

// Lists who takes part in a round: for every active client, the chains it works for and the weight of each message.
struct Roster {
  struct Entry {
    std::uint32_t client = 0;
    std::uint32_t first = 0;  // the client's chains and weights are the elements [first, first + count)
    std::uint32_t count = 0;
  };
  std::vector<Entry> clients;  // in client order
  std::vector<std::uint32_t> chain;
  std::vector<double> weight;
  bool uniform = true;               // all clients of a chain have the same weight, which is in chain_weight
  std::vector<double> chain_weight;  // one per chain

  std::span<const std::uint32_t> chains(const Entry& e) const { return {chain.data() + e.first, e.count}; }
  std::span<const double> weights(const Entry& e) const { return {weight.data() + e.first, e.count}; }
};

// A run of local steps that clients take without hearing from the server: iterations first .. first + steps - 1.
struct LocalSegment {
  std::uint64_t first = 0;
  std::uint32_t steps = 0;  // 0 in the gradient family, which takes no local steps
  bool starts = true;       // starts from the broadcast position; otherwise from where the last segment ended
  bool ends = true;         // ends with a message to the server; otherwise clients only keep their positions
};

// What the server tells the participants of a round. The payloads are the encoded bytes that a network would carry.
struct Broadcast {
  std::uint64_t round = 0;
  bool refresh = false;                // svrg: the position that clients now know becomes their anchor ζ
  bool whole = true;                   // the payload is a position; otherwise it is a change of w (EF21-P)
  LocalSegment segment;                // the payload is empty unless the segment starts from the broadcast position
  StepSize step;                       // the same in all rounds of a run
  std::vector<std::uint32_t> present;  // coded: how many clients take part, per chain; empty with other codes
  Bytes control;  // new control variates as float64 words: Y of every chain, then C of every chain; or empty
  std::vector<std::size_t> offset;  // chain c's payload is the bytes offset[c] .. offset[c+1]-1
  Bytes payload;
  Roster roster;

  ByteView chain_payload(Index c) const {
    const auto i = static_cast<std::size_t>(c);
    return ByteView(payload).subspan(offset[i], offset[i + 1] - offset[i]);
  }
};

// A client's answer to a broadcast: one part per chain that it works for, in the order of its roster entry.
struct Reply {
  std::uint64_t round = 0;
  std::uint32_t client = 0;
  std::uint64_t first = 0;  // the first iteration of the segment that is answered
  bool whole = false;       // encoded by the identity code, whatever compressor the channel has
  bool silent = false;      // the segment does not end with a message, so nothing is sent
  bool joined = false;      // all parts are one bit string, which stands in part 0 (Compressor::joins)
  std::vector<std::uint32_t> chains;
  // Part p is the payload bytes offset[p] .. offset[p+1]-1. All offsets are zero if no bytes were made.
  std::vector<std::size_t> offset;
  std::vector<std::int64_t> bits;
  Bytes payload;
  std::int64_t gradients = 0;
  // d × R: column p is what the server will decode from part p. The client's memory moves by it once the reply counts.
  Panel decoded;
  // If joined: the memory that the message was coded with, the one that both ends move to once it is counted, and the
  // seed of what both ends draw. Of these only the number of updates of the first is sent with every message.
  CodeMemory code, coded;
  std::uint64_t code_seed = 1;
  // clsd++, when anchors move: the first bytes of the payload are the references' code, and column p is what the server
  // will decode as the change of the reference of part p.
  bool refreshes = false;
  std::size_t reference_bytes = 0;
  Panel references;
  bool has_bytes = true;  // false with sampler.wire = "lengths": bits are counted, but no bytes are made

  ByteView part(std::size_t p) const { return ByteView(payload).subspan(offset[p], offset[p + 1] - offset[p]); }
};

// The running totals of a run. Bits and gradients are summed over all chains.
struct Counters {
  std::int64_t rounds = 0, messages = 0;
  std::int64_t uplink_bits = 0, downlink_bits = 0, broadcast_bits = 0, setup_bits = 0;
  std::int64_t gradients = 0;
  std::int64_t wire_bits = 0;    // what clients sent, frames included (round/frame_size.h)
  double uplink_bits_bound = 0;  // nominal figure, docs/algorithms.md section 2; NaN if a compressor has none
  void archive(Archive& archive);
};

// What one exchange cost one participant, summed over its chains.
struct ClientTraffic {
  std::uint32_t client = 0;
  std::int64_t down_bits = 0;
  std::int64_t gradients = 0;
  std::int64_t up_bits = 0;
};

// Is called after every exchange with its participants in client order. The exchange ends when all have answered.
using TrafficListener = std::function<void(std::span<const ClientTraffic>)>;

// What a Metropolis or Hamiltonian transition reports, named after CmdStan's columns.
struct Transition {
  double accept = 1;       // accept_stat__
  double step = 0;         // stepsize__
  int depth = 0;           // treedepth__
  int leapfrogs = 0;       // n_leapfrog__
  bool divergent = false;  // divergent__
  double energy = 0;       // energy__
};

// What the clients of one process know from the broadcasts: positions (w with a compressed downlink) and anchors, one
// column per chain. All clients of the process share one view.
class ClientView {
 public:
  struct Seeds {
    std::uint64_t common = 1;  // seeds what all clients of the federation share: the common noise
    std::uint64_t own = 1;     // seeds what is this process's alone: minibatches, compressors, the clients' own noise
    std::uint64_t code = 1;    // seeds what a client's code shares with the server, and with no other client
  };
  ClientView(const Recipe& recipe, Index dimension, Index chains, Index clients, const Seeds& seeds);
  void receive(const Broadcast& broadcast, Workspace& work);
  // Saves or loads the view. It saves no anchors of svrg for a client that uses none (Recipe::uses_anchor).
  void archive(Archive& archive, bool anchors = true);

  void share_work(Team team) { team_ = std::move(team); }  // divides work over the team, chain by chain
  // The change of variables θ = θ̂ + Aψ in which the clients work (sampler.precondition); null: they work in θ. The
  // prior follows it. Neither may be set while clients answer.
  const std::shared_ptr<const Coordinates>& coordinates() const { return coordinates_; }
  void set_coordinates(std::shared_ptr<const Coordinates> coordinates);
  // The prior of a client that owns a share of it, as a function of what the clients work in.
  const Prior& prior() const { return prior_; }
  void set_prior(Prior of_theta);
  const Recipe& recipe() const { return recipe_; }

  const LocalSegment& segment() const { return segment_; }
  const StepSize& step() const { return step_; }
  // The noise √(2γ'Tρ') Z that all clients add. Column s·R + c is for step s of the segment and chain c. Empty if
  // ρ' = 0.
  ConstPanelView common() const { return common_; }
  // The last broadcast position plus the common noise since then. Compressed messages of local steps are differences
  // from it.
  ConstPanelView expected_position() const { return expected_position_; }
  ConstPanelView control() const { return control_; }
  std::span<const Stream> local_streams() const { return local_noise_; }

  ConstPanelView position() const { return position_; }
  ConstPanelView anchor() const { return anchor_; }
  std::span<const std::uint64_t> anchor_version() const { return anchor_version_; }
  std::span<const Stream> minibatch_streams() const { return minibatch_; }
  std::span<const Stream> compress_streams() const { return compress_; }
  std::span<const Stream> code_streams() const { return code_; }
  std::uint64_t code_seed() const { return code_seed_; }
  bool refreshes() const { return refreshes_; }                        // Broadcast::refresh
  std::span<const std::uint32_t> present() const { return present_; }  // Broadcast::present
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
  StepSize step_;
  Panel common_, expected_position_, control_;
  std::vector<Stream> noise_, local_noise_;
  std::vector<std::uint64_t> anchor_version_;
  std::vector<Stream> minibatch_, compress_, code_;
  std::uint64_t code_seed_;
  std::vector<std::uint32_t> present_;
  bool refreshes_ = false;
  std::uint64_t round_ = 0;
  std::shared_ptr<const Coordinates> coordinates_;
  Prior theta_prior_, prior_;
};

// The parts that a client shares with all other clients of its process. They are made once and outlive the clients.
struct ClientParts {
  const Recipe* recipe = nullptr;
  const Prior* prior = nullptr;
  double prior_share = 0;  // ϖ_i if the client owns a share of the prior, else 0
  double weight = 1;       // local steps: the client's weight w_i in the average
  Index clients = 1;       // b, the number of clients of the federation
  const Compressor* compressor = nullptr;
  const Compressor* whole = nullptr;  // the identity code, float64 words
  const ClientWork* work = nullptr;   // what clients compute; null: what the recipe says, from their potentials
};

// A question about the noise that a client adds to the gradient of U near the mode, for a forecast (docs/plan.md). A
// Query carries it in its field `step`.
struct NoiseQuestion {
  enum class Part : std::uint8_t {
    participation,    // of weights that are 0 if the client is absent
    minibatch,        // of the rows that are drawn
    compression,      // of the compressor
    row_compression,  // with a memory: of the compressor, for what the rows that are drawn add
    squares,          // H_i²/w_i, which is no noise but tells how far local steps lead apart
    drift,            // H_i g_i/w_i, where local steps lead; d numbers
    delay,            // H_i times the mean age in rounds of what error feedback knows of the client
  } part = Part::participation;
  Index rows = 0;  // N, the rows of all clients
  static constexpr std::uint64_t kParts = 7;

  std::uint64_t packed() const { return static_cast<std::uint64_t>(rows) * kParts + static_cast<std::uint64_t>(part); }
  static NoiseQuestion unpacked(std::uint64_t step) {
    return {static_cast<Part>(step % kParts), static_cast<Index>(step / kParts)};
  }
  // The numbers of an answer: the lower half of a d × d matrix, column by column, or d numbers.
  Index numbers(Index d) const { return part == Part::drift ? d : d * (d + 1) / 2; }
};

class Client;

// A client's turn in a round: the chains that it works for and where its answer goes.
struct Request {
  Client* client = nullptr;
  std::span<const std::uint32_t> chains;
  Reply* reply = nullptr;
  std::span<const double> weights = {};  // coded: the weights of the message, one per chain
};

// Lets several clients answer. The replies are the same as those of one answer() after another; it is faster, because
// the vectors are encoded side by side.
void answer_all(const ClientView& view, std::span<const Request> requests, Workspace& work);

// Saves or loads a client's state as a count of bytes and then the bytes. A client that never took part has none.
void archive_state(Archive& archive, Bytes& bytes);

// One client: it answers broadcasts and keeps its memory and its work between rounds. That state is made when the
// client first takes part, so a client that never does costs little. Different clients may be used on different
// threads.
class Client {
 public:
  // `potential` may be null if parts.work is set; functions that ask for gradients or bounds must then not be called.
  Client(std::uint32_t index, std::shared_ptr<const Potential> potential, const ClientParts& parts, Index chains);
  ~Client();
  Client(Client&&) noexcept;

  void answer(const ClientView& view, std::span<const std::uint32_t> chains, Reply& reply, Workspace& work,
              std::span<const double> weights = {});
  // Tells the client whether the server counted its reply. If so, its memory moves. If not, nothing has happened, and
  // the same question gets the same reply again.
  void acknowledge(const Reply& reply, bool counted);

  std::uint32_t index() const { return index_; }
  const Potential& potential() const { return *potential_; }
  // out(:, c) = the full gradient of what the client owns: its likelihood and its share of the prior.
  void gradient(ConstPanelView theta, PanelView out, Workspace& work) const;
  void set_anchor(std::span<const double> at);  // fixed point: keeps θ̂ and the gradient there
  void start_memory(ConstPanelView gradient);   // for memory_init = "gradient"
  // Writes w_i times the position that the client's local steps have reached, one column per chain. For chains in which
  // the client takes no part that is the last broadcast position.
  void local_position(const ClientView& view, PanelView out) const;
  void start(ConstPanelView position);  // LocalWork::start
  CodeMemory code();                    // what the client's code has learnt from counted replies
  void forget_code();                   // the client's code begins anew, as its server's end does
  // Writes the client's own latents in all chains, one chain after another (LocalWork::latents).
  void latents(ConstPanelView position, std::uint64_t round, std::span<double> out) const;
  void look(const LatentQuestion& question, PanelView out, Workspace& work) const;  // LocalWork::look
  // Writes λ_max and λ_min of the curvature of what the client owns to column index(), or to the only column. Other
  // columns are left alone.
  void bounds(std::span<const double> at, PanelView out, Workspace& work) const;
  // Writes four numbers to column index(), or to the only column, and leaves other columns alone: the squared norm of
  // the gradient of what the client owns, Σ_j‖∇U_ij‖² and ‖Σ_j ∇U_ij‖² of its likelihood, and the largest curvature of
  // a row.
  void look_at_rows(std::span<const double> at, PanelView out, Workspace& work) const;
  // Writes the lower half of ∇²U_i(at), column by column, or its diagonal if `out` has d rows. The numbers are rounded
  // to single precision.
  void hessian(std::span<const double> at, PanelView out, Workspace& work) const;
  // Answers a question about noise at the mode `at`. The directions are orthogonal, one per coordinate, and their outer
  // products add up to the covariance of the posterior.
  void noise(const NoiseQuestion& question, std::span<const double> at, ConstPanelView directions,
             std::span<double> out, Workspace& work) const;
  void archive(Archive& archive);
  void restore(ByteView bytes);            // from the bytes that archive() wrote, without their count
  void archive_pending(Archive& archive);  // the state that the client moves to if its last reply is counted

 private:
  friend void answer_all(const ClientView& view, std::span<const Request> requests, Workspace& work);
  struct State;
  State& state();
  void begin(const ClientView& view, std::span<const std::uint32_t> chains, Reply& reply) const;
  std::unique_ptr<LocalWork> make_work(const Potential* potential) const;
  // Computes what to send and fills in one encoding job per chain. Returns the compressor that encodes them.
  const Compressor& aim(const ClientView& view, const Request& request, std::span<Encoding> jobs, Workspace& work);

  std::uint32_t index_;
  Index dimension_, chains_;
  std::shared_ptr<const Potential> potential_;
  ClientParts parts_;
  std::unique_ptr<State> state_;
};

// A list whose elements are made when they are first asked for; before that, each costs one pointer. Several threads
// may ask for different elements at once.
template <class T>
class LazyVector {
 public:
  using Make = std::function<std::unique_ptr<T>(std::size_t place)>;
  LazyVector() = default;
  LazyVector(std::size_t count, Make make) : made_(count), make_(std::move(make)) {}

  std::size_t size() const { return made_.size(); }
  bool empty() const { return made_.empty(); }
  bool has(std::size_t place) const { return made_[place] != nullptr; }
  T& operator[](std::size_t place) const {
    if (!made_[place]) made_[place] = make_(place);
    return *made_[place];
  }
  T& front() const { return (*this)[0]; }
  std::unique_ptr<T> make(std::size_t place) const { return make_(place); }  // makes one that is not kept
  // Calls look(element). An element that has not been made yet is made for the call and dropped after it.
  template <class Look>
  void look(std::size_t place, const Look& look) const {
    if (made_[place]) return look(*made_[place]);
    const std::unique_ptr<T> once = make_(place);
    look(*once);
  }

 private:
  mutable std::vector<std::unique_ptr<T>> made_;
  Make make_;
};

// The clients of one process. If they are light, they cost little to make, and a client that was only asked a question
// but never took part is not kept.
class Clients : public LazyVector<Client> {
 public:
  Clients(std::size_t count, Make make, bool light = false) : LazyVector(count, std::move(make)), light_(light) {}
  bool light() const { return light_; }
  void archive(Archive& archive);

 private:
  bool light_;
};

}  // namespace pollen
