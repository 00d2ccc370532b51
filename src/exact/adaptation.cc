#include "adaptation.h"

#include <algorithm>
#include <cmath>

#include "math/math.h"

namespace pollen::exact {

Schedule schedule(std::int64_t warm_up) {
  if (warm_up < 20) return {};
  const bool brief = warm_up < 150;
  const std::int64_t first = brief ? warm_up * 15 / 100 : 75;
  const std::int64_t last = warm_up - (brief ? warm_up / 10 : 50);
  Schedule result{first, {}};
  for (std::int64_t at = first, length = brief ? last - first : 25; at < last; length *= 2) {
    const std::int64_t end = at + length;
    at = end + 2 * length > last ? last : end;
    result.ends.push_back(at);
  }
  return result;
}

void DualAveraging::restart(double step) {
  // Starts from an optimistic step: rejecting a long step costs less than running a short one.
  centre = math::log(10 * step);
  error = 0;
  average = math::log(step);
  count = 0;
}

double DualAveraging::learn(double accept) {
  constexpr double kShrinkage = 0.05, kDelay = 10, kForget = 0.75;  // γ, t_0, κ
  count += 1;
  const double rate = 1 / (count + kDelay);
  error += rate * (target - accept - error);
  const double now = centre - std::sqrt(count) / kShrinkage * error;
  const double weight = math::exp(-kForget * math::log(count));
  average += weight * (now - average);
  return math::exp(now);
}

double DualAveraging::final_step() const { return math::exp(average); }

void DualAveraging::archive(Archive& archive) {
  for (double* x : {&centre, &error, &average, &count}) archive.field(*x);
}

Adaptation::Adaptation(const Options& options, Index dimension)
    : options_(options),
      averaging_{.target = options.target},
      needs_step_(options.step),
      inverse_mass_(static_cast<std::size_t>(dimension), 1.0),
      mean_(inverse_mass_.size()),
      square_(inverse_mass_.size()) {
  if (options_.mass) windows_ = schedule(options_.warm_up);
}

void Adaptation::restart(double step) {
  step_ = step;
  averaging_.restart(step);
  needs_step_ = false;
}

void Adaptation::learn(std::int64_t iteration, double accept, std::span<const double> position) {
  if (!warming(iteration)) return;
  const bool last = iteration + 1 == options_.warm_up;
  if (options_.step) step_ = averaging_.learn(accept);
  if (options_.step && last) step_ = averaging_.final_step();
  needs_step_ = learn_mass(iteration, position);
}

// Returns whether the mass has changed.
bool Adaptation::learn_mass(std::int64_t iteration, std::span<const double> position) {
  if (!windows_.has(iteration)) return false;
  ++seen_;
  const double weight = 1 / static_cast<double>(seen_);
  for (std::size_t j = 0; j < position.size(); ++j) {
    const double before = position[j] - mean_[j];
    mean_[j] += weight * before;
    square_[j] += before * (position[j] - mean_[j]);
  }
  if (!windows_.closes(iteration)) return false;
  close_window();
  return true;
}

// Turns the variances of the window into the inverse mass. Each is pulled towards 1e-3 with the weight of five
// observations, so that a short window cannot make one collapse to zero.
void Adaptation::close_window() {
  const auto n = static_cast<double>(seen_);
  for (std::size_t j = 0; j < square_.size(); ++j)
    inverse_mass_[j] = n / (n + 5) * (square_[j] / std::max(n - 1, 1.0)) + 1e-3 * (5 / (n + 5));
  seen_ = 0;
  std::ranges::fill(mean_, 0.0);
  std::ranges::fill(square_, 0.0);
}

void Adaptation::archive(Archive& archive) {
  averaging_.archive(archive);
  archive.fields(step_, needs_step_);
  for (auto* numbers : {&inverse_mass_, &mean_, &square_}) archive.array(std::span(*numbers));
  archive.field(seen_);
}

}  // namespace pollen::exact
