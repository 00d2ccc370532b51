#include <bit>
#include <cmath>

#include "math/math.h"
#include "pollen/random.h"
#include "random/philox.h"

namespace pollen {

static_assert(std::endian::native == std::endian::little, "pairs of words are read as 64-bit words");

// Computes words ahead. Many sequences draw only once or twice and the others draw often, so the first refill computes
// one counter and later ones compute eight.
void Sequence::refill() {
  std::span<std::uint64_t> target(block_);
  if (used_ == 0) {
    target = target.last(2);
    const auto tail = counter_tail(stream_);
    const auto words = philox({0, tail[0], tail[1], tail[2]}, stream_.key);
    target[0] = words[0] | std::uint64_t{words[1]} << 32;
    target[1] = words[2] | std::uint64_t{words[3]} << 32;
  } else {
    random_words64(stream_, target, used_);
  }
  position_ = block_.size() - target.size();
}

std::uint64_t Sequence::next() {
  if (position_ == block_.size()) refill();
  ++used_;
  return block_[position_++];
}

double Sequence::uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

double Sequence::normal() {
  const std::uint64_t radius_word = next();
  return normal_from_words(radius_word, next());
}

// Draws an unbiased integer below `bound` with algorithm 5 of Lemire 2019, "Fast random integer generation in an
// interval".
std::uint64_t Sequence::below(std::uint64_t bound) {
  __extension__ using Wide = unsigned __int128;
  Wide product = Wide{next()} * bound;
  if (static_cast<std::uint64_t>(product) < bound) {
    const std::uint64_t threshold = (0 - bound) % bound;
    while (static_cast<std::uint64_t>(product) < threshold) product = Wide{next()} * bound;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

// Marsaglia and Tsang 2000, "A simple method for generating gamma variables". Shapes below one use their section 6:
// Gamma(shape) = Gamma(shape + 1) · U^(1/shape).
double Sequence::gamma(double shape) {
  if (shape < 1.0) {
    const double log_u = math::log(1.0 - uniform());
    return gamma(shape + 1.0) * math::exp(log_u / shape);
  }
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  for (;;) {
    const double x = normal();
    const double root = 1.0 + c * x;
    const double log_u = math::log(1.0 - uniform());
    if (root <= 0.0) continue;
    const double v = root * root * root;
    if (log_u < 0.5 * x * x + d - d * v + d * math::log(v)) return d * v;
  }
}

}  // namespace pollen
