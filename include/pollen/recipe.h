// A sampler is data: a Recipe says which oracle, which channels, who takes part. QLSD++ or B-ELF are rows of a table
// (recipe_table), and a new combination needs no new class. Plain data; validation and defaults live in src/recipe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pollen/compress.h"
#include "pollen/types.h"

namespace pollen {

enum class OracleKind { full, minibatch, fixed_point, svrg };

// How many rows a client uses: all, a count (clipped to N_i) or a fraction (max(1, ⌊f·N_i⌋)).
struct Batch {
  std::optional<Index> count;
  std::optional<double> fraction;
  Index of(Index rows) const;
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

struct Recipe {
  std::string name;
  OracleKind oracle = OracleKind::full;
  Batch batch;
  Index refresh = 100;  // svrg: l
  Uplink up;
  Downlink down;
  Participation participation;
  double step = 0;        // γ
  double temperature = 1; // T
  bool prior_on_server = true;
  bool coupled = false;   // chains share participation
  bool make_bytes = true; // wire = "bytes"; false: lengths are computed, bytes are not made
};

// A row of the table of named samplers: what the name stands for, before the user's own keys.
struct NamedSampler {
  const char* name;
  const char* paper;
  const char* summary;
  OracleKind oracle;
  CompressorKind compressor;
  Memory memory;
  bool down_feedback;
  bool minibatch_default;  // batch = 0.1 unless set
};
const std::vector<NamedSampler>& recipe_table();
const NamedSampler* find_sampler(const std::string& name);  // null where there is none

}  // namespace pollen
