#include "potential_watch.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "math/math.h"

namespace pollen {

namespace {

constexpr double kAbsurd = 1e6, kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kLately = 4096;  // exchanges, more than those of a trajectory of the default depth

}  // namespace

int PotentialWatch::take(std::uint32_t number, ConstPanelView answer) {
  Client& client = clients_[number];
  const double scale = std::max(std::abs(client.low), static_cast<double>(rows_[number]));
  bool absurd = true;
  client.latest = 0;
  double lowest = std::numeric_limits<double>::infinity();
  for (Index c = 0; c < answer.columns; ++c) {
    const double potential = answer.column(c).back();
    const bool finite = math::all_finite(answer.column(c));
    if (!finite)
      client.latest = kNaN;
    else if (std::abs(potential) >= std::abs(client.latest))
      client.latest = potential;
    if (!(finite && (!std::isfinite(client.low) || potential - client.low <= kAbsurd * scale))) continue;
    absurd = false;
    lowest = std::min(lowest, potential);
  }
  client.absurd = absurd ? client.absurd + 1 : 0;
  if (!(lowest < client.low)) return client.absurd;
  const bool first = !std::isfinite(client.low), old = exchange_ - client.fell > kLately;
  if (!first && (old || client.low - lowest >= client.before - client.after)) {
    client.before = client.low;
    client.after = lowest;
    client.fell = exchange_;
  }
  client.low = lowest;
  return client.absurd;
}

PotentialWatch::Suspect PotentialWatch::last(std::uint32_t client) const {
  return {client, clients_[client].latest, clients_[client].low};
}

double PotentialWatch::fall(const Client& client) const {
  return exchange_ - client.fell > kLately ? 0 : client.before - client.after;
}

std::optional<PotentialWatch::Suspect> PotentialWatch::most_fallen() const {
  const auto most = std::ranges::max_element(clients_, {}, [&](const Client& client) { return fall(client); });
  if (most == clients_.end() || !(fall(*most) > kAbsurd / (2 * static_cast<double>(clients_.size())))) return {};
  return Suspect{static_cast<std::uint32_t>(most - clients_.begin()), most->after, most->before};
}

// Returns the client whose number, per row, is a million times that of the next one.
template <class Number>
std::optional<std::uint32_t> PotentialWatch::outlier(const Number& number) const {
  std::vector<std::uint32_t> order(clients_.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto per_row = [&](std::uint32_t i) { return std::abs(number(clients_[i])) / static_cast<double>(rows_[i]); };
  std::ranges::sort(order, std::greater(), per_row);
  if (order.size() < 2 || !(per_row(order[0]) > kAbsurd * std::max(1.0, per_row(order[1])))) return {};
  return order[0];
}

std::optional<PotentialWatch::Suspect> PotentialWatch::suspect(bool fell) const {
  if (fell) return most_fallen();
  const auto broken = [](const Client& client) { return !std::isfinite(client.latest); };
  if (std::ranges::count_if(clients_, broken) == 1)
    return last(static_cast<std::uint32_t>(std::ranges::find_if(clients_, broken) - clients_.begin()));
  if (const auto large = outlier([](const Client& client) { return client.low; }))
    return Suspect{*large, clients_[*large].low, std::numeric_limits<double>::infinity()};
  if (const auto large = outlier([&](const Client& client) { return fall(client); }))
    return Suspect{*large, clients_[*large].before, clients_[*large].after};
  return {};
}

void PotentialWatch::archive(Archive& archive) {
  std::vector<double> lows;
  for (const Client& client : clients_) lows.push_back(client.low);
  archive.array(std::span(lows));
  for (std::size_t i = 0; i < clients_.size(); ++i) clients_[i].low = lows[i];
}

}  // namespace pollen
