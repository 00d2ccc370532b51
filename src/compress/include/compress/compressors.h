// The table of all compressors (pollen/compress.h), from which sampler.compressor is chosen.
// Reading it is thread-safe.
#pragma once

#include "base/registry.h"
#include "pollen/compress.h"

namespace pollen {

const Registry<CompressorRow>& compressors();

}  // namespace pollen
