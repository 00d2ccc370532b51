// A Recipe describes a sampler as data: which oracle, which channels, who takes part. QLSD++ and B-ELF, for example,
// are rows of a table (NamedSampler), and a new combination needs no new class. docs/algorithms.md defines what the
// samplers compute. The types are plain data; src/recipe checks them and fills in defaults.
//
//   const Recipe recipe = complete(config, clients, dimension, warnings);   // pollen/config.h
//   register_sampler({"qlsd-8", "", "qlsd with another code", "full", "my-compressor"});   // sampler.name = "qlsd-8"
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pollen/compress.h"
#include "pollen/types.h"

namespace pollen {

// What an oracle needs besides its client's rows. Each oracle in the table (pollen/oracle.h) says which of these it is.
enum class OracleKind {
  full,         // nothing
  minibatch,    // a number of rows per gradient
  fixed_point,  // the same, and the mode with every client's gradient there, found before the first round
  svrg,         // the same as minibatch, and an anchor that the server moves every Recipe::refresh rounds
  control,      // the same as minibatch, and an anchor that the server renews at random (LocalSteps::refresh)
};

// How many rows a client uses per gradient: all, a count (clipped to N_i) or a fraction (max(1, ⌊f·N_i⌋)).
struct Batch {
  std::optional<Index> count;
  std::optional<double> fraction;
  Index of(Index rows) const {
    if (count) return std::clamp<Index>(*count, 1, rows);
    if (fraction) return std::clamp<Index>(static_cast<Index>(*fraction * static_cast<double>(rows)), 1, rows);
    return rows;
  }
  bool all() const { return !count && fraction.value_or(1) >= 1; }  // whether it is all rows of every client
  bool operator==(const Batch&) const = default;
};

// What a client keeps of its past messages (docs/algorithms.md sections 4 and 5).
enum class Memory {
  none,       // α = 0: the message is C(H)
  average,    // 0 < α ≤ 1: QLSD++'s memory; the message is C(H - η^i), reweighted by participation
  reference,  // clsd++: the message is C(H - h^i), where h^i is the gradient at the anchor as the server decoded it
  feedback,   // α = 1: EF21 on the uplink (D-ELF, B-ELF); never reweighted; round 0 sends vectors whole
};

struct Uplink {
  CompressorSpec compressor;
  std::vector<CompressorSpec> per_client;  // empty, or one per client
  Memory memory = Memory::none;
  double rate = 0;                 // α of the memory
  bool start_at_gradient = false;  // memory_init = "gradient"
  Index whole_tail = 0;            // how many of a message's last numbers go whole, without compressor and memory
};

struct Downlink {
  CompressorSpec compressor;  // identity: θ is sent whole in every round
  bool feedback = false;      // EF21-P: the server sends C(θ - w), then w ← w + C(θ - w); clients work at w
};

// Who takes part in a round, and how messages are weighted (docs/algorithms.md section 3).
enum class ParticipationPolicy { full, bernoulli, fixed_size };
enum class Scaling { active, inverse_probability };

struct Participation {
  ParticipationPolicy policy = ParticipationPolicy::full;
  std::vector<double> probability;  // bernoulli: one for all, or one per client
  Scaling scaling = Scaling::active;
  Index size = 0;  // fixed_size: S, the number of clients drawn
  bool replacement = false;

  // Whether a client can be absent from a round. A single client cannot be where empty rounds are drawn again.
  bool partial(Index clients) const {
    if (policy == ParticipationPolicy::full || (clients == 1 && scaling == Scaling::active)) return false;
    if (policy == ParticipationPolicy::fixed_size) return replacement || size < clients;
    return std::ranges::any_of(probability, [](double p) { return p < 1; });
  }
};

// The step of a sampler, as the server tells it in every broadcast. Before set-up has settled them, numbers that the
// configuration does not give are 0.
struct StepSize {
  double size = 0;                       // γ, in the paper's own units; of a decaying step the first one
  double smoothness = 0, convexity = 0;  // L and m of a decaying step
  bool operator==(const StepSize&) const = default;
};

// The averaging family (docs/algorithms.md section 6): clients take local steps and the server averages their
// positions. With client weights w_i that sum to one, a local step is
//   x ← x - γ' g_i/w_i + √(2γ'T) (√ρ' Z + √((1-ρ')/w_i) Z_i),   Z common to all clients,
// and the server's position becomes Σ w_i x_i. FALD: w_i = 1/b, γ' = γ/b, ρ' = τ. FA-LD: w_i = N_i/N, γ' = η, ρ' = ρ².
struct LocalSteps {
  Index steps = 10;            // K, the local steps per round
  double communicate = 0;      // p_c, the probability that a step ends with an exchange, in place of K; 0: use K
  double common = 1;           // ρ'
  bool by_size = false;        // FA-LD: w_i = N_i/N, and the configured step is γ' itself
  double refresh = 0;          // q_c, the probability per step that VR-FALD* renews its control variates; 0: none
  bool emit_every = false;     // for studies: emit the average after every iteration
  std::optional<double> clip;  // the norm to which every row's gradient is cut
  bool decaying = false;       // the step is 1/(2L + m k/12)

  // γ' at an iteration.
  double step_at(const StepSize& step, Index clients, std::uint64_t iteration) const {
    if (!decaying) return step.size * unit(clients);
    return 1 / (2 * step.smoothness + step.convexity * static_cast<double>(iteration) / 12);
  }
  // √(2γ'Tρ'), the standard deviation of the common noise at an iteration.
  double common_spread(const StepSize& step, Index clients, std::uint64_t iteration, double temperature) const {
    return std::sqrt(2 * step_at(step, clients, iteration) * temperature * common);
  }
  double unit(Index clients) const { return by_size ? 1.0 : 1.0 / static_cast<double>(clients); }  // γ' for step 1
  double mean_steps() const { return communicate > 0 ? 1 / communicate : static_cast<double>(steps); }
  // E K²/E K, by which the noise of a whole round's change exceeds that of its steps.
  double mean_square_steps() const { return communicate > 0 ? 2 / communicate - 1 : static_cast<double>(steps); }
};

struct Recipe {
  std::string name;
  bool personal = false;             // clients have latents of their own
  bool reference = false;            // a reference sampler or a competitor, fully described by its name
  bool exact = false;                // nuts, hmc or mala: accepts or rejects by potentials that clients are asked for
  std::string oracle_name = "full";  // in the table of oracles
  OracleKind oracle = OracleKind::full;
  Batch batch;          // all rows if the oracle is full
  Index refresh = 100;  // svrg: l, the rounds between two anchors
  Uplink up;
  Downlink down;
  Participation participation;
  std::optional<LocalSteps> local;  // empty in the gradient family
  StepSize step;
  double temperature = 1;  // T
  // coded: κ, the share of the Langevin noise that the errors of the clients' codes supply; 0: other codes.
  double noise_share = 0;
  bool prior_on_server = true;
  bool coupled = false;         // chains share participation
  bool preconditioned = false;  // set-up gives clients other coordinates than the model's own (sampler.precondition)
  bool make_bytes = true;       // wire = "bytes"; if false, lengths are computed but no bytes are made

  // svrg: whether a client of so many rows uses anchors, and whether any client may. A client whose batch is all its
  // rows computes the gradient itself, so it needs none.
  bool uses_anchor(Index rows) const { return keeps_anchors() && batch.of(rows) < rows; }
  bool keeps_anchors() const { return oracle == OracleKind::svrg && !batch.all() && up.memory != Memory::reference; }
  // Whether a round moves the clients' anchors: the shared one, or those of the clients that take part (clsd++).
  bool refreshes(std::uint64_t round) const {
    return (keeps_anchors() || up.memory == Memory::reference) && round % static_cast<std::uint64_t>(refresh) == 0;
  }
  // coded: s_i, the standard deviation of the errors in the message of a client whose weight is w_i, if so many clients
  // are present. The errors' variances γ² w_i² s_i² add up to κ 2γT.
  double code_spread(double gamma, double present, double weight) const {
    return std::sqrt(2 * noise_share * temperature / (gamma * present)) / weight;
  }
  // Local steps: whether messages are differences from what the server knows, rather than positions.
  bool sends_changes() const {
    return local && (up.compressor.compresses() || up.compressor.bits != 64 || !up.per_client.empty());
  }
};

// A row of the table of named samplers: what the name stands for, before the user's own keys.
struct NamedSampler {
  std::string name;
  std::string paper;                                     // where it was published, for `pollen list samplers`
  std::string summary;                                   // one line
  std::string oracle = "full", compressor = "identity";  // in the tables of these
  Memory memory = Memory::none;
  bool down_feedback = false;
  bool minibatch_default = false;  // the batch is a fraction of 0.1 unless the user sets it
  enum class Family { gradient, fald, fa_ld, personal, exact } family = Family::gradient;
  // The keys of [sampler] that it reads, separated by spaces, besides those that every recipe reads and those that the
  // rows of its oracle and of its compressors name.
  std::string keys = {};
};
const NamedSampler* find_sampler(const std::string& name);  // null if there is none of that name
// Adds a sampler to the table. Throws std::invalid_argument if the name is taken. Not thread-safe: call it before the
// first configuration is read, which then accepts the name and refuses a row whose keys are no keys.
void register_sampler(NamedSampler row);

// The settings of the reference samplers and competitors. A sampler reads the fields named in its row of the table of
// references and no others. In a file they are keys of [sampler], except for step, batch, warm_up, refresh and
// local_steps: a run takes those from sampler.step, sampler.batch, run.burn_in, sampler.refresh and
// sampler.local_steps.
struct ReferenceConfig {
  // The γ of a Langevin or gradient step, or the ε of a leapfrog step. If empty, mala, hmc and nuts find it in the
  // warm-up and the others refuse to run. If given, mala, hmc and nuts adapt neither step nor mass.
  std::optional<double> step = {};
  // Rows per gradient, out of all rows (sgld-pooled, svrg-ld, psgld) or of one client's rows (the others).
  Batch batch = {};
  std::int64_t warm_up = 1000;  // iterations of the run's burn-in

  std::optional<double> target_accept = {};  // default 0.574 for mala and 0.8 for hmc and nuts
  bool adapt_mass = true;                    // hmc, nuts: take a diagonal mass matrix from the warm-up's variances
  Index leapfrogs = 0;                       // hmc: leapfrog steps per trajectory; 0 means trajectory / ε
  double trajectory = 1.5707963267948966;    // hmc: length of a trajectory; a quarter of the period if the mass fits
  double jitter = 0.5;                       // hmc: the length is multiplied by a uniform number in 1 ± jitter
  Index most_leapfrogs = 1024;               // hmc: upper limit of the leapfrog steps
  Index max_depth = 10;                      // nuts: a trajectory has at most 2^max_depth - 1 leapfrog steps

  double decay = 0.99;    // psgld: decay of the average of squared gradients
  double damping = 1e-5;  // psgld: added to the root of that average
  Index refresh = 100;    // svrg-ld: iterations between two anchors

  Index local_steps = 10;                  // dg-lmc, fedavg, scaffold: per round; fsgld: per visit; fedpa: per sample
  std::optional<double> server_step = {};  // fedavg, scaffold: default 1; fedpa: default step / clients
  std::optional<double> tolerance = {};    // dg-lmc: ρ of ‖x_i - θ‖²/2ρ; default 10 step
  std::string local_kernel = "nuts";       // consensus, fsgld: kernel of the clients' own posteriors, nuts or mala
  bool diagonal = false;                   // consensus, fsgld: keep variances only, for large dimensions
  // fsgld: "draws" fits to draws of the clients' own posteriors, "swag" to descents; default swag for networks, else
  // draws
  std::optional<std::string> surrogate = {};
  std::optional<double> swag_rate = {};      // fsgld, swag: rate of the descent on U_s N/N_s + U_0; default step
  std::optional<double> swag_least_sd = {};  // fsgld, swag: least sd of a surrogate; default from step and prior
  Index samples = 10;                   // fedpa: ℓ, local samples per round; fedbe: models drawn for the ensemble
  Index local_burn_in = 10;             // fedpa: local steps before the first sample
  std::string server_law = "gaussian";  // fedbe: law of the clients' models, gaussian or dirichlet
  bool distill = false;                 // fedbe: the server's model learns from the ensemble's predictions
  Index distill_steps = 100;            // fedbe: gradient steps per distillation
  double distill_rate = 0.01;           // fedbe: rate of these steps, for the mean loss per row
  double shrinkage = 1;                 // fedpa: ρ of Σ = ρ_ℓ I + (1-ρ_ℓ) S, ρ_ℓ = 1/(1 + (ℓ-1)ρ)
};

}  // namespace pollen
