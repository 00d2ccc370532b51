// Images varied for gradient descent, as Augmentation says.
#pragma once

#include "network/network.h"
#include "pollen/model.h"

namespace pollen::model {

struct Variation {
  bool flipped = false;
  Index down = 0, right = 0;  // where the window's corner is, relative to the image's
};

Variation draw_variation(const Augmentation& augmentation, Sequence& sequence);
// out = the window, as large as the image; zeros outside of the image.
void vary(const NetworkSpec& spec, const double* image, const Variation& variation, double* out);

}  // namespace pollen::model
