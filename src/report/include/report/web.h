// The web pages that are built from web/ and embedded in the binary. They are empty if npm was missing at build time.
#pragma once

#include <string_view>

namespace pollen::web {

std::string_view report_page();  // the page of `pollen report`
std::string_view live_page();    // the dashboard of a running run

// Tells users how to get a build that has the pages.
inline constexpr std::string_view kHowToGetPages =
    "found a build of pollen without its web pages, accepted: one made where npm is (Debian: nodejs npm) and can reach "
    "its registry once: cmake --preset release && cmake --build build";

}  // namespace pollen::web
