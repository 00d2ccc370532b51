#include "gaussian_clients.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "math/eigenvalues.h"
#include "pollen/errors.h"

namespace pollen {

namespace {

// Whether a symmetric matrix has no negative eigenvalue, up to rounding.
bool semidefinite(const std::vector<std::vector<double>>& rows) {
  Panel matrix(std::ssize(rows), std::ssize(rows));
  for (std::size_t r = 0; r < rows.size(); ++r)
    std::ranges::copy(rows[r], matrix.column(static_cast<Index>(r)).begin());
  const std::vector<double> values = math::symmetric_eigenvalues(matrix);
  return values.front() >= -1e-10 * std::abs(values.back());
}

class Builder {
 public:
  Builder(const Config& config, StatisticalProblem& problem) : config_(config), problem_(problem) {}

  void build() {
    for (std::size_t i = 0; i < config_.clients.size(); ++i) check(i);
    problems_.raise();
    problem_.model.features = dimension_;
    fill_tables();
    std::vector<std::shared_ptr<const Potential>> potentials;
    for (std::size_t i = 0; i < config_.clients.size(); ++i) {
      potentials.push_back(potential(i));
      problem_.rows.push_back(potentials.back()->rows());
    }
    problem_.potentials = Potentials(std::move(potentials));
  }

 private:
  std::string at(std::size_t i) const { return fmt::format("{}: client {}", config_.file, i + 1); }

  void same_dimension(std::size_t i, const char* key, std::size_t size) {
    if (dimension_ == 0) dimension_ = static_cast<Index>(size);
    if (static_cast<Index>(size) != dimension_)
      problems_.add(fmt::format("{}, {}", at(i), key),
                    fmt::format("found {} numbers, accepted: {}, as for the clients before it", size, dimension_));
  }

  void check(std::size_t i) {
    const ClientConfig& c = config_.clients[i];
    if (!c.data.empty()) {
      if (!c.mean.empty() || !c.precision.empty())
        problems_.add(at(i), "has both data and mean or precision, accepted: one of the two");
      for (const auto& row : c.data) same_dimension(i, "data", row.size());
      return;
    }
    if (c.mean.empty()) return problems_.add(at(i), "has neither mean and precision nor data");
    if (c.precision.empty()) return problems_.add(at(i), "has a mean and no precision");
    same_dimension(i, "mean", c.mean.size());
    const std::size_t d = c.mean.size();
    bool square = c.precision.size() == d;
    for (const auto& row : c.precision) square = square && row.size() == d;
    if (!square)
      return problems_.add(at(i) + ", precision",
                           fmt::format("found {} rows, accepted: {} rows of {} numbers", c.precision.size(), d, d));
    for (std::size_t r = 0; r < d; ++r)
      for (std::size_t s = 0; s < r; ++s)
        if (c.precision[r][s] != c.precision[s][r])
          return problems_.add(at(i) + ", precision",
                               fmt::format("is not symmetric: row {}, column {} has {}, the mirrored entry {}", r + 1,
                                           s + 1, c.precision[r][s], c.precision[s][r]));
    if (!semidefinite(c.precision)) problems_.add(at(i) + ", precision", "is not positive semi-definite");
  }

  void fill_tables() {
    Federation& data = problem_.data;
    Table& train = data.train;
    train.columns = data.test.columns = dimension_;
    train.stride = data.test.stride = padded(dimension_);
    data.train_begin = {0};
    for (std::size_t i = 0; i < config_.clients.size(); ++i) {
      for (const auto& row : config_.clients[i].data) {
        train.x.resize(static_cast<std::size_t>((train.rows + 1) * train.stride), 0.0);
        std::copy(row.begin(), row.end(), train.x.begin() + train.rows * train.stride);
        ++train.rows;
      }
      data.train_begin.push_back(train.rows);
    }
    data.client_names = ClientNames(config_.clients.size());
    data.test_begin.assign(data.train_begin.size(), 0);
  }

  std::unique_ptr<const Potential> potential(std::size_t i) const {
    const ClientConfig& c = config_.clients[i];
    const auto b = static_cast<double>(config_.clients.size());
    const bool mean = config_.model.likelihood == "mean";
    if (!c.data.empty()) {
      const double scale = mean ? 1 / (b * static_cast<double>(c.data.size())) : 1;
      const RowsView rows = problem_.data.train.view();
      return make_gaussian_data(rows.slice(problem_.data.train_begin[i], std::ssize(c.data)), scale);
    }
    std::vector<double> flat;
    for (const auto& row : c.precision) flat.insert(flat.end(), row.begin(), row.end());
    return make_gaussian(c.mean, std::move(flat), mean ? 1 / b : 1);
  }

  const Config& config_;
  StatisticalProblem& problem_;
  Index dimension_ = 0;
  Problems problems_;
};

}  // namespace

void add_gaussian_clients(const Config& config, StatisticalProblem& problem) { Builder(config, problem).build(); }

}  // namespace pollen
