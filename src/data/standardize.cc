#include <algorithm>
#include <cmath>
#include <span>

#include "data/column_handshake.h"
#include "data/constant_columns.h"
#include "data/site_doubts.h"
#include "tables.h"

namespace pollen {

namespace data {

namespace {

void apply(const ColumnScaling& scaling, Index first, Table& table) {
  for (Index r = 0; r < table.rows; ++r) {
    double* x = table.x.data() + r * table.stride + first;
    for (std::size_t j = 0; j < scaling.mean.size(); ++j) x[j] = (x[j] - scaling.mean[j]) / scaling.sd[j];
  }
}

// Returns the sum and the squares around the mean. Sums are taken of differences from the first number.
std::vector<double> moments_of_target(std::span<const double> y) {
  const double count = static_cast<double>(y.size());
  double sum = 0, squares = 0;
  for (const double one : y) sum += one - y.front();
  const double mean = y.front() + sum / count;
  for (const double one : y) squares += (one - mean) * (one - mean);
  return {count * y.front() + sum, squares};
}

// Pools moments in client order, first the sums and then the squares. It calls of(i) twice per client.
template <class Of>
ColumnScaling pooled_of(std::size_t clients, const Of& of) {
  constexpr double kConstant = 1e-12;  // an sd below this share of the mean is rounding error
  const auto spread = [](double mean, double variance) {
    const double sd = std::sqrt(variance);
    return std::isfinite(mean) && sd <= kConstant * std::abs(mean) ? 0.0 : sd;
  };
  double count = 0.0, target = 0.0, apart_squared = 0.0;
  ColumnScaling scaling;
  for (std::size_t i = 0; i < clients; ++i) {
    const ColumnMoments& m = of(i);
    scaling.mean.resize(m.sum.size());
    count += m.count;
    for (std::size_t j = 0; j < m.sum.size(); ++j) scaling.mean[j] += m.sum[j];
    if (m.target.size() == 2) target += m.target[0];
  }
  for (double& mean : scaling.mean) mean /= count;
  target /= count;
  const std::size_t p = scaling.mean.size();
  scaling.sd.resize(p);
  for (std::size_t i = 0; i < clients; ++i) {
    const ColumnMoments& m = of(i);
    for (std::size_t j = 0; j < p; ++j) {
      const double apart = m.sum[j] / m.count - scaling.mean[j];
      scaling.sd[j] += m.squares[j] + m.count * apart * apart;
    }
    if (m.target.size() != 2) continue;
    const double apart = m.target[0] / m.count - target;
    apart_squared += m.target[1] + m.count * apart * apart;
    scaling.target = {target, 0};
  }
  if (!scaling.target.empty()) scaling.target[1] = spread(target, apart_squared / count);
  for (std::size_t j = 0; j < p; ++j) scaling.sd[j] = spread(scaling.mean[j], scaling.sd[j] / count);
  return scaling;
}

// Pools the moments of all clients. For many clients the moments would take as much memory as the rows, so they are
// computed twice instead of kept.
ColumnScaling pooled_over(const Federation& federation, std::size_t p, bool target) {
  constexpr std::size_t kMostKept = std::size_t{1} << 22;
  const auto clients = static_cast<std::size_t>(federation.clients());
  ColumnMoments one;
  if (clients * p > kMostKept)
    return pooled_of(clients,
                     [&](std::size_t i) -> const ColumnMoments& { return one = moments_of(federation, i, target); });
  std::vector<ColumnMoments> all;
  for (std::size_t i = 0; i < clients; ++i) all.push_back(moments_of(federation, i, target));
  return pooled(all);
}

}  // namespace

void settle_columns(const std::string& where, const DataSpec& spec, Federation& federation) {
  const Index first = federation.intercept ? 1 : 0;
  const auto p = static_cast<std::size_t>(federation.train.columns - first);
  if (p == 0 && !spec.target_moments) return;
  const std::vector<std::string>& names = federation.feature_names;
  const PooledColumns columns{federation.layout, {names.begin() + first, names.end()}, spec, where + ": "};
  const ColumnScaling scaling = settled(pooled_over(federation, p, spec.target_moments), columns);
  const std::vector<std::string> notes = constant_notes(columns, scaling);
  federation.notes.insert(federation.notes.end(), notes.begin(), notes.end());
  if (are_sites(spec, federation.clients()) && p > 0) {
    std::vector<ColumnMoments> all;
    for (std::size_t i = 0; i < static_cast<std::size_t>(federation.clients()); ++i)
      all.push_back(moments_of(federation, i));
    const std::vector<std::string> doubts = unit_doubts(all, columns.names, federation.client_names.list());
    federation.notes.insert(federation.notes.end(), doubts.begin(), doubts.end());
  }
  pollen::standardize(scaling, federation);
  federation.setup_bits += pooling_bits(federation.clients(), p, scaling);
}

void add_moments(const DataSpec& spec, Federation& federation) {
  const auto clients = static_cast<std::size_t>(federation.clients());
  const bool columns = spec.column_moments && federation.scaling.mean.empty();
  const Index p = columns ? federation.train.columns - (federation.intercept ? 1 : 0) : 0;
  if (p == 0 && !spec.target_moments) return;
  const auto of_target = [&](std::size_t i) {
    const Index from = federation.train_begin[i], rows = federation.train_rows(static_cast<Index>(i));
    const std::span<const double> y(federation.train.y.data() + from, static_cast<std::size_t>(rows));
    return ColumnMoments{static_cast<double>(rows), {}, {}, moments_of_target(y)};
  };
  ColumnMoments one;
  ColumnScaling agreed = pooled_of(clients, [&](std::size_t i) -> const ColumnMoments& {
    return one = p > 0 ? moments_of(federation, i, spec.target_moments) : of_target(i);
  });
  for (std::size_t j = 0; j < agreed.sd.size(); ++j)
    if (agreed.sd[j] == 0) agreed.mean[j] = 0, agreed.sd[j] = 1;
  federation.scaling.target = agreed.target;
  federation.scaling.raw_mean = agreed.mean;
  federation.scaling.raw_sd = agreed.sd;
  federation.setup_bits += pooling_bits(federation.clients(), static_cast<std::size_t>(p), agreed);
}

}  // namespace data

// Sums are taken of differences from the first row, so that a constant column has exactly its value as mean, and Q = 0.
ColumnMoments moments_of(const Federation& federation, std::size_t client, bool target) {
  const Table& table = federation.train;
  const Index from = federation.train_begin[client], to = federation.train_begin[client + 1];
  const Index first = federation.intercept ? 1 : 0;
  const auto p = static_cast<std::size_t>(table.columns - first);
  const auto row = [&](Index r) { return table.x.data() + r * table.stride + first; };
  ColumnMoments m{static_cast<double>(to - from), std::vector<double>(p), std::vector<double>(p), {}};
  if (target) m.target = data::moments_of_target({table.y.data() + from, static_cast<std::size_t>(to - from)});
  const double* origin = row(from);
  for (Index r = from; r < to; ++r) {
    const double* x = row(r);
    for (std::size_t j = 0; j < p; ++j) m.sum[j] += x[j] - origin[j];
  }
  std::vector<double> mean(p);
  for (std::size_t j = 0; j < p; ++j) mean[j] = origin[j] + m.sum[j] / m.count;
  for (std::size_t j = 0; j < p; ++j) m.sum[j] = m.count * origin[j] + m.sum[j];
  for (Index r = from; r < to; ++r) {
    const double* x = row(r);
    for (std::size_t j = 0; j < p; ++j) m.squares[j] += (x[j] - mean[j]) * (x[j] - mean[j]);
  }
  return m;
}

ColumnScaling pooled(const std::vector<ColumnMoments>& clients) {
  return data::pooled_of(clients.size(), [&](std::size_t i) -> const ColumnMoments& { return clients[i]; });
}

void standardize(const ColumnScaling& scaling, Federation& federation) {
  const Index first = federation.intercept ? 1 : 0;
  if (!scaling.dropped.empty()) {
    std::vector<std::string> kept;
    for (Index c = 0; c < std::ssize(federation.feature_names); ++c)
      if (!std::ranges::binary_search(scaling.dropped, c - first))
        kept.push_back(std::move(federation.feature_names[static_cast<std::size_t>(c)]));
    federation.feature_names = std::move(kept);
  }
  for (Table* table : {&federation.train, &federation.test, &federation.ood, &federation.distill}) {
    data::leave_out(scaling.dropped, first, *table);
    data::apply(scaling, first, *table);
  }
  federation.scaling = scaling;
}

bool standardizes(const DataSpec& spec, TargetKind target) {
  return target != TargetKind::none && *with_defaults(spec).standardize;
}

std::vector<std::size_t> unusable_columns(const ColumnScaling& scaling) {
  std::vector<std::size_t> places;
  for (std::size_t j = 0; j < scaling.mean.size(); ++j)
    if (!std::isfinite(scaling.mean[j]) || !std::isfinite(scaling.sd[j]) || scaling.sd[j] <= 0) places.push_back(j);
  return places;
}

std::int64_t pooling_bits(Index clients, std::size_t columns, const ColumnScaling& agreed) {
  const std::size_t sent = columns + agreed.target.size() / 2;
  if (sent == 0) return 0;
  const std::size_t received =
      agreed.mean.size() + agreed.raw_mean.size() + agreed.dropped.size() + agreed.target.size() / 2;
  return 64 * clients * static_cast<std::int64_t>(1 + 2 * sent + 2 * received);
}

}  // namespace pollen
