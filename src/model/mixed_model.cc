// Presents mixed-effects models as personal models by picking their columns out of a table.
#include <algorithm>

#include "families.h"
#include "math/math.h"
#include "model/personal_model.h"

namespace pollen {

namespace {

// A copy of some columns of a table, side by side.
class Columns {
 public:
  Columns(const RowsView& from, const std::vector<Index>& picked)
      : rows_(from.rows), columns_(static_cast<Index>(picked.size())), stride_(std::max<Index>(8, padded(columns_))) {
    numbers_.resize(static_cast<std::size_t>(rows_ * stride_), 0.0);
    for (Index r = 0; r < rows_; ++r)
      for (std::size_t j = 0; j < picked.size(); ++j)
        numbers_[static_cast<std::size_t>(r * stride_) + j] = from.row(r)[picked[j]];
  }
  RowsView view() const { return {numbers_.data(), rows_, columns_, stride_}; }

 private:
  Index rows_, columns_, stride_;
  AlignedVector<double> numbers_;
};

class RowsOfMixed final : public PersonalRows {
 public:
  // mixed-linear takes the table as it is.
  RowsOfMixed(const MixedSpec& spec, const RowsView& x, const double* y) : spec_(spec), rows_{x, x, y} {}
  RowsOfMixed(const MixedSpec& spec, Columns fixed, Columns random, const double* y) : spec_(spec) {
    columns_.push_back(std::move(fixed));
    columns_.push_back(std::move(random));
    rows_ = {columns_[0].view(), columns_[1].view(), y};
  }

  Index rows() const override { return rows_.random.rows; }
  void predict(std::span<const double> shared, std::span<const double> z, std::span<double> out,
               Scratch& scratch) const override {
    mixed_response(spec_, shared, z, rows_, out, scratch);
  }
  void log_likelihood(std::span<const double> shared, std::span<const double> z, std::span<double> out,
                      Scratch& scratch) const override {
    mixed_log_likelihood(spec_, shared, z, rows_, out, scratch);
  }
  std::unique_ptr<PersonalPotential> potential() const override { return make_mixed(spec_, rows_); }

 private:
  const MixedSpec& spec_;
  std::vector<Columns> columns_;  // the fixed and the random columns
  MixedRows rows_;
};

class MixedModel final : public PersonalModel {
 public:
  MixedModel(const MixedSpec& spec, const std::vector<std::string>& columns)
      : spec_(spec), fixed_(places(spec.fixed, columns)), random_(places(spec.random, columns)) {}

  Index shared() const override { return spec_.shared(); }
  Index latent() const override { return spec_.latent; }
  std::vector<std::string> shared_labels() const override { return spec_.shared_labels(); }
  std::vector<std::string> latent_labels() const override { return spec_.latent_labels(); }
  Index outputs() const override { return 1; }
  bool classifies() const override { return spec_.kind == MixedKind::logistic; }
  double noise_sd(std::span<const double> shared) const override {
    return classifies() ? 0 : spec_.noise_sd ? *spec_.noise_sd : math::exp(shared.back());
  }
  bool identified() const override { return spec_.kind != MixedKind::linear; }
  std::unique_ptr<PersonalRows> rows(const RowsView& x, const double* y) const override {
    if (spec_.kind == MixedKind::linear) return std::make_unique<RowsOfMixed>(spec_, x, y);
    return std::make_unique<RowsOfMixed>(spec_, Columns(x, fixed_), Columns(x, random_), y);
  }

 private:
  static std::vector<Index> places(const std::vector<std::string>& wanted, const std::vector<std::string>& all) {
    std::vector<Index> out;
    for (const std::string& name : wanted) out.push_back(std::ranges::find(all, name) - all.begin());
    return out;
  }

  MixedSpec spec_;
  std::vector<Index> fixed_, random_;
};

}  // namespace

std::unique_ptr<PersonalModel> make_mixed_model(const MixedSpec& spec, const std::vector<std::string>& columns) {
  return std::make_unique<MixedModel>(spec, columns);
}

namespace model {

// The families of mixed models say what their targets are; PersonalModel does the rest.
std::vector<ModelRow> mixed_rows() {
  constexpr auto mixed = ModelRow::Group::mixed;
  const auto real = linear_row().family, binary = logistic_row().family;
  return {{"mixed-linear", "y ~ N(xᵀΦz_i, σ²); client i has z_i for itself (docs/personal.md)", "k·d, d",
           "latent noise_sd log_sigma_sd", real, mixed},
          {"mixed-gaussian", "y ~ N(aᵀφ + bᵀz_i, σ²); client i has z_i for itself", "p, d",
           "fixed random noise_sd log_sigma_sd", real, mixed},
          {"mixed-logistic", "two classes, P(1) = 1/(1+exp(-aᵀφ - bᵀz_i))", "p, d", "fixed random", binary, mixed}};
}

}  // namespace model

}  // namespace pollen
