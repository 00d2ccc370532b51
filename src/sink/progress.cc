#include "sink/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sink/text.h"

namespace pollen::sink {

namespace {

constexpr double kBarEvery = 0.1;      // seconds between updates of the bar
constexpr double kLinesAtLeast = 1.0;  // seconds between plain lines at 10% steps, at least

// Draws `share` of `cells` character cells, to an eighth of a cell.
std::string blocks(double share, int cells) {
  static constexpr const char* kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int eighths = static_cast<int>(std::clamp(share, 0.0, 1.0) * cells * 8);
  std::string text;
  for (int i = 0; i < eighths / 8; ++i) text += "█";
  text += kEighths[eighths % 8];
  return pad_right(text, static_cast<std::size_t>(cells));
}

bool has_rounds(const RunProgress& state) { return state.rounds > 0 && state.rounds != state.iteration; }

bool has_traffic(const RunProgress& state) { return state.uplink_bits > 0 || state.downlink_bits > 0; }

double share_of(const RunProgress& state, std::int64_t total) {
  return total > 0 ? static_cast<double>(state.iteration) / static_cast<double>(total) : 1.0;
}

// Before the first iteration the time left is unknown.
std::string time_left(std::int64_t iterations, double speed) {
  return speed > 0 ? human_seconds(static_cast<double>(iterations) / speed) : "unknown time";
}

}  // namespace

double Progress::rate(const RunProgress& state) const {
  return static_cast<double>(state.iteration - options_.start) / std::max(state.seconds, 1e-9);
}

std::string Progress::bar(const RunProgress& state, int width) const {
  const double speed = rate(state);
  // The parts of the line; the last ones are dropped first if they do not fit.
  std::vector<std::string> parts = {
      fmt::format("{:3.0f}%", std::floor(100 * share_of(state, options_.total))),
      state.iteration >= options_.total ? "done"
                                        : fmt::format("{} left", time_left(options_.total - state.iteration, speed)),
      fmt::format("{}/{}", state.iteration, options_.total), fmt::format("{} {}/s", human_rate(speed), options_.unit)};
  if (has_rounds(state)) parts.push_back(fmt::format("{} rounds", state.rounds));
  if (has_traffic(state))
    parts.push_back(fmt::format("↑{} ↓{}", human_bits(static_cast<double>(state.uplink_bits)),
                                human_bits(static_cast<double>(state.downlink_bits))));
  if (std::isfinite(state.rhat)) parts.push_back(fmt::format("R-hat {:.3f}", state.rhat));
  if (std::isfinite(state.ess)) parts.push_back(fmt::format("ESS {}", human_rate(std::floor(state.ess))));
  constexpr int kLeast = 10, kMost = 40;
  const auto length = [&] {
    std::size_t sum = 2;  // the ends of the bar
    for (const std::string& part : parts) sum += display_width(part) + 2;
    return static_cast<int>(sum);
  };
  while (parts.size() > 1 && length() + kLeast > width - 1) parts.pop_back();
  const int cells = std::clamp(width - 1 - length(), 1, kMost);
  std::string text = fmt::format("▕{}▏", blocks(share_of(state, options_.total), cells));
  for (const std::string& part : parts) text += fmt::format("  {}", part);
  return text;
}

std::string Progress::line(const RunProgress& state) const {
  const double speed = rate(state);
  const bool done = state.iteration >= options_.total;
  std::string text = fmt::format(
      "pollen: {:.0f}%, {} of {} {}, {} per second, {} {}", std::floor(100 * share_of(state, options_.total)),
      state.iteration, options_.total, options_.counted, human_rate(speed),
      done ? human_seconds(state.seconds) : time_left(options_.total - state.iteration, speed),
      done ? "in all" : "left");
  if (has_rounds(state)) text += fmt::format(", {} rounds", state.rounds);
  if (has_traffic(state))
    text += fmt::format(", {} up, {} down", human_bits(static_cast<double>(state.uplink_bits)),
                        human_bits(static_cast<double>(state.downlink_bits)));
  if (std::isfinite(state.rhat)) text += fmt::format(", worst R-hat {:.3f}", state.rhat);
  if (std::isfinite(state.ess)) text += fmt::format(", least ESS about {}", human_rate(std::floor(state.ess)));
  return text;
}

bool Progress::plain_line_due(const RunProgress& state) {
  if (state.iteration >= options_.total) return false;  // finish() writes the last line
  const double since = state.seconds - shown_;
  const std::int64_t tenths = options_.total > 0 ? state.iteration * 10 / options_.total : 10;
  const bool step = tenths > tenths_;
  if (since < options_.every && !(step && since >= kLinesAtLeast)) return false;
  tenths_ = tenths;
  return true;
}

void Progress::update(const RunProgress& state) {
  if (!options_.write) return;
  if (options_.terminal) {
    if (state.seconds - shown_ < kBarEvery) return;
    options_.write(fmt::format("\r{}\x1b[K", bar(state, options_.width())));
  } else {
    if (shown_ < 0) shown_ = 0, tenths_ = options_.total > 0 ? options_.start * 10 / options_.total : 0;
    if (!plain_line_due(state)) return;
    options_.write(fmt::format("{}\n", line(state)));
  }
  shown_ = state.seconds;
}

void Progress::finish(const RunProgress& state) {
  if (!options_.write) return;
  if (options_.terminal)
    options_.write(fmt::format("\r{}\x1b[K\n", bar(state, options_.width())));
  else
    options_.write(fmt::format("{}\n", line(state)));
}

}  // namespace pollen::sink
