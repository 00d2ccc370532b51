// The table of all compressors (pollen/compress.h), from which sampler.compressor is chosen.
#pragma once

#include "base/registry.h"
#include "pollen/compress.h"

namespace pollen {

const Registry<CompressorRow>& compressors();

}  // namespace pollen
