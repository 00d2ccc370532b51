// The registry of models: one row for every accepted value of model.kind. models().names() lists these values. The
// registry is immutable, so any thread may read it.
#pragma once

#include <string>

#include "base/registry.h"
#include "pollen/data.h"
#include "pollen/model.h"

namespace pollen {

struct ModelRow {
  std::string name, summary;
  std::string parameters;  // the number of parameters, in words
  std::string keys;        // keys of [model] that only some models have, separated by spaces
  ModelKind kind;          // logistic for mixed-effects models, which have their own potentials
  TargetKind target;       // for networks: the target if task = "classification"
  enum class Group { plain, mixed, network } group = Group::plain;
  bool last_layer = false;  // whether each client can have its own last layer (networks only)
};
const Registry<ModelRow>& models();

}  // namespace pollen
