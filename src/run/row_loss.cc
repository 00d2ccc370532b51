// How well clients' present models fit their rows: cheap enough to be asked while a run goes on.
#include <algorithm>
#include <limits>
#include <numeric>

#include "run/parts.h"

namespace pollen {

namespace {

constexpr Index kMostClients = 1000;

// Sums of -log p(y | φ, z) over rows.
struct Loss {
  double sum = 0;
  Index rows = 0;

  void add(const MixedSpec& spec, std::span<const double> shared, std::span<const double> z, const MixedRows& table,
           Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const auto out = scratch.take<double>(table.random.rows);
    mixed_log_likelihood(spec, shared, z, table, out, scratch);
    sum -= std::accumulate(out.begin(), out.end(), 0.0);
    rows += table.random.rows;
  }
  double mean() const { return rows > 0 ? sum / static_cast<double>(rows) : std::numeric_limits<double>::quiet_NaN(); }
};

}  // namespace

RowLoss Experiment::row_loss() const {
  const PersonalParts& parts = *parts_->personal;
  const Federation& data = parts_->problem.data;
  std::vector<double> shared(static_cast<std::size_t>(parts.spec.shared()));
  std::vector<double> z(static_cast<std::size_t>(parts.spec.latent));
  Loss train, test;
  Scratch scratch;
  for (Index i = 0; i < std::min(clients(), kMostClients); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const MixedRows fitted = parts.train.rows(data.train_begin[at], data.train_rows(i));
    const MixedRows held_out = parts.test.rows(data.test_begin[at], data.test_begin[at + 1] - data.test_begin[at]);
    for (Index c = 0; c < parts.problem.chains; ++c) {
      parts_->learner->personal_shared(i, c, shared);
      parts_->learner->latent(i, c, z);
      train.add(parts.spec, shared, z, fitted, scratch);
      test.add(parts.spec, shared, z, held_out, scratch);
    }
  }
  return {train.mean(), test.mean()};
}

}  // namespace pollen
