// Makes a report of one or several runs as a single HTML file (docs/report.md): report_data() gathers the data from the
// runs' folders, and fill_page() puts them into the page that web/ builds.
//
//   const std::string data = report::report_data({"out"}, 2);
//   const std::string html = report::fill_page(page, data);
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pollen::report {

// Returns the ReportData of web/src/data.ts as JSON, for one folder or for several to compare. Each folder holds a run
// or CSV files of CmdStan. The text contains no "<", so it can stand in a script element. ConfigError if a folder or a
// file in it is not as expected.
std::string report_data(const std::vector<std::string>& folders, int threads);

// Returns the page with the data filled in.
std::string fill_page(std::string_view page, std::string_view data);

}  // namespace pollen::report
