// The pages that web/ builds, as this binary carries them; empty where npm was not there when it was built.
#pragma once

#include <string_view>

namespace pollen::web {

std::string_view report_page();  // of `pollen report`
std::string_view live_page();    // of the dashboard of a run that goes on

// What to do where a page is missing, in a sentence.
inline constexpr std::string_view kHowToGetPages =
    "found a build of pollen without its web pages, accepted: one made where npm is (Debian: nodejs npm) and can reach "
    "its registry once: cmake --preset release && cmake --build build";

}  // namespace pollen::web
