// The rows of all models: what can be chosen as model.kind.
#pragma once

#include <string>

#include "base/registry.h"
#include "pollen/data.h"
#include "pollen/model.h"

namespace pollen {

struct ModelRow {
  std::string name, summary;
  std::string parameters;  // how many, in words
  std::string keys;        // of [model] that not all models have, separated by spaces
  ModelKind kind;          // of the mixed-effects models, which have potentials of their own: logistic
  TargetKind target;       // networks: with task = "classification"
  enum class Group { plain, mixed, network } group = Group::plain;
  bool last_layer = false;  // a network whose last layer can be each client's own
};
const Registry<ModelRow>& models();

}  // namespace pollen
