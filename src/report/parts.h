// Parts of ReportData (web/src/data.ts), made from the files of a run. Files come from outside, so anything malformed
// is a ConfigError that names the file, or is left out if the page does not need it. The functions are pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pollen/stats.h"
#include "report/blocks.h"
#include "sink/facts.h"

namespace pollen::report {

Json versions();  // versions of this build
// `ratio` says whether the exponential has a name, such as an odds ratio.
Json parameter_row(const std::string& name, const std::string& label, const stats::ParameterSummary& summary,
                   bool ratio);

const Json& member(const Json& json, const char* key);  // a member of an object, or null if it is absent

// Parse the text of DIR/summary.json and of DIR/clients.json.
Json parse_summary(std::string_view text, const std::string& path);
Json parse_clients(std::string_view text, const std::string& path);

// These return what a summary provides. `draws` is {"chains", "draws"} if the draws were read, otherwise null.
Json facts_of(const Json& summary, const Json& draws);
void add_stored_parts(Json& run, const Json& summary);
std::vector<std::string> texts_at(const Json& json, const char* key);  // empty if there are none

// Make Participation and Heterogeneity from clients.json. The contents are checked, because the page relies on their
// shape. The result is null if the file lacks them.
Json participation_table(const Json& held, const std::string& path);
Json label_table(const Json& held, const std::string& path);

// Converts DIR/metrics.csv, column by column, thinned to at most `most` rows. A last line without a line end, as in a
// run in progress, is ignored.
Json metrics_table(std::string_view text, const std::string& path, std::size_t most = 1000);

Json verdict_json(const sink::Verdict& verdict);

}  // namespace pollen::report
