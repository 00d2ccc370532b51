#include "mixed_hessian.h"

#include <algorithm>
#include <stdexcept>

#include "model/mixed.h"

namespace pollen {

namespace model {

void add_weighted_squares(const CoefficientColumns& first, const CoefficientColumns& second,
                          std::span<const double> weights, PanelView out, Scratch& scratch) {
  Scratch::Frame frame(scratch);
  const auto row = scratch.take<double>(out.rows);
  std::ranges::fill(row, 0.0);
  for (std::size_t r = 0; r < weights.size(); ++r) {
    for (const CoefficientColumns& part : {first, second})
      if (part.rows.columns > 0)
        std::copy_n(part.rows.row(static_cast<Index>(r)), part.rows.columns, row.begin() + part.place);
    for (Index j = 0; j < out.columns; ++j) {
      const double x = row[static_cast<std::size_t>(j)];
      if (x != 0) math::axpy(weights[r] * x, row, out.column(j));
    }
  }
}

}  // namespace model

void PersonalPotential::add_hessian(std::span<const double>, std::span<const double>, PanelView, Scratch&) const {
  throw std::logic_error("this model has no second derivatives");
}

void PersonalPotential::add_latent_hessian(std::span<const double>, std::span<const double>, PanelView,
                                           Scratch&) const {
  throw std::logic_error("this model has no second derivatives");
}

}  // namespace pollen
