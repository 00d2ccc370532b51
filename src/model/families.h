// The families of models (ModelFamily in pollen/model.h). Every family ends its own source file with its row; models.cc
// collects the rows in a table.
#pragma once

#include "loss.h"

namespace pollen::model {

// What generalised linear models have in common. A family of its own gives the loss, and overrides what differs.
class GlmFamily : public ModelFamily {
 public:
  // Makes the loss at θ. θ is empty if a potential is made, for which the loss may depend on the spec alone.
  using MakeLoss = std::unique_ptr<const Loss> (*)(const ModelSpec& spec, std::span<const double> theta);
  GlmFamily(TargetKind target, MakeLoss make_loss) : target_(target), make_loss_(make_loss) {}

  TargetKind target(const ModelSpec&) const override { return target_; }
  std::unique_ptr<Potential> make(const ModelSpec& spec, const Observations& observations,
                                  double scale) const override {
    return make_glm(make_loss_(spec, {}), observations, scale);
  }
  Index dimension(const ModelSpec& spec) const override { return spec.features * columns(spec) + log_scales(spec); }
  std::vector<std::string> labels(const ModelSpec& spec) const override;
  std::string not_convex(const ModelSpec&) const override { return {}; }

  bool predicts() const override { return true; }
  void class_probabilities(const ModelSpec& spec, std::span<const double> theta, const RowsView& x,
                           std::span<double> out, Scratch& scratch) const override;
  void response(const ModelSpec& spec, std::span<const double> theta, const RowsView& x, std::span<double> mean,
                std::span<double> sd, Scratch& scratch) const override;
  void log_likelihood(const ModelSpec& spec, std::span<const double> theta, const Observations& observations,
                      std::span<double> out, Scratch& scratch) const override;

 private:
  // The number of linear predictors per row, each with one coefficient per feature.
  Index columns(const ModelSpec& spec) const { return target_ == TargetKind::classes ? spec.classes : 1; }
  ConstPanelView coefficients(const ModelSpec& spec, std::span<const double> theta) const {
    return {theta.data(), spec.features, columns(spec), spec.features};
  }

  TargetKind target_;
  MakeLoss make_loss_;
};

// Returns the names of the features. A feature without a name has its number, after `stem`.
std::vector<std::string> feature_labels(const ModelSpec& spec, const char* stem);

ModelRow gaussian_row();
ModelRow linear_row();
ModelRow logistic_row();
ModelRow softmax_row();
ModelRow poisson_row();
std::vector<ModelRow> mixed_rows();
std::vector<ModelRow> network_rows();

}  // namespace pollen::model
