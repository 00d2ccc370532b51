#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sink/comparison.h"
#include "sink/text.h"

namespace pollen::sink {

namespace {

constexpr std::size_t kRows = 20;

double size_of(double z) { return std::isnan(z) ? 0 : std::abs(z); }

// Returns roughly the value that the largest of n standard normals stays below in 99 of 100 cases.
double expected_worst(std::size_t n) {
  return std::sqrt(2 * std::log(static_cast<double>(std::max<std::size_t>(n, 1)) / 0.01));
}

std::string table(std::vector<ComparedParameter> rows) {
  const std::size_t all = rows.size();
  if (all > kRows) {
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return size_of(a.z) > size_of(b.z); });
    rows.resize(kRows);
  }
  TextTable text({"parameter", "mean", "reference", "z (MCSE)", "shift (sd)", "sd ratio"});
  for (const auto& p : rows)
    text.row({shorten(p.label, 32), short_number(p.mean), short_number(p.reference_mean),
              std::isnan(p.z) ? "-" : fmt::format("{:+.2f}", p.z), fmt::format("{:+.4f}", p.shift),
              fmt::format("{:.4f}", p.sd_ratio)});
  return text.text() + (all > kRows ? fmt::format("  … and {} more with smaller |z|\n", all - kRows) : "");
}

std::string distances(const Comparison& c) {
  std::string text;
  if (!std::isnan(c.w2))
    text += fmt::format("  Gaussian W2: {} ({:.4g} of the reference's sd)\n", short_number(c.w2), c.w2_relative);
  if (c.empirical)
    text += fmt::format("  empirical W2 of thinned draws ({}): {}; two halves of the reference are {} apart\n",
                        c.empirical->method, short_number(c.empirical->value), short_number(c.empirical_floor));
  if (c.predictives) text += predictives_line(*c.predictives);
  if (!c.hpd.empty()) {
    text += "  HPD level error:";
    for (const HpdError& e : c.hpd) text += fmt::format("  {:.4f} at α = {}", e.error, e.alpha);
    text += '\n';
  }
  return text;
}

std::string verdict(const std::vector<ComparedParameter>& all) {
  const auto z = std::max_element(all.begin(), all.end(),
                                  [](const auto& a, const auto& b) { return size_of(a.z) < size_of(b.z); });
  const auto shift = std::max_element(all.begin(), all.end(),
                                      [](const auto& a, const auto& b) { return size_of(a.shift) < size_of(b.shift); });
  double low = 1, high = 1;
  for (const auto& p : all) low = std::min(low, p.sd_ratio), high = std::max(high, p.sd_ratio);
  const double limit = expected_worst(all.size());
  const bool agree = size_of(z->z) <= limit;
  return fmt::format(
      "  verdict: the means {} (worst |z| {:.2f} at {}, chance allows {:.1f}); largest shift {:.3f} sd at {}; "
      "sd ratios {:.3f} to {:.3f}\n",
      agree ? "agree within Monte Carlo error" : "differ by more than Monte Carlo error", size_of(z->z), z->label,
      limit, size_of(shift->shift), shift->label, low, high);
}

}  // namespace

std::string predictives_line(const ComparedPredictives& p) {
  return fmt::format("  predictives on {} test rows: agreement {:.4f}, total variation {:.4f}\n", p.rows, p.agreement,
                     p.total_variation);
}

std::string comparison_report(const Comparison& comparison) {
  return table(comparison.parameters) + '\n' + distances(comparison) + verdict(comparison.parameters);
}

}  // namespace pollen::sink
