// The rows of all compressors (pollen/compress.h).
#pragma once

#include "base/registry.h"
#include "pollen/compress.h"

namespace pollen {

const Registry<CompressorRow>& compressors();

}  // namespace pollen
