// Decides whether a row is out of distribution: the rule of Vono et al. (2022, supplement), based on the densities of
// its score.
//
// A density is a histogram of fine bins, smoothed with normal kernels. Their standard deviation is Scott's sd·n^(-1/5),
// but at least one bin. Mass that would leave [0, most] is reflected back. When a row is classified, its own kernel is
// left out.
#include <algorithm>
#include <cmath>

#include "pollen/scores.h"
#include "ranks.h"

namespace pollen::stats {
namespace {

constexpr int kBins = 512;

class Density {
 public:
  Density(std::span<const double> scores, double most)
      : most_(most), width_(most / kBins), count_(static_cast<double>(scores.size())), smooth_(kBins, 0.0) {
    std::vector<double> histogram(kBins, 0.0);
    for (const double score : scores) ++histogram[bin(score)];
    const double sd = count_ > 1 ? std::sqrt(variance(scores)) : 0;
    bandwidth_ = std::max(width_, sd * std::pow(count_, -0.2));
    for (std::size_t from = 0; from < histogram.size(); ++from)
      for (std::size_t to = 0; histogram[from] > 0 && to < smooth_.size(); ++to)
        smooth_[to] += histogram[from] * kernel(centre(from), centre(to));
  }

  double at(double score) const { return smooth_[bin(score)] / (count_ * bandwidth_); }
  // The density without the contribution of `score` itself, which is one of the scores it was made from.
  double without(double score) const {
    if (count_ < 2) return 0;
    const std::size_t b = bin(score);
    return (smooth_[b] - kernel(centre(b), centre(b))) / ((count_ - 1) * bandwidth_);
  }

 private:
  std::size_t bin(double score) const { return static_cast<std::size_t>(std::clamp(score / width_, 0.0, kBins - 1.0)); }
  double centre(std::size_t bin) const { return (static_cast<double>(bin) + 0.5) * width_; }
  // The kernel up to a factor that both densities share.
  double kernel(double from, double to) const {
    const auto bell = [&](double x) { return std::exp(-0.5 * x * x / (bandwidth_ * bandwidth_)); };
    return bell(to - from) + bell(to + from) + bell(2 * most_ - to - from);
  }

  double most_, width_, count_, bandwidth_ = 0;
  std::vector<double> smooth_;
};

}  // namespace

DensityRule density_rule(std::span<const double> in, std::span<const double> out, double most) {
  const auto usable = [](std::span<const double> scores) {
    return !scores.empty() && std::ranges::all_of(scores, [](double x) { return std::isfinite(x); });
  };
  if (!usable(in) || !usable(out)) return {kNaN, kNaN};
  const Density inside(in, most), outside(out, most);
  double right_in = 0, right_out = 0;
  for (const double score : in) right_in += inside.without(score) > outside.at(score) ? 1 : 0;
  for (const double score : out) right_out += inside.at(score) > outside.without(score) ? 0 : 1;
  return {right_in / static_cast<double>(in.size()), right_out / static_cast<double>(out.size())};
}

}  // namespace pollen::stats
