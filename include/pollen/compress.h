// Compressors: a vector to bytes and back. The algorithm only ever sees decoded vectors; bits are those of the bytes made.
//
// They are stateless and thread-safe. Formats: docs/formats/compressors.md (a contract). Non-finite input is a NumericError.
//   auto c = make_compressor({.kind = "qsgd", .levels = 16}, d);
//   Bytes payload;
//   std::int64_t bits = c->encode(v, stream, decoded, &payload, scratch);   // decoded == what decode(payload) gives, bit for bit
//
// Your own is a class derived from Compressor and one call before the configuration is read; then sampler.compressor,
// sampler.downlink, `pollen list compressors` and error messages know its name:
//   register_compressor({.name = "sign", .summary = "signs and one norm", .keys = "", .unbiased = false,
//                        .make = [](const CompressorSpec&, Index) { return std::make_unique<Sign>(); }});
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pollen/random.h"
#include "pollen/types.h"

namespace pollen {

struct CompressorSpec {
  std::string kind = "identity";  // the name of a row
  int bits = 64;            // width of identity words and of top-k and rand-k values: 32 or 64
  std::uint32_t levels = 16;  // qsgd: s
  Index k = 1;              // top-k, rand-k
  bool scaled = false;      // C/(ω+1), for unbiased kinds: contractive with α = 1/(ω+1)
  bool operator==(const CompressorSpec&) const = default;
  bool compresses() const { return kind != "identity"; }
};

// A vector to encode among others.
struct Encoding {
  std::span<const double> v;
  Stream stream;
  std::span<double> decoded;  // C(v)
  Bytes* payload = nullptr;   // null: only its length is wanted
  std::int64_t bits = -1;     // the answer; still -1 where encoding ended in an error before this one
};

class Compressor {
 public:
  virtual ~Compressor() = default;

  // Encodes v; writes C(v) to `decoded` (same size; v's own memory, or none of it). Appends the payload to *payload, or, where payload
  // is null, only computes its length. Returns the payload's bits, 8 × its bytes, the same in both cases.
  virtual std::int64_t encode(std::span<const double> v, const Stream& stream, std::span<double> decoded, Bytes* payload,
                              Scratch& scratch) const = 0;
  // encode() of several vectors, in order; the default takes one after the other.
  virtual void encode_all(std::span<Encoding> jobs, Scratch& scratch) const;
  // Reads a whole payload for a vector of out.size() coordinates. Hostile bytes: WireError, never more.
  virtual void decode(ByteView payload, std::span<double> out, Scratch& scratch) const = 0;
  // decode() of two payloads, in any order; the default takes one after the other.
  virtual void decode_two(const std::array<ByteView, 2>& payloads, const std::array<std::span<double>, 2>& out,
                          Scratch& scratch) const;
  // out += weight · decode(payload), fused, where out holds no -0: a kind may touch only what the payload names. After a
  // WireError out is rubbish.
  virtual void decode_add(ByteView payload, double weight, std::span<double> out, Scratch& scratch) const;

  virtual bool unbiased() const = 0;
  // ω: E‖C(v)-v‖² ≤ ω‖v‖² (unbiased kinds; for others the smallest known bound). At dimension d.
  virtual double omega(Index d) const = 0;
  // α: E‖C(v)-v‖² ≤ (1-α)‖v‖²; 0 where the kind is not contractive. An unbiased kind with ω < 1 has α = 1-ω.
  virtual double alpha(Index d) const = 0;
  // Alistarh et al.'s nominal bits (algorithms.md section 2); null but for qsgd.
  virtual std::optional<double> bits_bound(Index d) const { (void)d; return std::nullopt; }
};

// What can be chosen as sampler.compressor.
struct CompressorRow {
  std::string name;
  std::string summary;    // one line for `pollen list compressors`
  std::string keys;       // the settings it reads, separated by spaces: of "bits", "levels" and "k"
  bool unbiased = true;   // E C(v) = v, so that scaled = true makes sense
  // For vectors of d coordinates. The settings that `keys` names are in their ranges.
  std::function<std::unique_ptr<const Compressor>(const CompressorSpec& spec, Index d)> make;
};

// Adds a row of your own; std::invalid_argument where the name is taken. Not while anything runs.
void register_compressor(CompressorRow row);

// Throws ConfigError for a name that is no row's and for a spec that makes no sense at dimension d (k > d, levels = 0, bits
// not 32 or 64, a biased compressor scaled).
std::unique_ptr<const Compressor> make_compressor(const CompressorSpec& spec, Index d);
// The same for all but the last `tail` of d coordinates. Those go as float64 words, which come first in the payload.
std::unique_ptr<const Compressor> make_compressor(const CompressorSpec& spec, Index d, Index tail);

}  // namespace pollen
