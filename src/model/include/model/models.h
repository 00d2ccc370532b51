// The table of all models (pollen/model.h), from which model.kind is chosen. Reading it is thread-safe.
#pragma once

#include "base/registry.h"
#include "pollen/model.h"

namespace pollen {

const Registry<ModelRow>& models();

}  // namespace pollen
