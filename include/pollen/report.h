// The report of runs as one HTML file: data gathered from their folders, put into the page that web/ builds.
//
//   const std::string data = report::report_data({"out"}, 2);
//   const std::string html = report::fill_page(page, data);
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pollen::report {

// ReportData of web/src/data.ts as JSON, of one folder or several to compare, each of a run or with CmdStan's CSVs. The
// text may stand in a script element: it has no "<". ConfigError where a folder or a file in it is wrong.
std::string report_data(const std::vector<std::string>& folders, int threads);

// The page with the data in their place.
std::string fill_page(std::string_view page, std::string_view data);

}  // namespace pollen::report
