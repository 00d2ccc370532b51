// How likely the levels of a qsgd message are, from which its range code takes its probabilities. Both ends know ‖v‖/s
// exactly, hence the mean square s²/d of the levels, and learn their mean m. Of two vectors with one mean square, the
// one with the smaller mean has fewer and larger numbers. There are four kinds of law with a given mean and mean
// square:
//   smooth   the generalised normal law, with a density proportional to exp(-|x/a|^β) (β = 2 is normal, β = 1
//   Laplace's) sparse   zero, but for a share of normal numbers spiked   zero, but for a share of Laplace's mixed    a
//   share of normal numbers, and others that are 16 times smaller
// Levels are their numbers after random rounding. A long message tells its kind, a short one is smooth.
//
// Levels are coded in classes: every level below 16 is one, and above there are 8 per power of two, in which all levels
// are equally likely. A level's symbol says its class and its sign.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "number_stack.h"
#include "running_mean.h"

namespace pollen::compress {

enum class LevelKind : std::uint8_t { smooth, sparse, spiked, mixed };
inline constexpr unsigned kKindBits = 2;

// How often each symbol occurs among numbers (level·2 + sign), of which it takes a sample if they are many.
struct LevelCount {
  std::array<std::uint32_t, 512> times = {};
  void add(std::span<const std::uint32_t> levels);
};

// The probabilities for one mean and kind.
class LevelLaw {
 public:
  // `mean` and `root` are the mean and the root mean square of levels 0..most.
  LevelLaw(LevelKind kind, std::uint32_t most, double mean, double root);

  // Bits that numbers would take, without those that tell levels in their classes.
  double bits(const LevelCount& count) const;

  // Puts numbers, the last one first.
  void put(StackWriter& writer, std::span<const std::uint32_t> levels) const;
  // Takes numbers with their signs, the first one first. Some may be above the most. Returns the advanced reader.
  StackReader take(StackReader reader, std::span<std::int32_t> levels) const;

 private:
  struct Symbol {
    Share share;
    std::int32_t least;   // the level of least magnitude, with its sign
    std::uint32_t extra;  // how many bits tell the level in its class
  };
  static constexpr unsigned kCoarse = 12;  // bits of a share from which a symbol is found
  std::vector<Symbol> symbols_;            // zero, +1, -1, ..., and one behind the last
  std::array<std::uint16_t, std::size_t{1} << kCoarse> coarse_;
};

// The laws of all means, for vectors of d coordinates with levels 0..s. They are made when they are first wanted.
// Thread-safe. A law takes some 20 kB, so compressors of one kind share theirs.
class LevelLaws {
 public:
  static std::shared_ptr<const LevelLaws> shared(std::uint32_t most, Index d);
  LevelLaws(std::uint32_t most, Index d);

  // Messages of so many numbers tell their kind.
  static bool tells_kind(std::size_t numbers) { return numbers >= 500; }
  const LevelLaw& of(const CodeMemory& memory, LevelKind kind = LevelKind::smooth) const;
  // The kind in which the numbers that were counted take the fewest bits.
  LevelKind best(const CodeMemory& memory, const LevelCount& count) const;
  const RunningMean& mean() const { return mean_; }

 private:
  static constexpr unsigned kPerDoubling = 3;  // 2^3 laws between a mean and its double
  std::uint32_t most_;
  double root_;
  RunningMean mean_;
  static constexpr std::size_t kMeans = std::size_t{64} << kPerDoubling;
  mutable std::array<std::once_flag, kMeans << kKindBits> once_;
  mutable std::array<std::unique_ptr<const LevelLaw>, kMeans << kKindBits> laws_;
};

}  // namespace pollen::compress
