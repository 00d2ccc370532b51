// Compressors: a vector to bytes and back. The algorithm only ever sees decoded vectors; bits are those of the bytes
// made.
//
// Stateless and thread-safe. Formats: docs/formats/compressors.md (a contract). Non-finite input is a NumericError.
//   Bytes payload;
//   std::int64_t bits = c->encode(v, stream, decoded, &payload, scratch);   // decoded == what decode(payload) gives,
//   bit for bit
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "pollen/random.h"
#include "pollen/types.h"

namespace pollen {

enum class CompressorKind { identity, qsgd, top_k, rand_k, natural };

struct CompressorSpec {
  CompressorKind kind = CompressorKind::identity;
  int bits = 64;              // width of identity words and of top-k and rand-k values: 32 or 64
  std::uint32_t levels = 16;  // qsgd: s
  Index k = 1;                // top-k, rand-k
  bool scaled = false;        // C/(ω+1), for unbiased kinds: contractive with α = 1/(ω+1)
  bool operator==(const CompressorSpec&) const = default;
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

  // Encodes v; writes C(v) to `decoded` (same size; v's own memory, or none of it). Appends the payload to *payload,
  // or, where payload is null, only computes its length. Returns the payload's bits, 8 × its bytes, the same in both
  // cases.
  virtual std::int64_t encode(std::span<const double> v, const Stream& stream, std::span<double> decoded,
                              Bytes* payload, Scratch& scratch) const = 0;
  // encode() of several vectors, in order; the default takes one after the other.
  virtual void encode_all(std::span<Encoding> jobs, Scratch& scratch) const;
  // Reads a whole payload for a vector of out.size() coordinates. Hostile bytes: WireError, never more.
  virtual void decode(ByteView payload, std::span<double> out, Scratch& scratch) const = 0;
  // decode() of two payloads, in any order; the default takes one after the other.
  virtual void decode_two(const std::array<ByteView, 2>& payloads, const std::array<std::span<double>, 2>& out,
                          Scratch& scratch) const;
  // out += weight · decode(payload), fused, where out holds no -0: a kind may touch only what the payload names. After
  // a WireError out is rubbish.
  virtual void decode_add(ByteView payload, double weight, std::span<double> out, Scratch& scratch) const;

  virtual bool unbiased() const = 0;
  // ω: E‖C(v)-v‖² ≤ ω‖v‖² (unbiased kinds; for others the smallest known bound). At dimension d.
  virtual double omega(Index d) const = 0;
  // α: E‖C(v)-v‖² ≤ (1-α)‖v‖²; 0 where the kind is not contractive. An unbiased kind with ω < 1 has α = 1-ω.
  virtual double alpha(Index d) const = 0;
  // Alistarh et al.'s nominal bits (algorithms.md section 2); null but for qsgd.
  virtual std::optional<double> bits_bound(Index d) const {
    (void)d;
    return std::nullopt;
  }
};

// Throws ConfigError for a spec that makes no sense at dimension d (k > d, levels = 0, bits not 32 or 64, scaled
// top-k).
std::unique_ptr<const Compressor> make_compressor(const CompressorSpec& spec, Index d);

std::string name_of(CompressorKind kind);  // "identity", "qsgd", "top-k", "rand-k", "natural"

}  // namespace pollen
