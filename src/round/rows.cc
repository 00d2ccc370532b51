// Computes what a plan needs to know about a client's rows at a point. Only four numbers leave the client.
#include <cmath>

#include "math/math.h"
#include "pollen/round.h"

namespace pollen {

void Client::look_at_rows(std::span<const double> at, PanelView out, Workspace& work) const {
  Scratch::Frame frame(work.scratch);
  const auto one = work.scratch.take<double>(dimension_);
  const auto sum = work.scratch.take<double>(dimension_);
  std::ranges::fill(sum, 0.0);
  double squares = 0;
  for (Index j = 0; j < potential_->rows(); ++j) {
    const std::uint32_t row[] = {static_cast<std::uint32_t>(j)};
    potential_->gradient_rows(at, row, one, work.scratch);
    squares += math::squared_norm(one);
    math::add(one, sum);
  }
  const auto column = out.column(out.columns == 1 ? 0 : static_cast<Index>(index_));
  column[1] = squares;
  column[2] = math::squared_norm(sum);
  if (parts_.prior_share != 0) parts_.prior->add_gradient(at, parts_.prior_share, sum);
  column[0] = math::squared_norm(sum);
  column[3] = potential_->row_curvature(at, work.scratch);
}

}  // namespace pollen
