// --dashboard: a page that shows a run while it is going on (docs/dashboard.md). The dashboard works on its own thread;
// the sampling thread only writes to feed().
#pragma once

#include <memory>
#include <string>

#include "commands.h"
#include "sink/live_feed.h"
#include "sink/summary.h"

namespace pollen::app {

class Dashboard {
 public:
  virtual ~Dashboard() = default;  // tells the pages that the run is over, unless end() did
  virtual sink::LiveFeed& feed() = 0;
  virtual std::string greeting() const = 0;  // says where the page is
  // Sends the final state to all pages. Returns when they have it, or after a second.
  virtual void end(const sink::Summary& summary) = 0;
};

// Opens the dashboard, or returns null if none was asked for. `name` is the run's name on the page. Throws IoError if
// it cannot listen, and ConfigError in a build without HTTP.
std::unique_ptr<Dashboard> open_dashboard(const DashboardOptions& options, const std::string& name);

}  // namespace pollen::app
