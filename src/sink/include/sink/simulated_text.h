// Simulated time in words.
#pragma once

#include <string>

#include "run/simulated_time.h"

namespace pollen::sink {

std::string human_duration(double seconds);               // "0.42 s", "12 s", "3 min 5 s", "3 h 12 min", "12 d 4 h"
std::string simulated_shares(const SimulatedTime& time);  // "80 % sending up, 15 % computing"; nothing below 1 %
// "3 h 12 min, of which 80 % sending up, ..."
std::string simulated_text(const SimulatedTime& time);

}  // namespace pollen::sink
