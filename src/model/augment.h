// Varies images for gradient descent by the random shifts and reflections that Augmentation allows. The function is
// pure.
#pragma once

#include "network/network.h"
#include "pollen/model.h"

namespace pollen::model {

struct Variation {
  bool flipped = false;
  Index down = 0, right = 0;  // where the window's corner is, relative to the image's corner
};

Variation draw_variation(const Augmentation& augmentation, Sequence& sequence);
// Writes the shifted image to `out`: a window as large as the image, with zeros outside of it.
void vary(const NetworkSpec& spec, const double* image, const Variation& variation, double* out);

}  // namespace pollen::model
