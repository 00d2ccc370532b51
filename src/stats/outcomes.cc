#include "outcomes.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>

namespace pollen::stats {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
using Participation = GradientLawOptions::Participation;

double choose(double n, double k) { return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1)); }

// Enumerates independent coin tosses: every set of clients with its probability and weights. With the policy `active`,
// an empty set is drawn again.
std::vector<Attendance> coins(const GradientLawOptions& options, Index clients) {
  const auto& p = options.probability;
  if (static_cast<Index>(p.size()) != clients)
    throw std::invalid_argument(
        fmt::format("probability: found {} numbers for {} clients, accepted: one per client", p.size(), clients));
  for (const double x : p)
    if (!(x > 0 && x <= 1))
      throw std::invalid_argument(fmt::format("probability: found {}, accepted: above 0, at most 1", x));
  check_enumerable(std::exp2(static_cast<double>(clients)), "participation");
  const bool active = options.participation == Participation::bernoulli_active;
  std::vector<Attendance> result;
  double total = 0;
  for (std::size_t set = active ? 1 : 0; set < (std::size_t{1} << p.size()); ++set) {
    Attendance attendance{1, VectorXd::Zero(clients)};
    for (std::size_t i = 0; i < p.size(); ++i) {
      const bool in = (set >> i & 1) != 0;
      attendance.probability *= in ? p[i] : 1 - p[i];
      attendance.weight(static_cast<Index>(i)) = !in ? 0.0 : active ? 1.0 : 1 / p[i];
    }
    if (attendance.probability == 0) continue;
    if (active) attendance.weight *= static_cast<double>(clients) / attendance.weight.sum();
    total += attendance.probability;
    result.push_back(attendance);
  }
  for (Attendance& attendance : result) attendance.probability /= total;
  return result;
}

std::vector<Attendance> fixed_size(int size, Index clients) {
  std::vector<Attendance> result;
  const auto sets = subsets(static_cast<int>(clients), size);
  for (const auto& set : sets) {
    Attendance attendance{1 / static_cast<double>(sets.size()), VectorXd::Zero(clients)};
    for (const int i : set) attendance.weight(i) = static_cast<double>(clients) / size;
    result.push_back(attendance);
  }
  return result;
}

// Enumerates the multinomial counts m of `size` draws with probabilities p. The weight of a client is m/(size p).
std::vector<Attendance> with_replacement(int size, const VectorXd& p) {
  const Index clients = p.size();
  check_enumerable(choose(static_cast<double>(size + clients - 1), static_cast<double>(clients - 1)), "participation");
  std::vector<Attendance> result;
  Attendance current{1, VectorXd::Zero(clients)};
  const std::function<void(Index, int, double)> place = [&](Index client, int left, double probability) {
    for (int count = client + 1 == clients ? left : 0; count <= left; ++count) {
      const double chance = probability * choose(left, count) * std::pow(p(client), count);
      current.weight(client) = count / (size * p(client));
      if (client + 1 < clients) {
        place(client + 1, left - count, chance);
      } else {
        current.probability = chance;
        result.push_back(current);
      }
    }
  };
  place(0, size, 1.0);
  return result;
}

}  // namespace

void check_enumerable(double count, const char* what) {
  if (count > kMostOutcomes)
    throw std::invalid_argument(
        fmt::format("{}: found {:.3g} outcomes to enumerate, accepted: at most {}", what, count, kMostOutcomes));
}

std::vector<std::vector<int>> subsets(int n, int k) {
  if (k < 0 || k > n) throw std::invalid_argument(fmt::format("subsets: found size {}, accepted: 0 to {}", k, n));
  check_enumerable(choose(n, k), "subsets");
  std::vector<std::vector<int>> result;
  std::vector<int> current;
  const std::function<void(int)> extend = [&](int from) {
    if (static_cast<int>(current.size()) == k) {
      result.push_back(current);
      return;
    }
    for (int i = from; i < n; ++i) {
      current.push_back(i);
      extend(i + 1);
      current.pop_back();
    }
  };
  extend(0);
  return result;
}

std::vector<VectorXd> diagonals(GradientLawOptions::Compressor compressor, Index d, int k) {
  using Compressor = GradientLawOptions::Compressor;
  if (compressor == Compressor::identity) return {VectorXd::Ones(d)};
  if (k < 1 || k > d)
    throw std::invalid_argument(fmt::format("rand-k: found k = {}, accepted: 1 to the dimension {}", k, d));
  const double kept = compressor == Compressor::rand_k ? static_cast<double>(d) / k : 1.0;
  std::vector<VectorXd> result;
  for (const auto& set : subsets(static_cast<int>(d), k)) {
    result.push_back(VectorXd::Zero(d));
    for (const int j : set) result.back()(j) = kept;
  }
  return result;
}

VectorXd client_sizes(const QuadraticProblem& problem) {
  VectorXd sizes(static_cast<Index>(problem.clients.size()));
  for (Index i = 0; i < sizes.size(); ++i) {
    const double rows = problem.clients[static_cast<std::size_t>(i)].rows;
    sizes(i) = rows > 0 ? rows : static_cast<double>(terms_of(problem, i).size());
  }
  return sizes;
}

std::vector<Attendance> attendances(const GradientLawOptions& options, const VectorXd& sizes) {
  const Index clients = sizes.size();
  switch (options.participation) {
    case Participation::full:
      return {{1, VectorXd::Ones(clients)}};
    case Participation::bernoulli_active:
    case Participation::bernoulli_inverse:
      return coins(options, clients);
    case Participation::fixed_size:
      if (options.size < 1 || options.size > clients)
        throw std::invalid_argument(
            fmt::format("size: found {}, accepted: 1 to {}, the number of clients", options.size, clients));
      return fixed_size(options.size, clients);
    case Participation::fixed_size_replacement:
      if (options.size < 1)
        throw std::invalid_argument(fmt::format("size: found {}, accepted: at least 1", options.size));
      return with_replacement(options.size, sizes / sizes.sum());
  }
  throw std::invalid_argument(fmt::format("participation: found {}, accepted: a value of the enumeration",
                                          static_cast<int>(options.participation)));
}

}  // namespace pollen::stats
