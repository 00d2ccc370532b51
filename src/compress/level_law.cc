#include "level_law.h"

#include <cmath>
#include <map>
#include <numbers>

#include "elias.h"
#include "math/math.h"

namespace pollen::compress {
namespace {

constexpr std::uint32_t kSingle = 16;                    // levels below have a class each
constexpr unsigned kPerPower = 3;                        // 2^3 classes per power of two above
constexpr std::uint64_t kUnit = std::uint64_t{1} << 32;  // of the running mean

std::uint32_t level_class(std::uint32_t level) {
  if (level < kSingle) return level;
  const unsigned extra = log2_floor(level) - kPerPower;
  return (extra << kPerPower) + (level >> extra);
}

std::uint32_t extra_bits(std::uint32_t c) { return c < kSingle ? 0 : (c >> kPerPower) - 1; }
std::uint32_t least_level(std::uint32_t c) {
  return c < kSingle ? c : ((1U << kPerPower) + c % (1U << kPerPower)) << extra_bits(c);
}

std::size_t symbol_of(std::uint32_t number) {
  return number < 2 * kSingle ? number - (number > 0 ? 1 : 0) : 2 * level_class(number / 2) - 1 + number % 2;
}

// The numbers t = exp(u) at which densities are evaluated, on a grid of u that holds all but 10^-6 of every law.
constexpr double kFrom = -16, kTo = 19, kPerUnit = 128;
constexpr auto kPoints = static_cast<std::size_t>((kTo - kFrom) * kPerUnit);

std::vector<double> exponentials(double factor) {
  std::vector<double> out(kPoints);
  for (std::size_t i = 0; i < kPoints; ++i) out[i] = factor * (kFrom + (static_cast<double>(i) + 0.5) / kPerUnit);
  math::exp(out, out);
  return out;
}

// The generalised normal law of |x|, of size 1: weights of the numbers t, and the first two moments.
struct Shape {
  std::vector<double> weight;
  double mean = 0, root = 0;

  explicit Shape(double beta) : weight(exponentials(beta)) {
    const std::vector<double> t = exponentials(1);
    for (double& w : weight) w = -w;
    math::exp(weight, weight);
    double sum = 0;
    for (std::size_t i = 0; i < kPoints; ++i) {
      sum += weight[i] *= t[i];
      mean += weight[i] * t[i];
      root += weight[i] * t[i] * t[i];
    }
    for (double& w : weight) w /= sum;
    mean /= sum;
    root = std::sqrt(root / sum);
  }
};

// The shape β whose ratio of mean and root mean square is nearest.
double shape_of(double ratio) {
  struct Row {
    double beta, ratio;
  };
  static const std::vector<Row> rows = [] {
    std::vector<Row> made;
    for (double beta = 0.2; beta < 9; beta *= 1.2) {
      const Shape shape(beta);
      made.push_back({beta, shape.mean / shape.root});
    }
    return made;
  }();
  const auto nearest = std::ranges::min_element(rows, {}, [&](const Row& row) { return std::abs(row.ratio - ratio); });
  return nearest->beta;
}

// Adds the probabilities of the classes of levels 0..most for a share of numbers with this shape and mean.
void add_masses(double share, double beta, double mean, std::uint32_t most, std::span<double> mass) {
  const Shape shape(beta);
  const std::vector<double> t = exponentials(1);
  for (std::size_t i = 0; i < kPoints; ++i) {
    const double x = std::min(t[i] * mean / shape.mean, static_cast<double>(most)), low = std::floor(x);
    const auto level = static_cast<std::uint32_t>(low);
    mass[level_class(level)] += share * shape.weight[i] * (1 - (x - low));
    if (x > low) mass[level_class(level + 1)] += share * shape.weight[i] * (x - low);
  }
}

std::vector<double> class_masses(LevelKind kind, std::uint32_t most, double mean, double root) {
  constexpr double kNormal = 2 / std::numbers::pi, kLaplace = 0.5, kSmaller = 16;  // squared ratios of mean and root
  std::vector<double> mass(level_class(most) + 1);
  const double ratio = mean / root;
  if (kind == LevelKind::smooth) {
    add_masses(1, shape_of(ratio), mean, most, mass);
    return mass;
  }
  const double share = std::min(1.0, ratio * ratio / (kind == LevelKind::spiked ? kLaplace : kNormal));
  const double large = kind == LevelKind::mixed ? mean / (share + (1 - share) / kSmaller) : mean / share;
  add_masses(share, kind == LevelKind::spiked ? 1 : 2, large, most, mass);
  if (kind == LevelKind::mixed)
    add_masses(1 - share, 2, large / kSmaller, most, mass);
  else
    mass[0] += 1 - share;
  return mass;
}

}  // namespace

LevelLaw::LevelLaw(LevelKind kind, std::uint32_t most, double mean, double root) {
  const std::vector<double> mass = class_masses(kind, most, mean, root);
  std::vector<std::uint32_t> size;
  const auto whole = static_cast<std::uint32_t>((std::size_t{1} << kShareBits) - (2 * mass.size() - 1));
  std::uint32_t given = 0;
  for (std::size_t c = 0; c < mass.size(); ++c)
    for (int sign = 0; sign < (c == 0 ? 1 : 2); ++sign) {
      size.push_back(1 + static_cast<std::uint32_t>(whole * mass[c] * (c == 0 ? 1 : 0.5)));
      given += size.back();
    }
  *std::ranges::max_element(size) += (1U << kShareBits) - given;
  std::uint32_t first = 0;
  for (std::size_t n = 0; n < size.size(); ++n) {
    const auto c = static_cast<std::uint32_t>((n + 1) / 2);
    const auto least = static_cast<std::int32_t>(least_level(c));
    symbols_.push_back({Share(first, size[n]), n % 2 == 0 ? -least : least, extra_bits(c)});
    first += size[n];
  }
  symbols_.push_back({Share(first, 1), 0, 0});
  std::uint16_t n = 0;
  for (std::size_t i = 0; i < coarse_.size(); ++i) {
    while (symbols_[n + 1U].share.first <= i << (kShareBits - kCoarse)) ++n;
    coarse_[i] = n;
  }
}

void LevelCount::add(std::span<const std::uint32_t> levels) {
  constexpr std::size_t kSample = std::size_t{1} << 13;
  const std::size_t stride = std::max(levels.size() / kSample, std::size_t{1});
  for (std::size_t j = 0; j < levels.size(); j += stride) ++times[symbol_of(levels[j])];
}

double LevelLaw::bits(const LevelCount& count) const {
  double sum = 0;
  for (std::size_t n = 0; n + 1 < symbols_.size(); ++n)
    if (count.times[n] > 0)
      sum += count.times[n] * (kShareBits - math::log(symbols_[n].share.size) / std::numbers::ln2);
  return sum;
}

void LevelLaw::put(StackWriter& to, std::span<const std::uint32_t> levels) const {
  StackWriter writer = to;  // a copy, which the compiler may keep in registers
  for (std::size_t j = levels.size(); j-- > 0;) {
    const std::uint32_t number = levels[j], level = number / 2;
    std::uint32_t n = number - (number > 0 ? 1 : 0);
    if (level >= kSingle) {
      const std::uint32_t c = level_class(level);
      writer.put_bits(level - least_level(c), extra_bits(c));
      n = 2 * c - 1 + number % 2;
    }
    writer.put(symbols_[n].share);
  }
  to = writer;
}

StackReader LevelLaw::take(StackReader reader, std::span<std::int32_t> levels) const {
  const Symbol* const symbols = symbols_.data();
  for (std::int32_t& level : levels) {
    const std::uint32_t at = reader.peek();
    std::size_t n = coarse_[at >> (kShareBits - kCoarse)];
    while (at >= symbols[n + 1].share.first) ++n;
    const Symbol& symbol = symbols[n];
    reader.take(symbol.share.first, symbol.share.size);
    level = symbol.least;
    if (symbol.extra == 0) continue;
    const auto more = static_cast<std::int32_t>(reader.take_bits(symbol.extra));
    level += level < 0 ? -more : more;
  }
  return reader;
}

LevelLaws::LevelLaws(std::uint32_t most, Index d) : most_(most), root_(most / std::sqrt(static_cast<double>(d))) {
  // Before the first message the mean is that of a vector of normal numbers.
  constexpr double kNormal = 0.7978845608028654;
  constexpr std::uint64_t kLeast = 1 << 8;
  const auto first = static_cast<std::uint64_t>(kNormal * root_ * static_cast<double>(kUnit));
  mean_ = {kUnit, std::max(first, kLeast), kLeast, most * kUnit};
}

std::shared_ptr<const LevelLaws> LevelLaws::shared(std::uint32_t most, Index d) {
  static std::mutex mutex;
  static std::map<std::pair<std::uint32_t, Index>, std::weak_ptr<const LevelLaws>> known;
  const std::lock_guard lock(mutex);
  std::erase_if(known, [](const auto& entry) { return entry.second.expired(); });
  auto& place = known[{most, d}];
  auto laws = place.lock();
  if (!laws) place = laws = std::make_shared<const LevelLaws>(most, d);
  return laws;
}

const LevelLaw& LevelLaws::of(const CodeMemory& memory, LevelKind kind) const {
  const std::uint64_t mean = mean_.of(memory);  // at least 2^8
  const unsigned shift = log2_floor(mean) - kPerDoubling;
  const std::size_t place =
      ((std::size_t{shift} << kPerDoubling) + (mean >> shift)) << kKindBits | static_cast<std::size_t>(kind);
  std::call_once(once_[place], [&] {
    const double middle = std::ldexp(static_cast<double>(mean >> shift) + 0.5, static_cast<int>(shift) - 32);
    laws_[place] = std::make_unique<const LevelLaw>(kind, most_, std::min(middle, static_cast<double>(most_)), root_);
  });
  return *laws_[place];
}

LevelKind LevelLaws::best(const CodeMemory& memory, const LevelCount& count) const {
  LevelKind chosen = LevelKind::smooth;
  double fewest = of(memory, chosen).bits(count);
  for (const LevelKind kind : {LevelKind::sparse, LevelKind::spiked, LevelKind::mixed})
    if (const double bits = of(memory, kind).bits(count); bits < fewest) fewest = bits, chosen = kind;
  return chosen;
}

}  // namespace pollen::compress
