// A Compressor turns a vector into bytes and back. Samplers only ever work with decoded vectors, and reported bits are
// the lengths of the encoded messages. Compressors are stateless and thread-safe; input that is not finite is a
// NumericError. docs/algorithms.md section 2 defines them, and docs/formats/compressors.md fixes their bytes.
//
//   auto c = make_compressor({.kind = "qsgd", .levels = 16}, d);
//   Bytes payload;
//   std::int64_t bits = c->encode(v, stream, decoded, &payload, scratch);   // decoded equals decode(payload)
//
// To add your own compressor, derive a class from Compressor and register it before the configuration is read. Then
// sampler.compressor, sampler.downlink, `pollen list compressors` and error messages know its name
// (examples/library/compressor.cc):
//
//   register_compressor({.name = "sign", .summary = "signs and one norm", .keys = "", .unbiased = false,
//                        .make = [](const CompressorSpec&, Index) { return std::make_unique<Sign>(); }});
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pollen/random.h"
#include "pollen/types.h"

namespace pollen {

// The settings of a compressor.
struct CompressorSpec {
  std::string kind = "identity";  // the name of a CompressorRow
  int bits = 64;                  // width of identity words and of top-k and rand-k values: 32 or 64
  std::uint32_t levels = 16;      // qsgd: s, the number of levels
  Index k = 1;                    // top-k, rand-k: how many coordinates are kept
  bool scaled = false;            // use C/(ω+1) for an unbiased C, which is contractive with α = 1/(ω+1)
  bool operator==(const CompressorSpec&) const = default;
  bool compresses() const { return kind != "identity"; }
};

// One vector to be encoded together with others.
struct Encoding {
  std::span<const double> v;
  Stream stream;
  std::span<double> decoded;  // C(v)
  Bytes* payload = nullptr;   // null if only the length is wanted
  std::int64_t bits = -1;     // the result; still -1 if an earlier vector's error ended the encoding
  double spread = 1;          // coded: s, the standard deviation that the error shall have
};

// One vector to be decoded together with others.
struct Decoding {
  Stream stream;
  double spread = 1;
  std::span<double> out;
};

// What both ends of a code have learnt from the messages that were counted. It decides about the bytes of the next
// message, but never about what is decoded from them.
struct CodeMemory {
  std::uint64_t updates = 0;  // the messages that were counted since both ends began
  std::uint64_t mean = 0;     // a running mean in units of the compressor; without meaning before the first update
  bool operator==(const CodeMemory&) const = default;
};

class Compressor {
 public:
  virtual ~Compressor() = default;

  // Encodes v, writes C(v) to `decoded` and appends the payload to *payload. If payload is null, only the length is
  // computed. `decoded` has the size of v and either is v's own memory or does not overlap it. Returns the payload's
  // bits, 8 × its bytes, which are the same in both cases.
  virtual std::int64_t encode(std::span<const double> v, const Stream& stream, std::span<double> decoded,
                              Bytes* payload, Scratch& scratch) const = 0;
  // Encodes several vectors, in order. The default calls encode() for one after another.
  virtual void encode_all(std::span<Encoding> jobs, Scratch& scratch) const;
  // Decodes a whole payload to a vector of out.size() coordinates. Malformed bytes cause a WireError and nothing worse.
  virtual void decode(ByteView payload, std::span<double> out, Scratch& scratch) const = 0;
  // Adds weight · decode(payload) to out, with a fused multiply-add. `out` must hold no -0, because a compressor may
  // touch only the coordinates that the payload names. After a WireError the contents of out are undefined.
  virtual void decode_add(ByteView payload, double weight, std::span<double> out, Scratch& scratch) const;

  // Whether the vectors of a reply are coded together, as one bit string. Such messages are made and read by the two
  // functions below.
  virtual bool joins() const { return false; }
  // Whether that code learns from earlier messages, which the memory stands for.
  virtual bool learns() const { return false; }
  // Encodes the vectors, all of one size, and appends the payload unless it is null. The bits of all vectors are those
  // of the first; the others have none. Returns the memory that both ends move to once the message is counted. A
  // reference (coded) is coded more finely than a message and leaves the memory as it is.
  enum class Role { message, reference };
  virtual CodeMemory encode_joined(std::span<Encoding> parts, const CodeMemory& memory, Role role, Bytes* payload,
                                   Scratch& scratch) const;
  virtual CodeMemory decode_joined(ByteView payload, std::span<const Decoding> parts, const CodeMemory& memory,
                                   Role role, Scratch& scratch) const;

  virtual bool unbiased() const = 0;
  // ω at dimension d: E‖C(v)-v‖² ≤ ω‖v‖². For biased compressors it is the smallest known bound.
  virtual double omega(Index d) const = 0;
  // α at dimension d: E‖C(v)-v‖² ≤ (1-α)‖v‖², or 0 if the compressor is not contractive. An unbiased compressor with
  // ω < 1 has α = 1-ω.
  virtual double alpha(Index d) const = 0;
  // Describes the covariance of C(v), which is D + u v vᵀ with a diagonal D: writes D and returns u. The default
  // spreads the largest variance, ω‖v‖², evenly over the coordinates.
  virtual double covariance(std::span<const double> v, std::span<double> diagonal) const;
  // The nominal bits of Alistarh et al. (docs/algorithms.md section 2). Empty for all compressors but qsgd.
  virtual std::optional<double> bits_bound(Index d) const {
    (void)d;
    return std::nullopt;
  }
};

// One entry of the table of compressors that sampler.compressor can name.
struct CompressorRow {
  std::string name;
  std::string summary;  // one line for `pollen list compressors`
  // The settings it reads among "bits", "levels", "k" and "noise_share", separated by spaces. With the last one its
  // errors are the noise of Langevin steps.
  std::string keys;
  bool unbiased = true;  // E C(v) = v, which scaled = true requires
  // Makes a compressor for vectors of d coordinates. The settings that `keys` names have been checked.
  std::function<std::unique_ptr<const Compressor>(const CompressorSpec& spec, Index d)> make;
};

// Adds a compressor to the table. Throws std::invalid_argument if the name is taken. Not thread-safe: call it before
// the first configuration is read, which then accepts the name.
void register_compressor(CompressorRow row);

// Makes a compressor for d coordinates. Throws ConfigError for an unknown name and for settings that make no sense: k >
// d, levels = 0, bits other than 32 or 64, or scaled = true for a biased compressor.
std::unique_ptr<const Compressor> make_compressor(const CompressorSpec& spec, Index d);
// Makes a compressor for d ≥ 0 coordinates that sends the last `tail` of them as float64 words, which come first in the
// payload, and compresses the others.
std::unique_ptr<const Compressor> make_compressor(const CompressorSpec& spec, Index d, Index tail);

}  // namespace pollen
