#include "pollen/report.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/file.h"
#include "commands.h"
#include "pollen/errors.h"
#include "report/web.h"
#include "sink/folder.h"
#include "sink/text.h"
#include "terminal.h"

namespace pollen::app {

int report_command(const ReportOptions& options) {
  const std::string_view page = web::report_page();
  if (page.empty()) throw ConfigError("report", std::string(web::kHowToGetPages));
  const std::string out =
      options.out.empty() ? sink::RunFolder(options.folders.front()).file("report.html") : options.out;
  if (std::filesystem::is_directory(out))
    throw ConfigError("-o", fmt::format("found the folder \"{}\", accepted: a file's path", out));
  const std::string html = report::fill_page(page, report::report_data(options.folders, 0));
  replace_file(out, html);
  print(fmt::format("{} ({}): open it in a browser, or send it: it needs nothing else\n", out,
                    sink::human_bytes(static_cast<double>(html.size()))));
  return kDone;
}

}  // namespace pollen::app
