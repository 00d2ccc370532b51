// Groups of targets, and the comparison of what is observed in them with what the model makes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "numbers.h"
#include "pollen/stats.h"
#include "sink/limits.h"
#include "sink/predictive_check.h"
#include "sink/text.h"

namespace pollen::sink {

namespace {

constexpr double kReach = 1.6448536269514722;  // the 95 % quantile of the standard normal
constexpr double kInfinite = std::numeric_limits<double>::infinity();

// The least of 1, 2, 5, 10, 20, ... times a power of ten that is not below `raw`.
double round_step(double raw) {
  const double size = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * size >= raw * (1 - 1e-9)) return factor * size;
  return 10 * size;
}

// Compares one sum over `rows` rows. Half a row is allowed for, because shares of rows are not continuous, and a law
// that is narrower than a row is taken to be a row wide.
void add_law(double sum, double mean, double variance, Index rows, bool share, Replicated& out) {
  const auto n = static_cast<double>(rows);
  const double slack = share ? 0.5 : 0, sd = std::sqrt(variance);
  out.rows = rows;
  out.observed = sum / n;
  out.predicted = mean / n;
  out.lower = (mean - kReach * sd - slack) / n;
  out.upper = (mean + kReach * sd + slack) / n;
  if (share) out.lower = std::max(0.0, out.lower), out.upper = std::min(1.0, out.upper);
  const double off = std::max(0.0, std::abs(sum - mean) - slack), wide = share ? std::max(1.0, sd) : sd;
  out.z = off == 0 ? 0 : std::copysign(off / wide, sum - mean);
}

std::string percent(double share) { return fmt::format("{:.3g} %", 100 * share); }

std::string range_of(const Replicated& r, bool counts) {
  const auto number = [&](double x) { return counts ? fmt::format("{:.0f}", x) : short_number(x); };
  if (!r.label.empty()) return r.label;
  if (counts && std::isfinite(r.up_to) && r.up_to - std::max(r.above, -1.0) == 1) return number(r.up_to);
  if (!std::isfinite(r.above)) return counts && r.up_to == 0 ? "0" : "up to " + number(r.up_to);
  if (!std::isfinite(r.up_to)) return "above " + number(r.above);
  return fmt::format("{} to {}", number(counts ? r.above + 1 : r.above), number(r.up_to));
}

// How many of n comparisons are outside of 90 % intervals by chance in 99 of 100 cases, at most.
std::size_t most_outside(std::size_t n) {
  constexpr double kOutside = 0.1, kNearlyAlways = 0.99;
  double probability = std::pow(1 - kOutside, static_cast<double>(n)), sum = probability;
  std::size_t most = 0;
  for (; sum < kNearlyAlways && most < n; sum += probability) {
    probability *= kOutside / (1 - kOutside) * static_cast<double>(n - most) / static_cast<double>(most + 1);
    ++most;
  }
  return most;
}

// How many of several comparisons are outside of their intervals, and how far off the worst is, in words; empty if
// there is none. Few comparisons are not counted, because shares of a few classes are not independent.
std::string verdict_on(const std::vector<Replicated>& all, const char* what, const TargetGroups& groups) {
  std::size_t outside = 0;
  const Replicated* worst = nullptr;
  for (const Replicated& r : all) {
    if (r.observed < r.lower || r.observed > r.upper) ++outside;
    if (worst == nullptr || std::abs(r.z) > std::abs(worst->z)) worst = &r;
  }
  if (worst == nullptr) return "";
  constexpr std::size_t kCounted = 10;
  const bool counted = all.size() >= kCounted;
  const std::size_t most = most_outside(all.size());
  const bool many = counted && outside > most, far = std::abs(worst->z) > chance_limit(all.size());
  const std::string text = fmt::format(
      "{} of {} {} outside the 90 % interval of data sets that the model makes, where chance leaves about one in "
      "ten{}. ",
      outside, all.size(), what, counted ? fmt::format(", seldom more than {}", most) : "");
  if (!many && !far) return text;
  const bool mean = !worst->client.empty() && groups.kind() != TargetGroups::Kind::classes;
  const auto value = [&](double x) { return mean ? short_number(x) : percent(x); };
  const std::string group = mean ? "" : range_of(*worst, groups.kind() == TargetGroups::Kind::counts);
  const std::string where =
      worst->client.empty() ? group : fmt::format("client {}{}{}", worst->client, mean ? "" : ", ", group);
  const char* what_is = many && far ? "More and further off" : many ? "More" : "Further off";
  return fmt::format("{}{} than chance allows, worst {}: observed {}, the model's {} to {}. ", text, what_is, where,
                     value(worst->observed), value(worst->lower), value(worst->upper));
}

// The share of zeros of counts, which a Poisson model often misses, or the share of an event.
std::string first_words(const TargetGroups& groups, const PredictiveCheck& check) {
  const auto line = [](const char* what, const Replicated& r) {
    return fmt::format("{} {} of the rows, and {} to {} in data sets that the model makes. ", what, percent(r.observed),
                       percent(r.lower), percent(r.upper));
  };
  if (groups.kind() == TargetGroups::Kind::counts) return line("Zeros make up", check.groups.front());
  if (groups.kind() == TargetGroups::Kind::classes && groups.size() == 2)
    return line(fmt::format("The label {} makes up", check.groups[1].label).c_str(), check.groups[1]);
  return "";
}

}  // namespace

TargetGroups TargetGroups::of_classes(std::vector<std::string> labels) {
  TargetGroups groups;
  groups.labels_ = std::move(labels);
  return groups;
}

// Numbers get about 20 ranges of a round width over the middle 98 % of the targets, and two open ones. Counts get one
// group each while they are few; zeros are always apart.
TargetGroups TargetGroups::of_numbers(std::span<const double> y, bool counts) {
  constexpr double kRanges = 16;
  TargetGroups groups;
  groups.kind_ = counts ? Kind::counts : Kind::numbers;
  const double low = counts ? 0 : stats::quantile(y, 0.01), high = stats::quantile(y, 0.99);
  if (counts) groups.edges_ = {0};
  if (!(high > low) || !std::isfinite(high - low)) {
    if (!counts) groups.edges_ = {low};
    return groups;
  }
  const double step = counts ? std::max(1.0, round_step((high - low) / kRanges)) : round_step((high - low) / kRanges);
  for (double k = std::ceil(low / step) + (counts ? 1 : 0); k * step <= high + step * 1e-9; ++k)
    groups.edges_.push_back(k * step);
  if (groups.edges_.empty()) groups.edges_ = {low};
  return groups;
}

std::size_t TargetGroups::group_of(double y) const {
  if (kind_ == Kind::classes) return static_cast<std::size_t>(y);
  return static_cast<std::size_t>(std::ranges::lower_bound(edges_, y) - edges_.begin());
}

std::size_t TargetGroups::per_client() const { return kind_ == Kind::classes && size() > 2 ? size() : 1; }

Replicated TargetGroups::describe(std::size_t group) const {
  Replicated out;
  if (kind_ == Kind::classes) {
    out.label = labels_[group];
    return out;
  }
  out.above = group == 0 ? -kInfinite : edges_[group - 1];
  out.up_to = group == edges_.size() ? kInfinite : edges_[group];
  if (kind_ == Kind::counts) out.label = range_of(out, true);
  return out;
}

std::size_t checked_clients(const TargetGroups& groups, std::size_t clients) {
  constexpr std::size_t kMostClients = 200, kMostComparisons = 1000;
  return std::min({clients, kMostClients, kMostComparisons / groups.per_client()});
}

PredictiveCheck compare_with_data(const TargetGroups& groups, const ScoredRows& rows, const ClientNames& names,
                                  const ReplicatedSums& sums, Index draws) {
  const std::size_t many = groups.size(), each = groups.per_client(), clients = (sums.mean.size() - many) / each;
  const bool classes = groups.kind() == TargetGroups::Kind::classes;
  std::vector<double> observed(sums.mean.size(), 0.0);
  std::vector<Index> of_client(clients, 0);
  for (std::size_t r = 0; r < rows.client.size(); ++r) {
    const double y = rows.rows.y[r];
    observed[groups.group_of(y)] += 1;
    const auto client = static_cast<std::size_t>(rows.client[r]);
    if (rows.client[r] < 0 || client >= clients) continue;
    ++of_client[client];
    if (each > 1)
      observed[many + client * each + groups.group_of(y)] += 1;
    else
      observed[many + client] += y;  // of two classes, the second one's number is 1
  }
  PredictiveCheck check;
  check.of = classes ? "classes" : groups.kind() == TargetGroups::Kind::counts ? "counts" : "numbers";
  check.training = rows.training;
  check.rows = rows.rows.rows;
  check.in_all = rows.in_all;
  check.draws = draws;
  for (std::size_t g = 0; g < many; ++g) {
    Replicated& r = check.groups.emplace_back(groups.describe(g));
    add_law(observed[g], sums.mean[g], sums.variance[g], check.rows, true, r);
  }
  for (std::size_t i = 0; i < clients; ++i)
    for (std::size_t c = 0; c < each && of_client[i] > 0; ++c) {
      const std::size_t k = many + i * each + c;
      Replicated r = classes ? groups.describe(each > 1 ? c : 1) : Replicated();
      r.client = names[i];
      add_law(observed[k], sums.mean[k], sums.variance[k], of_client[i], classes, r);
      check.clients.push_back(std::move(r));
    }
  check.words = first_words(groups, check) +
                verdict_on(check.groups, classes ? "classes are" : "ranges of the target are", groups) +
                verdict_on(check.clients, classes ? "clients' shares are" : "clients' means are", groups);
  if (!check.words.empty()) check.words.pop_back();
  return check;
}

}  // namespace pollen::sink
