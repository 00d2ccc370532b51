// Compressors around another compressor.
#include <algorithm>

#include "kinds.h"
#include "payload.h"

namespace pollen::compress {
namespace {

// scaled(C) is C/(ω+1) for an unbiased C, which makes it contractive with α = 1/(ω+1). The payload is that of C; both
// sides divide what they decode.
class Scaled final : public Compressor {
 public:
  explicit Scaled(std::unique_ptr<const Compressor> unbiased) : inner_(std::move(unbiased)) {}

  std::int64_t encode(std::span<const double> v, const Stream& stream, std::span<double> decoded, Bytes* payload,
                      Scratch& scratch) const override {
    const std::int64_t bits = inner_->encode(v, stream, decoded, payload, scratch);
    divide(decoded);
    return bits;
  }

  void decode(ByteView payload, std::span<double> out, Scratch& scratch) const override {
    inner_->decode(payload, out, scratch);
    divide(out);
  }

  bool joins() const override { return inner_->joins(); }
  bool learns() const override { return inner_->learns(); }
  CodeMemory encode_joined(std::span<Encoding> parts, const CodeMemory& memory, Role role, Bytes* payload,
                           Scratch& scratch) const override {
    const CodeMemory after = inner_->encode_joined(parts, memory, role, payload, scratch);
    for (const Encoding& part : parts) divide(part.decoded);
    return after;
  }
  CodeMemory decode_joined(ByteView payload, std::span<const Decoding> parts, const CodeMemory& memory, Role role,
                           Scratch& scratch) const override {
    const CodeMemory after = inner_->decode_joined(payload, parts, memory, role, scratch);
    for (const Decoding& part : parts) divide(part.out);
    return after;
  }

  bool unbiased() const override { return false; }
  double omega(Index d) const override { return 1 - alpha(d); }
  double alpha(Index d) const override { return 1 / (inner_->omega(d) + 1); }
  std::optional<double> bits_bound(Index d) const override { return inner_->bits_bound(d); }
  double covariance(std::span<const double> v, std::span<double> diagonal) const override {
    const double divisor = inner_->omega(std::ssize(v)) + 1, between = inner_->covariance(v, diagonal);
    for (double& x : diagonal) x /= divisor * divisor;
    return between / (divisor * divisor);
  }

 private:
  void divide(std::span<double> values) const {
    const double divisor = inner_->omega(static_cast<Index>(values.size())) + 1;
    for (double& value : values) value /= divisor;
  }

  std::unique_ptr<const Compressor> inner_;
};

// Compresses the first coordinates of a vector and sends the last ones uncompressed. In models with latents a client's
// message is compressed for φ and exact for β. The uncompressed words come first, because their number is known.
class WholeTail final : public Compressor {
 public:
  WholeTail(std::unique_ptr<const Compressor> head, const CompressorSpec& spec, Index tail)
      : head_(std::move(head)),
        words_(make_compressor({}, std::max<Index>(1, tail))),
        head_bits_(!spec.compresses() ? spec.bits : 0),
        tail_(static_cast<std::size_t>(tail)) {}

  std::int64_t encode(std::span<const double> v, const Stream& stream, std::span<double> decoded, Bytes* payload,
                      Scratch& scratch) const override {
    const std::size_t n = v.size() - tail_;
    const std::int64_t bits = words_->encode(v.subspan(n), stream, decoded.subspan(n), payload, scratch);
    return n == 0 ? bits : bits + head_->encode(v.first(n), stream, decoded.first(n), payload, scratch);
  }

  void decode(ByteView payload, std::span<double> out, Scratch& scratch) const override {
    const std::size_t n = out.size() - tail_, words = tail_ * sizeof(double);
    if (payload.size() < words || (n == 0 && payload.size() > words))
      wire_error(payload.size(), "bytes", n == 0 ? "exactly" : "at least", words);
    words_->decode(payload.first(words), out.subspan(n), scratch);
    if (n > 0) head_->decode(payload.subspan(words), out.first(n), scratch);
  }

  // The words of all parts come first, then the bit string of their heads.
  bool joins() const override { return head_ && head_->joins(); }
  bool learns() const override { return joins() && head_->learns(); }
  CodeMemory encode_joined(std::span<Encoding> parts, const CodeMemory& memory, Role role, Bytes* payload,
                           Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    const std::size_t n = parts.front().v.size() - tail_;
    const auto heads = scratch.take<Encoding>(std::ssize(parts));
    std::int64_t bits = 0;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const Encoding& part = heads[p] = parts[p];
      bits += words_->encode(part.v.subspan(n), part.stream, part.decoded.subspan(n), payload, scratch);
      heads[p].v = part.v.first(n);
      heads[p].decoded = parts[p].decoded.first(n);
    }
    const CodeMemory after = head_->encode_joined(heads, memory, role, payload, scratch);
    for (std::size_t p = 0; p < parts.size(); ++p) parts[p].bits = heads[p].bits;
    parts.front().bits += bits;
    return after;
  }
  CodeMemory decode_joined(ByteView payload, std::span<const Decoding> parts, const CodeMemory& memory, Role role,
                           Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    const std::size_t words = tail_ * sizeof(double);
    if (payload.size() < parts.size() * words) wire_error(payload.size(), "bytes", "at least", parts.size() * words);
    const auto heads = scratch.take<Decoding>(std::ssize(parts));
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const std::size_t n = parts[p].out.size() - tail_;
      words_->decode(payload.subspan(p * words, words), parts[p].out.subspan(n), scratch);
      heads[p] = {parts[p].stream, parts[p].spread, parts[p].out.first(n)};
    }
    return head_->decode_joined(payload.subspan(parts.size() * words), heads, memory, role, scratch);
  }

  // The constants hold for vectors whose tail is zero, which is the worst case.
  bool unbiased() const override { return !head_ || head_->unbiased(); }
  double omega(Index d) const override { return head_ ? head_->omega(head_of(d)) : 0; }
  double alpha(Index d) const override { return head_ ? head_->alpha(head_of(d)) : 1; }
  std::optional<double> bits_bound(Index d) const override {
    const auto words = static_cast<double>(64 * tail_);
    if (!head_ || head_bits_ > 0) return words + static_cast<double>(head_bits_ * head_of(d));
    const std::optional<double> bound = head_->bits_bound(head_of(d));
    return bound ? std::optional(words + *bound) : std::nullopt;
  }

 private:
  Index head_of(Index d) const { return d - static_cast<Index>(tail_); }

  std::unique_ptr<const Compressor> head_;  // null if the tail is the whole vector
  std::unique_ptr<const Compressor> words_;
  int head_bits_;  // bits per coordinate if the head is sent as words, else 0
  std::size_t tail_;
};

}  // namespace

std::unique_ptr<const Compressor> make_scaled(std::unique_ptr<const Compressor> unbiased) {
  return std::make_unique<Scaled>(std::move(unbiased));
}

std::unique_ptr<const Compressor> make_whole_tail(std::unique_ptr<const Compressor> head, const CompressorSpec& spec,
                                                  Index tail) {
  return std::make_unique<WholeTail>(std::move(head), spec, tail);
}

}  // namespace pollen::compress
