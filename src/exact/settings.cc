#include <fmt/format.h>

#include <cmath>

#include "base/words.h"
#include "exact/exact.h"

namespace pollen::exact {

void check_settings(const Settings& s, std::string_view keys, Problems& problems) {
  const auto check = [&](const char* key, auto found, bool good, const char* accepted) {
    if (!good && has_word(keys, key))
      problems.add(fmt::format("sampler.{}", key), fmt::format("found {}, accepted: {}", found, accepted));
  };
  const auto positive = [](double x) { return std::isfinite(x) && x > 0; };
  check("warm_up", s.warm_up, s.warm_up >= 0, "0 or more");
  const double accept = s.target_accept.value_or(0.5);
  check("target_accept", accept, accept > 0 && accept < 1, "a number between 0 and 1");
  check("leapfrogs", s.leapfrogs, s.leapfrogs >= 0, "0 or more");
  check("trajectory", s.trajectory, positive(s.trajectory), "a number above 0");
  check("jitter", s.jitter, s.jitter >= 0 && s.jitter <= 1, "a number from 0 to 1");
  check("most_leapfrogs", s.most_leapfrogs, s.most_leapfrogs >= 1, "1 or more");
  check("max_depth", s.max_depth, s.max_depth >= 1 && s.max_depth <= 20, "1 to 20");
}

}  // namespace pollen::exact
