// The dashboard's page, as web/ was built.
#pragma once

#include <string_view>

namespace pollen::app {

std::string_view dashboard_page();

}  // namespace pollen::app
