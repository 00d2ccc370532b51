// Random numbers by address. A number is (seed, chain, purpose, round, client, step, index) → bits through
// Philox4x32-10 (Salmon et al. 2011, Random123's definition); nothing advances, so nothing is split, saved or locked.
//
// The layout is a contract: entries may be appended but never renumbered.
//   key     = first two words of Philox(key = seed low, high; counter = chain, purpose, 0x6c6c6f70, 0x00006e65)
//   counter = (index / 4, client, round low 32, round high 12 | step << 12)
// One counter yields four 32-bit words in order; word 4i+j is word j of counter index i. 64-bit word n is words 2n
// (low) and 2n+1 (high). index / 4 is 32 bits wide, round 44, step 20.
//
//   const Stream stream = make_stream(seed, chain, Purpose::init);
//   std::vector<double> z(d);
//   normals(stream, z);                                   // the same numbers whoever asks, and when
//
// All functions are pure and thread-safe. Bits are the same on AVX2 and AVX-512.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pollen/types.h"

namespace pollen {

enum class Purpose : std::uint32_t {
  noise = 1,          // the server's Langevin noise
  minibatch = 2,      // which rows a client uses
  compress_up = 3,    // a client's compressor
  compress_down = 4,  // the server's compressor
  participation = 5,  // who takes part
  partition = 6,      // how data are split over clients
  test_split = 7,     // which rows are held out
  synthetic = 8,      // generated data
  init = 9,           // starting positions
  power = 10,         // the starting vector of power iterations
  local_noise = 11,   // a client's own noise in local steps
  schedule = 12,      // when local steps end in an average, and when control variates are refreshed
  latent_start = 13,  // where a client's latent starts: a draw from the population
  baseline = 14,      // a personalised baseline's coins: l2gd steps or aggregates
  // 15 to 19 are kept for rounds.
  momentum = 20,           // Hamiltonian momenta
  metropolis = 21,         // accepted or not
  trajectory = 22,         // which way and how far a Hamiltonian trajectory goes, and which of its states is taken
  reference_noise = 23,    // a competitor's noise on a client
  visit = 24,              // which client a chain visits
  distillation = 25,       // rows and labels that a server's model is taught
  simulated_network = 26,  // clients' lines and speeds in a simulated network: no draw depends on them
  curvature_sample = 27,   // which clients set-up asks for whole Hessians
  shared_code = 28,        // what both ends of a code draw: layers and dithers of coded messages
};

using PhiloxKey = std::array<std::uint32_t, 2>;

// One evaluation of Philox4x32-10.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, PhiloxKey key);

PhiloxKey derive_key(std::uint64_t seed, std::uint32_t chain, Purpose purpose);

// An address without its index. `key` is derived once per chain and purpose and kept; the other fields are cheap to
// fill in.
struct Stream {
  PhiloxKey key{};
  std::uint64_t round = 0;
  std::uint32_t client = 0;
  std::uint32_t step = 0;
};

// Makes the stream for (seed, chain, purpose). The caller sets round, client and step.
inline Stream make_stream(std::uint64_t seed, std::uint32_t chain, Purpose purpose) {
  return {derive_key(seed, chain, purpose), 0, 0, 0};
}

// Writes the words first_word, first_word + 1, ... of the stream. first_word must be a multiple of 4.
void random_words(const Stream& stream, std::span<std::uint32_t> out, std::uint64_t first_word = 0);

// Writes uniforms in [0, 1): out[n] is made of the top 53 bits of 64-bit word n.
void uniforms(const Stream& stream, std::span<double> out);

// out[n] ~ N(0, 1) by Box-Muller on 64-bit words (2m, 2m+1) → normals 2m, 2m+1; own log, sine and cosine, no libm.
void normals(const Stream& stream, std::span<double> out,
             std::uint64_t first = 0);  // from normal `first` on, which is even

// Draws numbers one after another from a stream, for decisions that need an unknown number of them. It starts at word
// 0.
class Sequence {
 public:
  explicit Sequence(const Stream& stream) : stream_(stream) {}
  std::uint64_t next();                      // 64 random bits
  double uniform();                          // in [0, 1), with 53 random bits
  double normal();                           // the first of a Box-Muller pair; the second is dropped
  std::uint64_t below(std::uint64_t bound);  // uniform in 0..bound-1 without bias (Lemire's rejection); bound >= 1
  double gamma(double shape);                // Gamma(shape, 1), Marsaglia and Tsang 2000; shape > 0

 private:
  void refill();

  Stream stream_;
  std::uint64_t used_ = 0;                 // number of 64-bit words taken so far
  std::array<std::uint64_t, 16> block_{};  // words computed ahead
  std::size_t position_ = 16;              // position of the next unused word in block_
};

// k different numbers of 0..n-1, a uniform subset, sorted, in O(k log k) or better (Floyd's method). k == n draws
// nothing.
void sample_without_replacement(Sequence& sequence, std::uint32_t n, std::uint32_t k, std::vector<std::uint32_t>& out);

// The sorted successes among n independent coins of probability p, in O(successes) by geometric skips. p == 1 draws
// nothing.
void bernoulli_subset(Sequence& sequence, std::uint32_t n, double p, std::vector<std::uint32_t>& out);

// Draws a uniform permutation of 0..n-1 (Fisher-Yates).
std::vector<std::uint32_t> permutation(Sequence& sequence, std::uint32_t n);

}  // namespace pollen
