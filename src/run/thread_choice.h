// One thread or all cores? Draws do not depend on it, so the clock may decide: rounds are timed on one thread, then,
// where they are long enough to be worth sharing, on all; all are kept only where they really are faster (on a busy
// machine waiting for each other costs more than it brings).
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>

namespace pollen {

class ThreadChoice {
 public:
  enum class Verdict { stay, use_all, use_one };

  // To be called between rounds. Cheap: it looks at the clock every eighth time, and no more once decided.
  Verdict between_rounds() {
    if (phase_ == Phase::decided || calls_++ % kChunk != 0) return Verdict::stay;
    const auto now = Clock::now();
    const bool first = calls_ == 1;
    const double chunk = std::chrono::duration<double>(now - last_).count() / kChunk;
    last_ = now;
    if (first) return Verdict::stay;
    total_ += chunk;
    least_ = std::min(least_, chunk);
    if (calls_ <= kChunks * kChunk) return Verdict::stay;
    return judge();
  }

  void decide() { phase_ = Phase::decided; }

 private:
  using Clock = std::chrono::steady_clock;
  enum class Phase { one, all, decided };
  static constexpr int kChunk = 8;
  static constexpr int kChunks = 16;
  static constexpr double kWorthSharing = 80e-6;  // seconds a round
  static constexpr double kGain = 0.8;

  Verdict judge() {
    const bool trying = phase_ == Phase::one && least_ > kWorthSharing;
    const bool slower = phase_ == Phase::all && total_ > kGain * total_one_;
    total_one_ = total_;
    total_ = 0;
    calls_ = 0;
    phase_ = trying ? Phase::all : Phase::decided;
    return trying ? Verdict::use_all : slower ? Verdict::use_one : Verdict::stay;
  }

  Phase phase_ = Phase::one;
  int calls_ = 0;
  Clock::time_point last_;
  double total_ = 0, total_one_ = 0;
  double least_ = std::numeric_limits<double>::infinity();
};

}  // namespace pollen
