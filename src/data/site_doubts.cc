#include "data/site_doubts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "data/phrases.h"

namespace pollen {

namespace {

// Returns a level in small letters, without blanks and signs.
std::string folded(const std::string& level) {
  std::string out;
  for (const char c : level) {
    const bool capital = c >= 'A' && c <= 'Z';
    const bool kept = capital || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c & 0x80) != 0;
    if (kept) out += capital ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

// Whether two levels may mean the same: male and Male, or M and Male. One that is short for the other is a single
// letter or at least three of them, and digits are never short for others.
bool may_be_the_same(const std::string& a, const std::string& b) {
  std::string shorter = folded(a), longer = folded(b);
  if (shorter.size() > longer.size()) std::swap(shorter, longer);
  if (shorter.empty() || longer.find_first_of("0123456789") != std::string::npos) return false;
  if (shorter == longer) return a != b;
  return longer.starts_with(shorter) && longer.size() >= 3 && (shorter.size() == 1 || shorter.size() >= 3);
}

struct Spread {
  double count = 0, mean = 0, sd = 0;
};

Spread spread_of(const ColumnMoments& m, std::size_t j) {
  return {m.count, m.sum[j] / m.count, std::sqrt(m.squares[j] / m.count)};
}

constexpr std::array kUnitFactors = {10.0, 0.1, 100.0, 0.01, 1000.0, 0.001, 1e6, 1e-6};

// Returns by which factor the numbers of `a` may be in another unit than those of `b`: the means differ by a factor
// near it, and so do the standard deviations. A factor of 10 is found between different sites, too, such as those where
// a tenth and all rows have a 1; there the means must also be so far apart that the numbers hardly overlap. 0 if not.
double unit_factor(const Spread& a, const Spread& b) {
  constexpr double kFewRows = 5, kNearMean = 1.25, kNearSd = 3, kApart = 2;
  if (a.count < kFewRows || b.count < kFewRows || !(a.sd > 0) || !(b.sd > 0) || !(a.mean * b.mean > 0)) return 0;
  const bool overlap = std::abs(a.mean - b.mean) < kApart * std::max(a.sd, b.sd);
  for (const double factor : kUnitFactors) {
    if (overlap && std::abs(std::log10(factor)) == 1) continue;
    const double mean = std::abs(std::log(a.mean / b.mean / factor)), sd = std::abs(std::log(a.sd / b.sd / factor));
    if (mean <= std::log(kNearMean) && sd <= std::log(kNearSd)) return factor;
  }
  return 0;
}

// What a client knows of a column: its own numbers, and the mean and standard deviation of all clients' numbers.
struct Pooled {
  Spread own;
  double mean = 0, sd = 0;

  // The others' numbers, if there are so many. The sd is 0 if no numbers can have it.
  Spread others(double rows) const {
    const double all = own.count + rows;
    const double their_mean = (all * mean - own.count * own.mean) / rows;
    const double apart = own.mean - mean, their_apart = their_mean - mean;
    const double squares =
        all * sd * sd - own.count * (own.sd * own.sd + apart * apart) - rows * their_apart * their_apart;
    return {rows, their_mean, squares > 0 ? std::sqrt(squares / rows) : 0};
  }
};

// Finds the factor and the others' numbers where it is only known about how many rows the others have. If these are in
// another unit, their standard deviation is that of this client in it, and then the pooled mean and standard deviation
// tell both how many rows they have and what their mean is. Where they are few, it is some other client whose unit
// differs, and not this one.
std::pair<double, Spread> unit_of_about(const Pooled& column, double rows) {
  constexpr double kMost = 8, kApart = 4;  // times as many rows; standard deviations
  constexpr int kSteps = 50;
  const Spread& own = column.own;
  const double apart = column.mean - own.mean;
  for (const double factor : kUnitFactors) {
    const double sd = own.sd / factor;
    double odds = 1;  // of a row to be of this client
    for (int k = 0; k < kSteps; ++k) {
      const double share = odds / (1 + odds);
      odds = std::max(0.0, (column.sd * column.sd - share * own.sd * own.sd - (1 - share) * sd * sd) / (apart * apart));
    }
    const Spread others{own.count / odds, own.mean + apart * (1 + odds), sd};
    const bool overlap = std::abs(own.mean - others.mean) < kApart * std::max(own.sd, sd);
    const bool as_many = others.count >= std::min(own.count, rows / 2) && others.count <= rows * kMost;
    if (as_many && !(overlap && std::abs(std::log10(factor)) == 1) && unit_factor(own, others) == factor)
      return {factor, others};
  }
  return {0, {}};
}

std::string unit_words(const std::string& who, const std::string& column, const Spread& own, const Spread& other,
                       const std::string& others, double factor) {
  return fmt::format(
      "{} has the mean {:.4g} in column {}, where {} {:.4g}: a factor near {:.10g}, as between two units", who,
      own.mean, column, others, other.mean, std::max(factor, 1 / factor));
}

// The labels of one file as classes: data.positive merges them.
std::set<std::string> classes_of(const std::vector<std::string>& labels, const std::vector<std::string>& positive) {
  std::set<std::string> classes;
  for (const std::string& label : labels)
    classes.insert(positive.empty() ? label : std::ranges::count(positive, label) > 0 ? "1" : "0");
  return classes;
}

}  // namespace

std::vector<std::string> level_doubts(const ColumnFacts& own, const ColumnFacts& agreed) {
  std::vector<std::string> out;
  for (const auto& [column, levels] : own.levels) {
    const auto all = agreed.levels.find(column);
    if (all == agreed.levels.end()) continue;
    for (const std::string& mine : levels)
      for (const std::string& other : all->second)
        if (std::ranges::count(levels, other) == 0 && may_be_the_same(mine, other))
          out.push_back(
              fmt::format("column {}: this file has {}, where others have {}; if they mean the same, all files "
                          "should say it in one way",
                          column, data::in_quotes(mine), data::in_quotes(other)));
  }
  return out;
}

std::vector<std::string> label_doubts(const Federation& own) {
  const Numbers& y = own.train.y;
  if (own.class_names.size() < 2 || y.empty()) return {};
  if (!std::all_of(y.begin(), y.end(), [&](double label) { return label == *y.begin(); })) return {};
  const std::string& name = own.class_names[static_cast<std::size_t>(*y.begin())];
  return {fmt::format("all {} training rows of this file have {} = {}", own.train.rows, own.layout.target,
                      data::in_quotes(name))};
}

std::vector<std::string> unit_doubts(const ColumnMoments& own, const std::vector<std::string>& names,
                                     const ColumnScaling& agreed, double other_rows, bool exactly) {
  const bool raw = agreed.mean.empty();
  const std::vector<double>&mean = raw ? agreed.raw_mean : agreed.mean, &sd = raw ? agreed.raw_sd : agreed.sd;
  std::vector<std::string> out;
  std::size_t k = 0;  // among the columns that stay
  for (std::size_t j = 0; j < std::min(names.size(), own.sum.size()) && k < mean.size(); ++j) {
    if (std::ranges::binary_search(agreed.dropped, static_cast<std::int64_t>(j))) continue;
    const Pooled column{spread_of(own, j), mean[k], sd[k]};
    ++k;
    if (column.mean == 0 || !(other_rows >= 1)) continue;  // its origin was kept, so that the mean is not known
    const Spread exact = column.others(other_rows);
    const auto [factor, others] =
        exactly ? std::pair(unit_factor(column.own, exact), exact) : unit_of_about(column, other_rows);
    if (factor > 0)
      out.push_back(unit_words("this file", names[j], column.own, others, "the others together have", factor));
  }
  return out;
}

std::vector<std::string> level_doubts(const std::vector<ColumnFacts>& all, const std::vector<std::string>& clients) {
  std::vector<std::string> out;
  if (all.size() < 2) return out;
  for (const auto& [column, first] : all.front().levels) {
    std::map<std::string, std::size_t> has;  // how many clients have a level
    for (const ColumnFacts& facts : all)
      if (const auto levels = facts.levels.find(column); levels != facts.levels.end())
        for (const std::string& level : levels->second) ++has[level];
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto levels = all[i].levels.find(column);
      if (levels == all[i].levels.end()) continue;
      for (const std::string& mine : levels->second)
        for (const auto& [other, count] : has)
          if (has[mine] == 1 && (count > 1 || i > 0) && std::ranges::count(levels->second, other) == 0 &&
              may_be_the_same(mine, other))
            out.push_back(
                fmt::format("client {} alone has {} in column {}, where others have {}; if they mean the same, "
                            "all files should say it in one way",
                            clients[i], data::in_quotes(mine), column, data::in_quotes(other)));
    }
  }
  return out;
}

std::vector<std::string> label_doubts(const std::vector<ColumnFacts>& all, const DataSpec& spec,
                                      const std::vector<std::string>& clients) {
  std::vector<std::string> out;
  const std::string& target = all.empty() ? "" : all.front().target;
  std::set<std::string> every;
  std::vector<std::set<std::string>> classes;
  for (const ColumnFacts& facts : all) {
    const auto labels = facts.levels.find(target);
    classes.push_back(labels == facts.levels.end() ? std::set<std::string>()
                                                   : classes_of(labels->second, spec.positive));
    every.insert(classes.back().begin(), classes.back().end());
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    if (every.size() > 1 && classes[i].size() == 1)
      out.push_back(fmt::format("client {} has one class of {} only: {}", clients[i], target,
                                data::listed(all[i].levels.at(target), 5)));
  return out;
}

std::vector<std::string> unit_doubts(const std::vector<ColumnMoments>& all, const std::vector<std::string>& names,
                                     const std::vector<std::string>& clients) {
  std::vector<std::string> out;
  if (all.size() < 2) return out;
  std::vector<std::size_t> order(all.size());
  for (std::size_t j = 0; j < std::min(names.size(), all.front().sum.size()); ++j) {
    for (std::size_t i = 0; i < all.size(); ++i) order[i] = i;
    const auto middle = order.begin() + static_cast<std::ptrdiff_t>(order.size() / 2);
    const auto mean = [&](std::size_t i) { return all[i].sum[j] / all[i].count; };
    std::nth_element(order.begin(), middle, order.end(),
                     [&](std::size_t a, std::size_t b) { return std::pair(mean(a), a) < std::pair(mean(b), b); });
    const Spread usual = spread_of(all[*middle], j);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (const double factor = unit_factor(spread_of(all[i], j), usual); factor > 0)
        out.push_back(unit_words("client " + clients[i], names[j], spread_of(all[i], j), usual,
                                 fmt::format("client {} has", clients[*middle]), factor));
  }
  return out;
}

}  // namespace pollen
