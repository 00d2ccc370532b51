// A sampler is data: a Recipe says which oracle, which channels, who takes part. QLSD++ or B-ELF are rows of a table
// (recipe_table), and a new combination needs no new class. Plain data; validation and defaults live in src/recipe.
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

enum class OracleKind { full, minibatch, fixed_point, svrg, control };

// How many rows a client uses: all, a count (clipped to N_i) or a fraction (max(1, ⌊f·N_i⌋)).
struct Batch {
  std::optional<Index> count;
  std::optional<double> fraction;
  Index of(Index rows) const {
    if (count) return std::clamp<Index>(*count, 1, rows);
    if (fraction) return std::clamp<Index>(static_cast<Index>(*fraction * static_cast<double>(rows)), 1, rows);
    return rows;
  }
  bool operator==(const Batch&) const = default;
};

enum class Memory {
  none,      // α = 0: the message is C(H)
  average,   // 0 < α ≤ 1: QLSD++'s memory; the message is C(H - η^i), reweighted by participation
  feedback,  // α = 1: EF21 going up (D-ELF, B-ELF); never reweighted; round 0 sends whole
};

struct Uplink {
  CompressorSpec compressor;
  std::vector<CompressorSpec> per_client;  // empty, or one a client
  Memory memory = Memory::none;
  double rate = 0;                   // α of the memory
  bool start_at_gradient = false;    // memory_init = "gradient"
  Index whole_tail = 0;              // so many of a message's last numbers go whole, without compressor and memory
};

struct Downlink {
  CompressorSpec compressor;  // identity: θ whole, every round
  bool feedback = false;      // EF21-P: C(θ - w), w ← w + C(θ - w); clients work at w
};

enum class ParticipationPolicy { full, bernoulli, fixed_size };
enum class Scaling { active, inverse_probability };

struct Participation {
  ParticipationPolicy policy = ParticipationPolicy::full;
  std::vector<double> probability;  // bernoulli: one for all, or one a client
  Scaling scaling = Scaling::active;
  Index size = 0;                   // fixed-size
  bool replacement = false;
};

// The averaging family (algorithms.md section 6): clients step, the server averages. With client weights w_i that sum to
// one, a local step is
//   x ← x - γ' g_i/w_i + √(2γ'T) (√ρ' Z + √((1-ρ')/w_i) Z_i),   Z common to all clients,
// and the server takes Σ w_i x_i. FALD: w_i = 1/b, γ' = γ/b, ρ' = τ. FA-LD: w_i = N_i/N, γ' = η, ρ' = ρ².
struct LocalSteps {
  Index steps = 10;              // K local steps a round
  double communicate = 0;        // p_c: geometric gaps in place of K; 0: none
  double common = 1;             // ρ'
  bool by_size = false;          // w_i = N_i/N and the step is γ' itself, as FA-LD has it
  double refresh = 0;            // q_c, VR-FALD*'s control variates; 0: none
  bool emit_every = false;       // for studies: the average after every iteration
  std::optional<double> clip;    // of every row's gradient
  bool decaying = false;         // the step is 1/(2L + m k/12)
  double smoothness = 0;         // L
  double convexity = 0;          // m

  // γ' at an iteration, for a `step` in the paper's units.
  double step_at(double step, Index clients, std::uint64_t iteration) const {
    return decaying ? 1 / (2 * smoothness + convexity * static_cast<double>(iteration) / 12) : step * unit(clients);
  }
  double common_spread(double step, Index clients, std::uint64_t iteration, double temperature) const {
    return std::sqrt(2 * step_at(step, clients, iteration) * temperature * common);
  }
  double unit(Index clients) const { return by_size ? 1.0 : 1.0 / static_cast<double>(clients); }  // γ' of step 1
  double mean_steps() const { return communicate > 0 ? 1 / communicate : static_cast<double>(steps); }
};

struct Recipe {
  std::string name;
  bool personal = false;   // clients with latents of their own (pollen/personal.h)
  bool reference = false;  // a centralised sampler or a competitor (pollen/reference.h): the name says it all
  OracleKind oracle = OracleKind::full;
  Batch batch;
  Index refresh = 100;  // svrg: l
  Uplink up;
  Downlink down;
  Participation participation;
  std::optional<LocalSteps> local;  // empty: the gradient family
  double step = 0;        // γ, in the paper's own units
  double temperature = 1; // T
  bool prior_on_server = true;
  bool coupled = false;   // chains share participation
  bool make_bytes = true; // wire = "bytes"; false: lengths are computed, bytes are not made

  // Local steps: whether messages are changes from what the server knows, not positions.
  bool sends_changes() const {
    return local && (up.compressor.compresses() || up.compressor.bits != 64 || !up.per_client.empty());
  }
};

// A row of the table of named samplers: what the name stands for, before the user's own keys.
struct NamedSampler {
  const char* name;
  const char* paper;
  const char* summary;
  OracleKind oracle;
  const char* compressor;
  Memory memory;
  bool down_feedback;
  bool minibatch_default;  // batch = 0.1 unless set
  enum class Family { gradient, fald, fa_ld, personal } family = Family::gradient;
};
const std::vector<NamedSampler>& recipe_table();
const NamedSampler* find_sampler(const std::string& name);  // null where there is none

}  // namespace pollen
