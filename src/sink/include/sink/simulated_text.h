// Formats simulated time for people. Pure functions.
#pragma once

#include <string>

#include "run/simulated_time.h"

namespace pollen::sink {

std::string human_duration(double seconds);  // such as "0.42 s", "12 s", "3 min 5 s", "3 h 12 min", "12 d 4 h"
// Such as "80 % sending up, 15 % computing"; omits shares below 1 %.
std::string simulated_shares(const SimulatedTime& time);
// Returns text such as "3 h 12 min, of which 80 % sending up, ...".
std::string simulated_text(const SimulatedTime& time);

}  // namespace pollen::sink
