#include "augment.h"

#include "network/network.h"

namespace pollen::model {

Variation draw_variation(const Augmentation& augmentation, Sequence& sequence) {
  constexpr Index kFarthest = 4;
  const auto shift = [&] { return static_cast<Index>(sequence.below(2 * kFarthest + 1)) - kFarthest; };
  Variation variation;
  if (augmentation.flip) variation.flipped = sequence.below(2) == 1;
  if (augmentation.crop) {
    variation.down = shift();
    variation.right = shift();
  }
  return variation;
}

void vary(const NetworkSpec& spec, const double* image, const Variation& variation, double* out) {
  const auto height = static_cast<Index>(spec.height), width = static_cast<Index>(spec.width);
  for (Index channel = 0; channel < static_cast<Index>(spec.channels); ++channel, image += height * width)
    for (Index i = 0; i < height; ++i)
      for (Index j = 0; j < width; ++j) {
        const Index y = i + variation.down, x = (variation.flipped ? width - 1 - j : j) + variation.right;
        *out++ = y >= 0 && y < height && x >= 0 && x < width ? image[y * width + x] : 0.0;
      }
}

}  // namespace pollen::model
