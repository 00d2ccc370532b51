// The compressor coded: the shifted layered quantiser (shifted_layers.h) and an adaptive range code. Decoding errors
// are exactly N(0, s²) and independent of the message, so that they can be the noise of a Langevin step. The payload is
// specified in docs/formats/compressors.md.
//
// The whole numbers k are coded as those of a normal v with standard deviation r = π s m, where m follows the mean of
// |k| over the messages that were counted: E|k| = E|v|/(s√(2π)) exactly, so r need not be sent.
#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "elias.h"
#include "kinds.h"
#include "math/math.h"
#include "normal_tail.h"
#include "payload.h"
#include "range_coder.h"
#include "running_mean.h"
#include "shifted_layers.h"

namespace pollen::compress {
namespace {

constexpr double kMostSteps = 0x1p40;                   // |k| stays below
constexpr unsigned kMostZeros = 39;                     // of the gamma code of |k| - 3
constexpr std::uint64_t kMostBits = 98;                 // per coordinate: an escape takes at most 16 + 1 + 79
constexpr std::uint64_t kOne = std::uint64_t{1} << 22;  // the unit of a memory's mean
constexpr double kPi = 3.141592653589793;

// The means of |k|: 1/π at first, for which r = s, and never below 0.002.
constexpr RunningMean kMean{kOne, 1335088, 8389, std::uint64_t{1} << 62};

// The probabilities of one coordinate's symbols, in units of 1/kTotal. The law of k + u is that of v/(sΔ), so the
// boundaries between the numbers are at half-integers less u, and `per_width` = s/r turns them into quantiles.
struct Odds {
  double dither, ratio;        // u, and the width of the layer in standard deviations r
  std::uint32_t above, below;  // the tails beyond 0

  Odds(double width, double u, double per_width)
      : dither(u),
        ratio(width * per_width),
        above(normal_tail((0.5 + u) * ratio)),
        below(normal_tail((0.5 - u) * ratio)) {}

  std::uint32_t zero() const { return kTotal - (kSymbols - 1) - above - below; }

  struct Range {
    std::uint32_t first, size;
  };
  // The ranges of +1, -1, +2, -2, +3, -3 and the escape.
  std::array<Range, kSymbols - 1> others() const {
    std::array<Range, kSymbols - 1> ranges;
    std::uint32_t first = zero(), up = above, down = below;
    for (std::size_t n = 0; n < 3; ++n) {
      const double next = 1.5 + static_cast<double>(n);
      const std::uint32_t further_up = normal_tail((next + dither) * ratio),
                          further_down = normal_tail((next - dither) * ratio);
      ranges[2 * n] = {first, 1 + up - further_up};
      ranges[2 * n + 1] = {first + ranges[2 * n].size, 1 + down - further_down};
      first = ranges[2 * n + 1].first + ranges[2 * n + 1].size;
      up = further_up;
      down = further_down;
    }
    ranges[6] = {first, kTotal - first};
    return ranges;
  }
};

// Writes the low `count` bits, each of them as a symbol of its own, because the reader learns from them how many
// follow.
void put_many(RangeWriter& writer, std::uint64_t bits, unsigned count) {
  while (count > 0) writer.put_bit(bits >> --count & 1);
}

void put_other(RangeWriter& writer, const Odds& odds, double step) {
  const bool negative = step < 0;
  const auto size = static_cast<std::uint64_t>(std::abs(step));
  const auto ranges = odds.others();
  if (size <= 3) {
    const auto& range = ranges[2 * (size - 1) + (negative ? 1 : 0)];
    return writer.put(range.first, range.size);
  }
  writer.put(ranges.back().first, ranges.back().size);
  writer.put_bit(negative ? 1 : 0);
  const unsigned zeros = log2_floor(size - 3);
  put_many(writer, 0, zeros);
  put_many(writer, size - 3, zeros + 1);
}

double take_escape(RangeReader& reader) {
  const bool negative = reader.take_bit() != 0;
  unsigned zeros = 0;
  while (reader.take_bit() == 0)
    if (++zeros > kMostZeros) wire_error(zeros, "zeros before a number", "at most", kMostZeros);
  std::uint64_t size = 1;
  for (unsigned bit = 0; bit < zeros; ++bit) size = size << 1 | reader.take_bit();
  const double step = static_cast<double>(size + 3);
  if (step >= kMostSteps) wire_error(size + 3, "steps", "below", static_cast<std::uint64_t>(kMostSteps));
  return negative ? -step : step;
}

double take_other(RangeReader& reader, const Odds& odds) {
  const std::uint64_t at = reader.peek();
  const auto ranges = odds.others();
  for (std::size_t n = 0; n < ranges.size(); ++n) {
    if (at >= ranges[n].first + std::uint64_t{ranges[n].size}) continue;
    reader.take(ranges[n].first, ranges[n].size);
    if (n + 1 == ranges.size()) return take_escape(reader);
    const double size = 1 + static_cast<double>(n / 2);
    return n % 2 == 0 ? size : -size;
  }
  wire_error(at, "as a place among probabilities", "below", kTotal);
}

// How vectors are quantised and which size their probabilities expect. Vectors of the usual size r = π s m are
// quantised with errors s, and references with errors r/2.
struct Scale {
  double spread;     // the errors' standard deviation over s
  double per_width;  // that standard deviation over r
  std::uint32_t step;

  Stream stream(Stream of) const {
    of.step += step;
    return of;
  }
};

Scale scale_of(const CodeMemory& memory, Compressor::Role role) {
  const double usual = kPi * static_cast<double>(kMean.of(memory)) / static_cast<double>(kOne);  // r/s
  return role == Compressor::Role::message ? Scale{1, 1 / usual, 0} : Scale{usual / 2, 0.5, kStepsPerLayer};
}

class Coded final : public Compressor {
 public:
  std::int64_t encode(std::span<const double> v, const Stream& stream, std::span<double> decoded, Bytes* payload,
                      Scratch& scratch) const override {
    Encoding alone{v, stream, decoded, payload};
    encode_joined({&alone, 1}, {}, Role::message, payload, scratch);
    return alone.bits;
  }
  void decode(ByteView payload, std::span<double> out, Scratch& scratch) const override {
    (void)payload, (void)out, (void)scratch;
    throw std::logic_error("a coded message cannot be decoded without its random numbers");
  }

  bool joins() const override { return true; }
  bool learns() const override { return true; }
  CodeMemory encode_joined(std::span<Encoding> parts, const CodeMemory& memory, Role role, Bytes* payload,
                           Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    const Scale scale = scale_of(memory, role);
    const auto d = static_cast<Index>(parts.front().v.size());
    const Layers layers = take_layers(d, scratch);
    const auto steps = scratch.take<double>(d);
    thread_local Bytes unsent;  // the message if only its length is wanted
    unsent.clear();
    Bytes& out = payload != nullptr ? *payload : unsent;
    const std::size_t before = out.size();
    RangeWriter writer(out);
    Wide sum = 0;
    for (Encoding& part : parts) {
      draw_layers(scale.stream(part.stream), layers);
      if (!quantise_in(layers, scale.spread * part.spread, part.v, kMostSteps, steps, part.decoded)) refuse(part.v);
      for (std::size_t j = 0; j < steps.size(); ++j) {
        const Odds odds(layers.width[j], layers.dither[j], scale.per_width);
        if (steps[j] == 0) {
          writer.put_lowest(odds.zero());
          continue;
        }
        sum += static_cast<std::uint64_t>(std::abs(steps[j]));
        put_other(writer, odds, steps[j]);
      }
      part.bits = 0;
    }
    writer.finish();
    parts.front().bits = 8 * static_cast<std::int64_t>(out.size() - before);
    if (role == Role::reference) return memory;
    return kMean.after(memory, sum, static_cast<std::uint64_t>(d) * parts.size());
  }

  CodeMemory decode_joined(ByteView payload, std::span<const Decoding> parts, const CodeMemory& memory, Role role,
                           Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    const Scale scale = scale_of(memory, role);
    const auto d = static_cast<Index>(parts.front().out.size());
    const std::uint64_t numbers = static_cast<std::uint64_t>(d) * parts.size();
    if (const std::uint64_t most = bytes_of_bits(kMostBits * numbers); payload.size() > most)
      wire_error(payload.size(), "bytes", "at most", most);
    const Layers layers = take_layers(d, scratch);
    const auto steps = scratch.take<double>(d);
    RangeReader reader(payload);
    Wide sum = 0;
    for (const Decoding& part : parts) {
      draw_layers(scale.stream(part.stream), layers);
      for (std::size_t j = 0; j < steps.size(); ++j) {
        const Odds odds(layers.width[j], layers.dither[j], scale.per_width);
        steps[j] = 0;
        if (reader.take_lowest(odds.zero())) continue;
        steps[j] = take_other(reader, odds);
        sum += static_cast<std::uint64_t>(std::abs(steps[j]));
      }
      restore_in(layers, scale.spread * part.spread, steps, part.out);
    }
    reader.finish();
    if (role == Role::reference) return memory;
    return kMean.after(memory, sum, numbers);
  }

  // The errors are the noise of the step, which the theory of the uncompressed sampler counts already.
  bool unbiased() const override { return true; }
  double omega(Index) const override { return 0; }
  double alpha(Index) const override { return 1; }
  double covariance(std::span<const double>, std::span<double> diagonal) const override {
    std::ranges::fill(diagonal, 0.0);
    return 0;
  }

 private:
  [[noreturn]] static void refuse(std::span<const double> v) {
    numeric_error(math::all_finite(v)
                      ? "a value is 2^40 times larger than the noise that its code may add; try a smaller "
                        "sampler.step"
                      : "a value is not finite");
  }
};

}  // namespace

CompressorRow coded_row() {
  return {"coded", "messages whose errors are the noise of the Langevin step, for clsd* and clsd++", "noise_share",
          true, [](const CompressorSpec&, Index) { return std::make_unique<Coded>(); }};
}

}  // namespace pollen::compress
