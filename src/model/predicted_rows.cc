#include "model/predicted_rows.h"

#include "network.h"

namespace pollen {

PredictedRows::PredictedRows(const ModelSpec& model, const RowsView& x) : model_(&model), x_(x) {
  if (model.is_network()) held_ = model.network.hold(x, nullptr);
}

PredictedRows::~PredictedRows() = default;

void PredictedRows::class_probabilities(std::span<const double> theta, Index first, Index count, std::span<double> out,
                                        Scratch& scratch) const {
  if (held_)
    model::network_probabilities(model_->network, theta, {*held_, first, count}, out, scratch);
  else
    model_->family->class_probabilities(*model_, theta, x_.slice(first, count), out, scratch);
}

}  // namespace pollen
