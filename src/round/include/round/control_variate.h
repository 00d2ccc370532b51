// The control variates of SCAFFOLD (Karimireddy et al. 2020, option II), which correct the local steps of a client for
// what sets its gradient apart from everybody's. The plain optimiser (src/reference/averaging.cc) and the one for
// personal models (src/personal/baseline_rules.cc) share it. The function is pure.
#pragma once

#include <span>

#include "math/math.h"
#include "pollen/types.h"

namespace pollen {

// The local steps of a client: the positions before and after them, their number and their size.
struct LocalMove {
  std::span<const double> start, end;
  Index steps;
  double step;
};

// Renews a client's control variate `own` after its local steps. With K steps of size γ from θ to y and the server's
// control variate c, `own` moves by (θ - y)/(Kγ) - c. Writes this move, which the client sends, to `move`.
inline void renew_control(const LocalMove& local, std::span<const double> all, std::span<double> own,
                          std::span<double> move) {
  math::subtract(local.start, local.end, move);
  math::scale(1 / (static_cast<double>(local.steps) * local.step), move);
  math::subtract(move, all, move);
  math::add(move, own);
}

}  // namespace pollen
