// --dashboard: a page that shows a run while it goes on (docs/dashboard.md).
#pragma once

#include <memory>
#include <string>

#include "commands.h"
#include "sink/live_feed.h"
#include "sink/summary.h"

namespace pollen::app {

class Dashboard {
 public:
  virtual ~Dashboard() = default;  // tells pages that it is over, where end() did not
  virtual sink::LiveFeed& feed() = 0;
  virtual std::string greeting() const = 0;  // where the page is
  // The last word to all pages; returns when they have it, within a second.
  virtual void end(const sink::Summary& summary) = 0;
};

// Null where none is asked for. `name` is what the run is called. IoError where it cannot listen; ConfigError in a
// build without HTTP.
std::unique_ptr<Dashboard> open_dashboard(const DashboardOptions& options, const std::string& name);

}  // namespace pollen::app
