// How large a step may be where the posterior bends more than at its mode. A forecast knows the Hessian at the mode
// alone. Where a column has a few values far from the others, or events are few, the potential rises on one side of the
// mode like a wall, and a step that suits the mode throws the chain far to the other side.
//
// For each parameter, θ̂ ± k v is the line on which the normal approximation has its conditional means, with v as long
// as one posterior standard deviation. On it we look for the k at which U/T is 2 above the mode's, which is 2 for a
// normal posterior, and for the slope s of U/T there and beyond. With γ' = γ T/|v|² a step moves k by γ' s and by noise
// of the standard deviation √(2γ'). The first must be a small part of k; and where the noise leads, once in thousands
// of steps, the slope must not throw the chain out of the other side.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "forecasting.h"
#include "math/linear_algebra.h"

namespace pollen {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::array kPlaces = {0.5, 1.0, 2.0, 4.0};              // k, in posterior standard deviations
constexpr std::array kBeyond = {0.0, 0.05, 0.25, 0.5, 1.0, 2.0};  // behind the place where U has risen
constexpr double kHeight = 2;                                     // in units of the temperature
constexpr double kPartOfWay = 0.3;  // with a third, sds of a Poisson model with such a wall were right
constexpr double kFarNoise = 3.5;   // in standard deviations
constexpr double kOtherSide = 2;    // so far out a chain may be thrown
constexpr Index kLinesTogether = 32;
constexpr double kLinesWork = 2e10;  // operations

// Where a potential that rises by rises[n] at kPlaces[n] has risen by kHeight, with a power of k between two places.
double place_of(std::span<const double> rises) {
  double k = 0, rise = 0;
  for (std::size_t n = 0; n < rises.size(); ++n) {
    if (!std::isfinite(rises[n])) return k;
    if (rises[n] >= kHeight) {
      if (rise <= 0) return kPlaces[n] * std::sqrt(kHeight / rises[n]);
      const double power = std::log(rises[n] / rise) / std::log(kPlaces[n] / k);
      return k * std::pow(kHeight / rise, 1 / power);
    }
    k = kPlaces[n];
    rise = rises[n];
  }
  return k;
}

// The largest γ' for a potential with these heights at kBeyond behind the place k.
double room_behind(double k, std::span<const double> heights) {
  double room = std::numeric_limits<double>::infinity();
  for (std::size_t n = 1; n < heights.size(); ++n) {
    const double slope = (heights[n] - heights[n - 1]) / (kBeyond[n] - kBeyond[n - 1]);
    if (!(slope > 0)) continue;
    const double reached = kBeyond[n - 1] / kFarNoise, way = n == 1 ? kPartOfWay * k : k + kBeyond[n] + kOtherSide;
    room = std::min(room, std::max(reached * reached / 2, way / slope));
  }
  return room;
}

}  // namespace

// Asks for U/T above the mode's at so many places on both sides of every line. place(side, n) says where.
template <class Place>
std::vector<double> Forecasting::heights_along(const MatrixXd& lines, std::size_t places, const Place& place) {
  const Index d = lines.rows(), each = static_cast<Index>(places), sides = 2 * lines.cols();
  const VectorXd mode = VectorXd::Map(subject_.questions.mode().data(), d);
  Panel at(d, sides * each + 1);
  for (Index c = 0; c < at.columns(); ++c) {
    const Index side = c / each;
    auto to = VectorXd::Map(at.column(c).data(), d);
    to = mode;
    if (side < sides)
      to += (side % 2 == 0 ? 1 : -1) * place(side, static_cast<std::size_t>(c % each)) * lines.col(side / 2);
  }
  std::vector<double> heights(static_cast<std::size_t>(at.columns()));
  subject_.questions.transport().query({Query::What::value, at, {}}, {heights.data(), 1, at.columns(), 1});
  exchanges_.push_back({.down_bits = 64 * d * at.columns(), .up_bits = 64 * at.columns(), .columns = at.columns()});
  for (Index c = 0; c < at.columns(); ++c)
    heights[static_cast<std::size_t>(c)] += subject_.problem.prior.value(at.column(c));
  const double lowest = heights.back();
  for (double& height : heights) height = (height - lowest) / dynamics().temperature;
  return heights;
}

double Forecasting::room_along(const MatrixXd& lines) {
  const auto part = [](const std::vector<double>& all, std::size_t side, std::size_t each) {
    return std::span(all).subspan(side * each, each);
  };
  const std::vector<double> rises =
      heights_along(lines, kPlaces.size(), [](Index, std::size_t n) { return kPlaces[n]; });
  std::vector<double> where;
  for (std::size_t side = 0; side < 2 * static_cast<std::size_t>(lines.cols()); ++side)
    where.push_back(place_of(part(rises, side, kPlaces.size())));
  const std::vector<double> behind = heights_along(lines, kBeyond.size(), [&](Index side, std::size_t n) {
    return where[static_cast<std::size_t>(side)] + kBeyond[n];
  });
  double room = std::numeric_limits<double>::infinity();
  for (std::size_t side = 0; side < where.size(); ++side) {
    const double length = lines.col(static_cast<Index>(side) / 2).squaredNorm();
    if (where[side] > 0)
      room = std::min(room,
                      room_behind(where[side], part(behind, side, kBeyond.size())) * length / dynamics().temperature);
  }
  return room;
}

// Sets room_, in the units of the step. A sample of clients has another mode than all of them, so it cannot tell.
// Normal errors make no walls, and a σ that is sampled has its mode where U of all coefficients together has none.
void Forecasting::look_around(const MatrixXd& to_theta) {
  const ModelSpec& model = subject_.problem.model;
  const bool normal = model.family != nullptr && model.family->has_normal_errors(model);
  if (normal || model.quadratic() || !subject_.sample.all()) return;
  const auto d = hessian_.rows();
  const MatrixXd towards = math::LinearSystem(hessian_).solve(to_theta.transpose());  // a column per parameter
  const double each = 4 * work(subject_.problem, 0) / static_cast<double>(d);
  const auto most = std::clamp<Index>(static_cast<Index>(kLinesWork / each), 1, towards.cols());
  double room = std::numeric_limits<double>::infinity();
  for (Index first = 0; first < most; first += kLinesTogether) {
    MatrixXd lines(d, std::min(kLinesTogether, most - first));
    for (Index n = 0; n < lines.cols(); ++n) {
      const Index j = (first + n) * towards.cols() / most;
      const double variance = to_theta.row(j).dot(towards.col(j));
      lines.col(n) = towards.col(j) * std::sqrt(dynamics().temperature / variance);
    }
    room = std::min(room, room_along(lines));
  }
  room_ = room / dynamics().unit;
}

}  // namespace pollen
