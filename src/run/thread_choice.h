// Decides by measurement whether a run uses one thread or all cores. Draws do not depend on the choice. Rounds are
// timed on one thread first and then, if they are long enough to be worth sharing, on all cores. All cores are kept
// only if they are really faster: on a busy machine, threads that wait for each other lose more time than they save.
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>

namespace pollen {

class ThreadChoice {
 public:
  enum class Verdict { stay, use_all, use_one };

  // To be called between rounds. It is cheap: it reads the clock at every eighth call, and never once decided.
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
  static constexpr double kWorthSharing = 80e-6;  // seconds per round
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
