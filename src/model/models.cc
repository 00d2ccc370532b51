#include "model/models.h"

#include "families.h"

namespace pollen {

namespace {

Registry<ModelRow>& model_table() {
  static Registry<ModelRow> rows = [] {
    Registry<ModelRow> all("model.kind", {model::gaussian_row(), model::linear_row(), model::logistic_row(),
                                          model::softmax_row(), model::poisson_row()});
    for (auto part : {model::mixed_rows(), model::network_rows()})
      for (ModelRow& row : part) all.add(std::move(row));
    return all;
  }();
  return rows;
}

}  // namespace

const Registry<ModelRow>& models() { return model_table(); }

void register_model(ModelRow row) { model_table().add(std::move(row)); }

const ModelFamily& model_family(const std::string& name) { return *models().at(name).family; }

}  // namespace pollen
