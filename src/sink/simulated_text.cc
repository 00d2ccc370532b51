#include "sink/simulated_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sink/text.h"

namespace pollen::sink {

std::string human_duration(double seconds) {
  if (!std::isfinite(seconds)) return "?";
  if (seconds < 10) return fmt::format("{:.2g} s", seconds);
  constexpr double kMost = 1e15;
  const auto whole = static_cast<std::int64_t>(std::llround(std::min(seconds, kMost)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  if (whole < 86400) return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
  return fmt::format("{} d {} h", grouped(whole / 86400), whole / 3600 % 24);
}

std::string simulated_shares(const SimulatedTime& time) {
  std::array parts = {std::pair{time.up, "sending up"}, std::pair{time.computing, "computing"},
                      std::pair{time.down, "sending down"}, std::pair{time.waiting, "waiting for clients"},
                      std::pair{time.server, "at the server"}};
  std::ranges::stable_sort(parts, std::ranges::greater{}, &std::pair<double, const char*>::first);
  std::string text;
  for (const auto& [seconds, name] : parts) {
    const double percent = time.total() > 0 ? 100 * seconds / time.total() : 0;
    if (percent >= 1) text += fmt::format("{}{:.0f} % {}", text.empty() ? "" : ", ", percent, name);
  }
  return text;
}

std::string simulated_text(const SimulatedTime& time) {
  const std::string shares = simulated_shares(time);
  return human_duration(time.total()) + (shares.empty() ? "" : ", of which " + shares);
}

}  // namespace pollen::sink
